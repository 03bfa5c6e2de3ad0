// @ts-check
// What the ends of rows and columns are called, beside the plane.

/** Pixels of the longest words. */
export const BESIDE = 50;

/** The words at the ends of rows and columns; where rows are low, of every second one or fewer. @param {CanvasRenderingContext2D} pen @param {any} frame @param {number} size @param {(x: number) => number} px @param {(y: number) => number} py @param {string} colour */
export function drawPorts(pen, frame, size, px, py, colour) {
  if (!frame.plane || size < 5) return;
  const [left, top, right, bottom] = frame.plane, height = Math.max(11, Math.min(size * 0.5, 14)), every = Math.ceil((height + 2) / size);
  pen.fillStyle = colour; pen.textBaseline = "middle";
  pen.font = `${Math.round(height)}px ui-monospace, monospace`;
  (frame.ports ?? []).forEach((/** @type {string[]} */ [into, out], /** @type {number} */ j) => {
    if ((frame.box[1] + j - top) % every) return;
    const y = py(frame.box[1] + j) + size / 2;
    pen.textAlign = "right"; pen.fillText(into, px(left - 1) - 3, y, BESIDE);
    pen.textAlign = "left"; pen.fillText(out, px(right + 1) + size * 0.3 + 6, y, BESIDE);
  });
  (frame.columnPorts ?? []).forEach((/** @type {string[]} */ [into, out], /** @type {number} */ j) => {
    if ((frame.box[0] + j - left) % every) return;
    const x = px(frame.box[0] + j) + size / 2;
    upright(pen, into, x, py(top) - 5, "left", BESIDE);
    upright(pen, out, x, py(bottom + 1) + 5, "right", BESIDE);
  });
}

/** Words that are read from below, since columns are narrow. @param {CanvasRenderingContext2D} pen @param {string} words @param {number} x @param {number} y @param {CanvasTextAlign} align @param {number} width */
function upright(pen, words, x, y, align, width) {
  pen.save();
  pen.translate(x, y); pen.rotate(-Math.PI / 2);
  pen.textAlign = align; pen.fillText(words, 0, 0, width);
  pen.restore();
}
