// @ts-check
// Moving pictures made in the page: GIF and WebP of still ones, and whatever video the browser can record.

/** Bits of a colour that are kept, the more the better, so that a picture has no more than 256 colours. */
const DEPTHS = [8, 6, 5, 4, 3, 2];
const VIDEOS = [["mp4", "video/mp4;codecs=avc1.42E01E"], ["mp4", "video/mp4"], ["webm", "video/webm;codecs=vp9"], ["webm", "video/webm"]];

/** The kind of video that this browser records, and its type; null if there is none. */
export function videoKind() {
  const found = VIDEOS.find(([, type]) => globalThis.MediaRecorder?.isTypeSupported(type));
  return found ? { kind: found[0], type: found[1] } : null;
}

/** A film of what is drawn on a canvas, frame after frame.
 * @param {string} kind @param {HTMLCanvasElement} canvas @param {number} count @param {number} fps
 * @param {(at: number) => Promise<void> | void} draw @returns {Promise<{name: string, parts: any[], type: string}>} */
export async function filmOf(kind, canvas, count, fps, draw) {
  if (kind === "video") return video(canvas, count, fps, draw);
  /** @type {any[]} */
  const parts = [];
  for (let at = 0; at < count; at++) {
    await draw(at);
    if (kind === "gif") parts.push(gifFrame(pixels(canvas), Math.max(2, Math.round(100 / fps))));
    else parts.push(await webpFrame(canvas, Math.round(1000 / fps)));
    await new Promise((done) => setTimeout(done));  // the page stays alive
  }
  const { width, height } = canvas;
  if (kind === "gif") return { name: "gif", parts: [gifHead(width, height), ...parts, Uint8Array.of(0x3b)], type: "image/gif" };
  return { name: "webp", parts: webpFile(width, height, parts), type: "image/webp" };
}

