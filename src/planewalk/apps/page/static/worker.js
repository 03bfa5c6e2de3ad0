// @ts-check
// Python in a worker: loads it, and has the conversation of the page work for a few milliseconds at a time.

/** Milliseconds of work between two turns in which messages are heard. */
const SLICE = 8;
const PACKAGES = "/lib/python3.14/site-packages";
/** Python's own files and what it begins with, beside what runs may take. */
const BASE = 96 << 20, PAGE = 65536;
/** Where Pyodide believes its files to be; they come with the order. */
const HOME = "https://python.invalid/";

/** @param {string} file @param {string} type */
function response(file, type) { return new Response(/** @type {any} */ (order.files[file]), { headers: { "content-type": type } }); }
/** @param {Uint8Array} bytes */
function moduleOf(bytes) { return import(URL.createObjectURL(new Blob([/** @type {any} */ (bytes)], { type: "text/javascript" }))); }

/** What the page has sent. @type {any} */
let order;
/** The conversation, a `PageTab`. @type {any} */
let tab;
const turns = new MessageChannel();
let due = false;
/** @type {any} */
let alarm;

onmessage = ({ data, ports }) => { onmessage = null; order = { ...data, port: ports[0] }; start().catch(failed); };

/** @param {any} error */
function failed(error) { order.port.postMessage({ failed: String(error?.message ?? error).trim().split("\n").at(-1) }); }

/** Let WebAssembly have so much memory and no more: Python then has a MemoryError instead of the machine's last byte. */
function limitMemory() {
  const most = Math.ceil((order.memory + BASE) / PAGE), grow = WebAssembly.Memory.prototype.grow;
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength / PAGE + pages > most) throw new RangeError("memory is limited");
    return grow.call(this, pages);
  };
}

async function start() {
  limitMemory();
  self.fetch = async (address) => response(String(address).slice(HOME.length), String(address).endsWith(".wasm") ? "application/wasm" : "application/octet-stream");
  const [{ loadPyodide }, { default: createPyodideModule }, files] = await Promise.all([
    moduleOf(order.files["pyodide.mjs"]), moduleOf(order.files["pyodide.asm.mjs"]), unpacked(order.files["planewalk.pack"])]);
  const snapshot = order.snapshot, lockFileContents = { info: { abi_version: "2026_0", arch: "wasm32", platform: "emscripten", python: "3.14.2", version: "0" }, packages: {} };
  const python = await loadPyodide({ indexURL: HOME, createPyodideModule, lockFileContents, ...(snapshot ? { _loadSnapshot: snapshot } : { _makeSnapshot: order.keeps }) });
  for (const [name, content] of files) {
    const path = `${PACKAGES}/${name}`;
    python.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    python.FS.writeFile(path, content, { canOwn: true });
  }
  if (!snapshot) {
    python.runPython("from planewalk.apps.page import tab; tab.warm_up()");
    if (order.keeps) order.port.postMessage({ snapshot: kept(python) });
  }
  python.runPython(`import importlib; importlib.invalidate_caches(); from planewalk.apps.page.tab import PageTab; page = PageTab(${order.memory})`);
  tab = python.globals.get("page");
  order.files = order.snapshot = null;
  turns.port1.onmessage = turn;
  order.port.onmessage = heard;
  order.port.postMessage({ ready: true });
}

/** The memory of Python, to start from the next time; null if it cannot be had. @param {any} python */
function kept(python) {
  try { return python.makeMemorySnapshot(); }
  catch (error) { console.warn(error); return null; }
}

/** The files of a compressed archive. @param {Uint8Array} bytes */
async function unpacked(bytes) {
  const stream = new Blob([/** @type {any} */ (bytes)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const whole = new Uint8Array(await new Response(stream).arrayBuffer()), coder = new TextDecoder();
  const text = (/** @type {number} */ from, /** @type {number} */ length) => coder.decode(whole.subarray(from, from + length)).replace(/\0.*/s, "");
  /** @type {[string, Uint8Array][]} */
  const files = [];
  for (let at = 0, size; whole[at]; at += 512 + Math.ceil(size / 512) * 512) {
    size = parseInt(text(at + 124, 12), 8);
    const folder = text(at + 345, 155), name = text(at, 100);
    files.push([folder ? `${folder}/${name}` : name, whole.slice(at + 512, at + 512 + size)]);
  }
  return files;
}

/** A message of the page; a number is only asked to be given back. @param {MessageEvent} event */
function heard({ data }) {
  if (typeof data === "number") order.port.postMessage(data);
  else { tab.receive(data); next(0); }
}

/** Have a turn in so many milliseconds, or once there is a message. @param {number} rest */
function next(rest) {
  clearTimeout(alarm);
  if (rest > 0) { if (rest < Infinity) alarm = setTimeout(turn, rest); }
  else if (!due) { due = true; turns.port2.postMessage(null); }
}

function turn() {
  due = false;
  try {
    const answers = tab.work(SLICE);
    if (answers !== "[]") order.port.postMessage(answers);
    next(tab.rest());
  } catch (error) { failed(error); }
}
