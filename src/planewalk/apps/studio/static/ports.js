// @ts-check
// What the ends of rows are called, beside the plane.

/** The words at the ends of rows. @param {CanvasRenderingContext2D} pen @param {any} frame @param {number} size @param {(x: number) => number} px @param {(y: number) => number} py @param {string} colour */
export function drawPorts(pen, frame, size, px, py, colour) {
  if (!frame.ports || !frame.plane || size < 9) return;
  const [left, , right] = frame.plane, width = size * 1.9;
  pen.fillStyle = colour; pen.textBaseline = "middle";
  pen.font = `${Math.round(Math.min(size * 0.5, 14))}px ui-monospace, monospace`;
  frame.ports.forEach((/** @type {string[]} */ [into, out], /** @type {number} */ j) => {
    const y = py(frame.box[1] + j) + size / 2;
    pen.textAlign = "right"; pen.fillText(into, px(left - 1) - 3, y, width);
    pen.textAlign = "left"; pen.fillText(out, px(right + 1) + size * 0.3 + 6, y, width);
  });
}