/** @param {HTMLCanvasElement} canvas */
function pixels(canvas) { return /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")).getImageData(0, 0, canvas.width, canvas.height); }

// GIF ---------------------------------------------------------------------------------------------

/** @param {number} number */
function pair(number) { return [number & 255, number >> 8 & 255]; }

/** @param {number} width @param {number} height */
function gifHead(width, height) {
  return Uint8Array.from([...new TextEncoder().encode("GIF89a"), ...pair(width), ...pair(height), 0, 0, 0, 0x21, 0xff, 11, ...new TextEncoder().encode("NETSCAPE2.0"), 3, 1, 0, 0, 0]);
}

/** A frame with a table of its own colours. @param {ImageData} image @param {number} delay in hundredths of a second */
export function gifFrame({ width, height, data }, delay) {
  const { table, places } = fewColours(data);
  const head = [0x21, 0xf9, 4, 4, ...pair(delay), 0, 0, 0x2c, 0, 0, 0, 0, ...pair(width), ...pair(height), 0x87];
  const colours = new Uint8Array(768);
  colours.set(table.flatMap((colour) => [colour >> 16, colour >> 8 & 255, colour & 255]));
  return new Blob([Uint8Array.from(head), colours, lzw(places)]);
}

/** At most 256 colours, and which of them each pixel has: exact ones if there are no more. @param {Uint8ClampedArray} data */
export function fewColours(data) {
  for (const depth of DEPTHS) {
    const mask = 256 - (1 << 8 - depth), half = depth < 8 ? 1 << 7 - depth : 0;
    /** @type {Map<number, number>} */
    const known = new Map();
    const places = new Uint8Array(data.length / 4);
    for (let at = 0; at < places.length && known.size <= 256; at++) {
      const colour = (data[4 * at] & mask) << 16 | (data[4 * at + 1] & mask) << 8 | data[4 * at + 2] & mask;
      const place = known.get(colour) ?? known.size;
      if (place === known.size) known.set(colour, place);
      places[at] = place;
    }
    if (known.size <= 256) return { table: [...known.keys()].map((colour) => colour + half * 0x10101), places };
  }
  throw new Error("no picture has so many colours");
}

/** Pixels packed as GIF has them: a code for each stretch that was seen before. @param {Uint8Array} places */
function lzw(places) {
  const CLEAR = 256, END = 257, out = [8];
  /** @type {number[]} */
  let block = [];
  let bits = 0, held = 0, size = 9, next = 258;
  /** @type {Map<number, number>} */
  let codes = new Map();
  /** @param {number} code */
  function put(code) {
    held |= code << bits; bits += size;
    for (; bits >= 8; bits -= 8, held >>= 8) { block.push(held & 255); if (block.length === 255) flush(); }
  }
  function flush() { if (block.length) { out.push(block.length); for (const byte of block) out.push(byte); block = []; } }
  put(CLEAR);
  let before = places[0];
  for (let at = 1; at < places.length; at++) {
    const key = before << 8 | places[at], code = codes.get(key);
    if (code !== undefined) { before = code; continue; }
    put(before);
    if (next === 4096) { put(CLEAR); codes = new Map(); size = 9; next = 258; }
    else { if (next === 1 << size) size++; codes.set(key, next++); }
    before = places[at];
  }
  put(before); put(END);
  if (bits) block.push(held & 255);
  flush();
  return Uint8Array.from([...out, 0]);
}

// WebP --------------------------------------------------------------------------------------------

/** @param {number} number @param {number} bytes */
function little(number, bytes) { return Array.from({ length: bytes }, (_, at) => number >> 8 * at & 255); }

/** @param {string} name @param {any[]} parts @param {number} size */
function chunk(name, parts, size) { return [new TextEncoder().encode(name), Uint8Array.from(little(size, 4)), ...parts, ...(size % 2 ? [Uint8Array.of(0)] : [])]; }

/** A frame as a part of a film. @param {HTMLCanvasElement} canvas @param {number} delay in milliseconds */
async function webpFrame(canvas, delay) {
  const blob = await new Promise((/** @type {(blob: Blob | null) => void} */ done) => canvas.toBlob(done, "image/webp", 1));
  if (blob?.type !== "image/webp") throw new Error("this browser writes no WebP");
  const bytes = new Uint8Array(await blob.arrayBuffer()), view = new DataView(bytes.buffer), pictures = [];
  let size = 16;
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = new TextDecoder().decode(bytes.subarray(at, at + 4)), whole = 8 + view.getUint32(at + 4, true) + (view.getUint32(at + 4, true) & 1);
    if (/^(VP8 |VP8L|ALPH)$/.test(name)) { pictures.push(bytes.slice(at, at + whole)); size += whole; }
    at += whole;
  }
  const head = [0, 0, 0, 0, 0, 0, ...little(canvas.width - 1, 3), ...little(canvas.height - 1, 3), ...little(delay, 3), 2];
  return new Blob(chunk("ANMF", [Uint8Array.from(head), ...pictures], size));
}

/** @param {number} width @param {number} height @param {Blob[]} frames */
function webpFile(width, height, frames) {
  const head = chunk("VP8X", [Uint8Array.from([0x12, 0, 0, 0, ...little(width - 1, 3), ...little(height - 1, 3)])], 10);
  const body = [...head, ...chunk("ANIM", [Uint8Array.of(0, 0, 0, 0, 0, 0)], 6), ...frames];
  const size = new Blob(/** @type {any} */ (body)).size + 4;
  return [...chunk("RIFF", [], size), new TextEncoder().encode("WEBP"), ...body];
}

// Video -------------------------------------------------------------------------------------------

/** Recorded while it plays. @param {HTMLCanvasElement} canvas @param {number} count @param {number} fps @param {(at: number) => Promise<void> | void} draw */
async function video(canvas, count, fps, draw) {
  const found = videoKind();
  if (!found) throw new Error("this browser records no video");
  await draw(0);
  const stream = canvas.captureStream(0), [track] = /** @type {any[]} */ (stream.getVideoTracks()), parts = /** @type {Blob[]} */ ([]);
  const recorder = new MediaRecorder(stream, { mimeType: found.type, videoBitsPerSecond: 8e6 });
  recorder.ondataavailable = ({ data }) => { parts.push(data); };
  const over = new Promise((done) => { recorder.onstop = done; });
  recorder.start();
  for (let at = 0; at <= count; at++) {
    await draw(Math.min(at, count - 1));
    track.requestFrame();
    await new Promise((done) => setTimeout(done, 1000 / fps));
  }
  recorder.stop();
  await over;
  return { name: found.kind, parts, type: found.type };
}
