// @ts-check
// A run as a film: the frames of a page that plays it, drawn one after the other as the studio draws the plane.
import { fromBase64 } from "./bytes.js";
import { Grid } from "./grid.js";
import { filmOf } from "./moving.js";
import { initial, patched } from "./state.js";

/** Pixels: of the longer side at most, and of a cell at most and of letters at least. */
const WIDEST = 960, LARGEST = 32, LEAST = 4, ROOM = 90;

/** @param {string} page @param {string} kind */
export async function reelOf(page, kind) {
  const data = /id="run-data">([^<]*)</.exec(page)?.[1] ?? "";
  const stream = new Blob([/** @type {any} */ (fromBase64(data.trim()))]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const run = JSON.parse(await new Response(stream).text());
  /** @type {any[]} */
  const frames = [];
  for (const delta of run.frames) frames.push(patched(frames.at(-1) ?? null, delta));
  const whole = frames.reduce((/** @type {number[]} */ box, /** @type {any} */ { plane }) => plane ? [Math.min(box[0], plane[0]), Math.min(box[1], plane[1]), Math.max(box[2], plane[2]), Math.max(box[3], plane[3])] : box, frames[0].plane ?? frames[0].box);
  const canvas = document.createElement("canvas"), grid = new Grid(canvas, document.createElement("canvas")), copy = document.createElement("canvas");
  const wide = whole[2] - whole[0] + 3, high = whole[3] - whole[1] + 3, size = Math.max(LEAST, Math.min(LARGEST, Math.floor(WIDEST / Math.max(wide, high))));
  canvas.style.cssText = `position: fixed; left: -9999px; top: 0; width: ${Math.min(WIDEST, wide * size + ROOM)}px; height: ${Math.min(WIDEST, high * size + ROOM)}px`;
  document.body.append(canvas);
  grid.coloured = Boolean(run.language.coloured);
  grid.fit(whole, 0, LARGEST);
  const known = { ...initial(), languages: [run.language], language: run.language.name, cursor: { x: -1e6, y: -1e6 } };
  try {
    return await filmOf(kind, copy, frames.length, run.fps, (at) => {
      for (const frame of frames.slice(Math.max(0, at - 1), at)) grid.remember(frame);
      do grid.draw({ ...known, frame: { ...frames[at], breaks: [], running: true } }); while (grid.unfinished);
      const [across, down] = [canvas.width & ~1, canvas.height & ~1];  // videos have even sides
      if (copy.width !== across || copy.height !== down) { copy.width = across; copy.height = down; }
      const pen = /** @type {CanvasRenderingContext2D} */ (copy.getContext("2d", { willReadFrequently: true }));
      pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--paper");
      pen.fillRect(0, 0, across, down);
      pen.drawImage(canvas, 0, 0);
    });
  } finally { canvas.remove(); }
}
