// @ts-check
// The wire to the conversation: a WebSocket where a server has it, a worker where the page is a file of a site.
import { connectWorker } from "./python.js";
import { siteOf } from "./site.js";
import { connectSocket } from "./socket.js";

/** @param {(message: any) => void} hear @param {(open: boolean, words?: string) => void} changed */
export function connect(hear, changed) {
  const site = siteOf();
  return site ? connectWorker(site, hear, changed) : connectSocket(hear, changed);
}
