// @ts-check
// The conversation in a worker of this page: Python is loaded, watched, and ended if it hangs.
import { playFirst } from "./first.js";
import { startSign } from "./sign.js";
import { dropSnapshot, keepSnapshot, keptSnapshot } from "./snapshot.js";
import { embedded } from "./store.js";

/** What Pyodide is made of, and the archive of planewalk. */
const PYTHON = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"], ARCHIVE = "planewalk.pack";
/** Milliseconds between two questions whether the worker still hears. */
const ASK = 500;
/** So many without an answer: it is said to be at work, is ended, and is ended if it makes a film. No question to a
 *  run takes longer than a third of that. */
const BUSY = 3, PATIENCE = 30, LONG_PATIENCE = 120;
/** So many until it has started. */
const START = 240;
const LONG = ["film", "animate", "render"];
const HUNG = "it did not answer", ENDED = "this is the last moment that was seen: planewalk was ended, for";
/** Starts in a row that end without a frame, after which no program is opened at the moment where it was, and none at all. */
const SUSPECT = 2, MOST_FAILURES = 4;

/** @typedef {import("./site.js").Site} Site */

/** @param {Site} site @param {(message: any) => void} hear @param {(open: boolean, words?: string) => void} changed */
export function connectWorker(site, hear, changed) {
  /** @type {HTMLIFrameElement | null} */
  let frame = null;
  /** @type {MessagePort | null} */
  let port = null;
  let ready = false, failures = 0, asked = 0, silent = 0, patience = PATIENCE, keeps = true, restores = true, why = "";
  /** Messages for the worker once it is there. @type {any[]} */
  let waiting = [];
  const sign = startSign(() => end("you did")), first = playFirst(site, hear);

  async function start() {
    ready = false;
    document.body.dataset.python = "coming";
    sign.load("Python is coming …", 0);
    try {
      const { script, files } = await loaded(site, (part) => sign.load("Python is coming …", part));
      const snapshot = restores ? await keptSnapshot(site) : null;
      sign.load("Python starts …", 1);
      open(script, files, snapshot);
    } catch (error) { sign.say(`Python cannot be loaded: ${/** @type {Error} */ (error).message}`); }
  }

  /** Have a frame start the worker in a frame without an origin. @param {Uint8Array} script @param {Record<string, Uint8Array>} files @param {Uint8Array | null} snapshot */
  function open(script, files, snapshot) {
    const channel = new MessageChannel(), order = { files, snapshot, keeps, memory: site.memory };
    const moved = [...Object.values(files), ...(snapshot ? [snapshot] : [])].map((bytes) => bytes.buffer);
    const made = frame = document.createElement("iframe");
    made.hidden = true;
    made.title = "Python";
    made.src = `${site.folder}/runtime.html`;
    made.onload = () => made.contentWindow?.postMessage({ script, order, moved }, "*", [channel.port2, ...moved]);
    document.body.append(made);
    port = channel.port1;
    port.onmessage = ({ data }) => heard(data, Boolean(snapshot));
  }

  /** @param {any} data @param {boolean} restored */
  function heard(data, restored) {
    if (typeof data === "number") { if (data === asked) { silent = 0; patience = PATIENCE; sign.hide(); } }
    else if (typeof data === "string") for (const message of JSON.parse(data)) { if (message.frame) failures = 0; hear(message); }
    else if (data.failed) failed(data.failed, restored);
    else if (data.snapshot && !ready) keepSnapshot(site, data.snapshot);
    else if (data.ready && !ready) begin();
  }

  function begin() {
    ready = true;
    document.body.dataset.python = "ready";
    keepSite();
    silent = 0;
    sign.hide();
    if (why) { changed(true); why = ""; waiting = []; return; }
    for (const message of [...first.end(), ...waiting.splice(0)]) send(message);
  }

  /** @param {string} words @param {boolean} restored */
  function failed(words, restored) {
    if (restored) forget();
    else if (!ready) keeps = false;
    end(words);
  }

  /** Start from no snapshot: it may be damaged, or of another browser. */
  function forget() { restores = false; dropSnapshot(site); }

  /** End the worker, and begin again where the page is. @param {string} words */
  function end(words) {
    frame?.remove();
    port?.close();
    frame = port = null;
    silent = 0;
    if (failures >= SUSPECT) forget();
    if (++failures >= MOST_FAILURES) { ready = false; sign.say(`Python does not start here: ${words}. Reload the page to try again`); return; }
    if (ready) { why = words; changed(false, `${ENDED} ${words}`); }
    start();
  }

  /** @param {any} message */
  function send(message) {
    if (message.do === "open" && failures >= SUSPECT) message = { ...message, tick: 0, branch: 0, courses: undefined };
    if (LONG.includes(message.do)) patience = LONG_PATIENCE;
    port?.postMessage(JSON.stringify(message));
    port?.postMessage(++asked);
  }

  function watch() {
    if (!ready) {
      if (port && ++silent > START) end("it did not start");
      return;
    }
    if (silent++ === 0) port?.postMessage(++asked);
    if (silent > patience) end(HUNG);
    else if (silent > BUSY) sign.busy();
  }

  addEventListener("message", ({ data, source }) => {
    if (frame && source === frame.contentWindow && data?.failed) failed(String(data.failed), false);
  });
  setInterval(watch, ASK);
  start();
  setTimeout(() => changed(true));

  /** @param {any} message */
  return function say(message) {
    if (ready) send(message);
    else if (why || !first.takes(message)) waiting.push(message);
  };
}

/** Have the browser keep the site, so that it is there without a network. */
async function keepSite() {
  if (embedded) return;
  try { await navigator.serviceWorker.register("service.js"); }
  catch { /* it may not here, or storage is full or forbidden: the site then comes from its host each time */ }
}

/** All that Python needs. @param {Site} site @param {(part: number) => void} tell */
async function loaded(site, tell) {
  let there = 0;
  const others = new AbortController();
  const load = async (/** @type {string} */ address) => {
    const response = await fetch(new URL(address, document.baseURI), { signal: others.signal });
    if (!response.ok || !response.body) throw new Error(response.status === 404 ? "the site has a new version; reload this page" : `the site answers ${response.status}`);
    /** @type {any[]} */
    const parts = [];
    for (const reader = response.body.getReader(); ;) {
      const { value, done } = await reader.read();
      if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
      parts.push(value);
      if (others.signal.aborted) continue;
      tell((there += value.length) / site.size);
    }
  };
  const folders = [...PYTHON.map((name) => [site.python, name]), [site.folder, ARCHIVE]];
  const [script, ...contents] = await Promise.all([`${site.folder}/worker.js`, ...folders.map((path) => path.join("/"))].map(load)).catch((error) => { others.abort(); throw error; });
  return { script, files: Object.fromEntries(contents.map((content, at) => [folders[at][1], content])) };
}
