// @ts-check
// A program and a moment of its run in a link: compressed, in the fragment, sent to nobody.

/** Links of version 1 know one course of a run, those of version 2 all its branches. */
const VERSION = "2", READ = ["1", VERSION];
/** Bytes that a link may hold once it is unpacked: those of the largest message. */
const MOST = 8 << 20;
/** Lists within lists, breakpoints, and letters of a name; no studio packs more. Python in a page, which has little
 *  room for calls within calls, ends at lists that are some thousand deep. */
const DEEPEST = 128, MOST_BREAKS = 200, LONGEST_NAME = 255;

/** @param {Uint8Array} bytes @param {any} through */
async function piped(bytes, through) {
  const stream = new Blob([/** @type {any} */ (bytes)]).stream().pipeThrough(through), parts = [];
  let length = 0;
  for (const reader = stream.getReader(); ;) {
    const { value, done } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    parts.push(value);
    length += value.length;
    if (length > MOST) throw new Error("it holds more than a program can have");
  }
}

/** The fragment for some plain data. @param {any} data */
export async function packed(data) {
  const bytes = await piped(new TextEncoder().encode(JSON.stringify(data)), new CompressionStream("deflate-raw"));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return `${VERSION}.${btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")}`;
}

/** The data of a fragment, or an error that says what is wrong. @param {string} fragment */
export async function unpacked(fragment) {
  const [version, body] = fragment.replace(/^#/, "").split(".");
  if (!READ.includes(version) || !body) throw new Error(`it is of another version (${version.slice(0, 20)}) or was cut off`);
  const data = JSON.parse(new TextDecoder().decode(await piped(bytesIn(body), new DecompressionStream("deflate-raw"))));
  if (typeof data?.language !== "string" || typeof data.text !== "string") throw new Error("it holds no program");
  if (isDeeper(data, DEEPEST)) throw new Error("it is nested deeper than a program can be");
  const { breaks = [], name = "" } = data;
  if (!Array.isArray(breaks) || breaks.length > MOST_BREAKS) throw new Error("it holds more breakpoints than a program can have");
  if (typeof name !== "string" || name.length > LONGEST_NAME) throw new Error("its name is none");
  return data;
}

/** Whether data is nested deeper than that. @param {any} data @param {number} most @returns {boolean} */
function isDeeper(data, most) {
  if (typeof data !== "object" || data === null) return false;
  return most === 0 || Object.values(data).some((part) => isDeeper(part, most - 1));
}

/** @param {string} body */
function bytesIn(body) {
  return Uint8Array.from(atob(body.replace(/-/g, "+").replace(/_/g, "/")), (sign) => sign.charCodeAt(0));
}
