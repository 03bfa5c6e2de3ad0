// @ts-check
// A program and a moment of its run in a link: compressed, in the fragment, sent to nobody.

/** Links of version 1 know one course of a run, those of version 2 all its branches. */
const VERSION = "2", READ = ["1", VERSION];
/** Bytes that a link may hold once it is unpacked: those of the largest message. */
const MOST = 8 << 20;

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
  return data;
}

/** @param {string} body */
function bytesIn(body) {
  return Uint8Array.from(atob(body.replace(/-/g, "+").replace(/_/g, "/")), (sign) => sign.charCodeAt(0));
}
