// @ts-check
// The WebSocket: messages out, messages in, and again and again if the server goes away.
import { local } from "./store.js";

/** Where this studio's token is kept for its other pages and tabs: browsers send no server what is stored here,
 *  and show it to no page of another port. door.js knows it by the same name. */
const TOKEN = "planewalk token";
const AWAY = "the server is away; trying again … If it was started again, open the address that it prints";

/** Take the token out of the address, which may be copied and shown. */
function keepToken() {
  const address = new URL(location.href), given = address.searchParams.get("token");
  if (given) local.set(TOKEN, given);
  address.searchParams.delete("token");
  history.replaceState(null, "", address);
}

/** @param {(message: any) => void} hear @param {(open: boolean, words?: string) => void} changed */
export function connectSocket(hear, changed) {
  /** @type {WebSocket | null} */
  let socket = null;
  let wait = 250;
  /** @type {string[]} */
  let queue = [];

  function open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const token = encodeURIComponent(local.get(TOKEN) ?? "");
    socket = new WebSocket(`${scheme}://${location.host}/talk?token=${token}`);
    socket.onopen = () => {
      wait = 250;
      changed(true);
      for (const text of queue.splice(0)) socket?.send(text);
    };
    socket.onmessage = (event) => hear(JSON.parse(event.data));
    socket.onclose = () => {
      changed(false, AWAY);
      queue = [];
      setTimeout(open, wait);
      wait = Math.min(wait * 2, 5000);
    };
  }
  keepToken();
  open();

  /** @param {any} message */
  return function say(message) {
    const text = JSON.stringify(message);
    if (socket?.readyState === WebSocket.OPEN) socket.send(text);
    else queue.push(text);
  };
}
