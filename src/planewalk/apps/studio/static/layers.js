// @ts-check
// What lies below and above the cells: heat, edges, rulers, and the map of the whole plane.
import { isDark } from "./theme.js";

/** @typedef {{left: number, top: number, size: number, width: number, height: number, accent: string, faint: string, warm: string, paper: string}} View */

/** Heat by cell, from what the server counted. @param {any[]} cells */
export function heatOf(cells) {
  /** @type {Map<string, {x: number, y: number, times: number, ways: number[][]}>} */
  const found = new Map();
  for (const [x, y, dx, dy, times] of cells) {
    const key = `${x},${y}`, cell = found.get(key) ?? { x, y, times: 0, ways: /** @type {number[][]} */ ([]) };
    cell.times += times;
    cell.ways.push([dx, dy, times]);
    found.set(key, cell);
  }
  return found;
}

/** Warm grounds; with room also how often, and which way walkers went.
 * @param {CanvasRenderingContext2D} pen @param {Map<string, any>} heat @param {View} view @param {boolean} above */
export function drawHeat(pen, heat, view, above) {
  let most = 1;
  for (const cell of heat.values()) most = Math.max(most, cell.times);
  const { size } = view;
  for (const { x, y, times, ways } of heat.values()) {
    const left = (x - view.left) * size, top = (y - view.top) * size;
    if (left < -size || top < -size || left > view.width || top > view.height) continue;
    const share = Math.log1p(times) / Math.log1p(most);
    pen.globalAlpha = (above ? 0.15 : 0.1) + (above ? 0.5 : 0.6) * share;
    pen.fillStyle = "#e8912d";
    pen.fillRect(left, top, size, size);
    if (size < 14) continue;
    pen.fillStyle = view.warm;
    for (const [dx, dy, times_] of ways) chevron(pen, left + size / 2, top + size / 2, dx, dy, size, 0.35 + 0.65 * times_ / times);
    if (size >= 26) {
      pen.globalAlpha = 0.9;
      pen.font = `${Math.round(size * 0.26)}px ui-monospace, monospace`;
      pen.textAlign = "right"; pen.textBaseline = "bottom";
      pen.fillText(short(times), left + size - 2, top + size - 1);
    }
  }
  pen.globalAlpha = 1;
}

/** A small arrow at the edge by which walkers leave that way.
 * @param {CanvasRenderingContext2D} pen @param {number} cx @param {number} cy @param {number} dx @param {number} dy @param {number} size @param {number} alpha */
function chevron(pen, cx, cy, dx, dy, size, alpha) {
  const length = Math.hypot(dx, dy);
  if (!length) return;
  const ux = dx / length, uy = dy / length, tip = size * 0.49, base = size * 0.36, wide = size * 0.11;
  pen.globalAlpha = alpha;
  pen.beginPath();
  pen.moveTo(cx + ux * tip, cy + uy * tip);
  pen.lineTo(cx + ux * base - uy * wide, cy + uy * base + ux * wide);
  pen.lineTo(cx + ux * base + uy * wide, cy + uy * base - ux * wide);
  pen.fill();
}

/** A number in little room. @param {number} value */
export function short(value) {
  if (value < 1000) return String(value);
  const power = Math.min(3, Math.floor(Math.log10(value) / 3));
  return `${(value / 1000 ** power).toPrecision(2).replace(/\.0$/, "")}${["", "k", "M", "G"][power]}`;
}

/** In words what the edges of a plane make of it. @param {Record<string, string>} edges */
export function topology(edges) {
  const { right, left, up, down } = edges, sides = [right, left, up, down];
  if (!right) return "";
  if (sides.every((side) => side === "joined")) return "torus: all edges joined";
  if (right === "joined" && left === "joined") return "cylinder: left, right joined";
  if (up === "joined" && down === "joined") return "cylinder: top, bottom joined";
  return sides.every((side) => side === "out") ? "board: edges lead out" : "open plane: it goes on";
}

/** Lines along the edges: dashed with arrows where they are joined, ports where they lead out.
 * @param {CanvasRenderingContext2D} pen @param {number[]} plane @param {Record<string, string>} edges @param {View} view */
export function drawEdges(pen, plane, edges, view) {
  const { size } = view, [left, top, right, bottom] = plane;
  const x0 = (left - view.left) * size, y0 = (top - view.top) * size, x1 = (right + 1 - view.left) * size, y1 = (bottom + 1 - view.top) * size;
  const sides = /** @type {[string, number, number, number, number, number, number][]} */ ([["left", x0, y0, x0, y1, -1, 0], ["right", x1, y0, x1, y1, 1, 0], ["up", x0, y0, x1, y0, 0, -1], ["down", x0, y1, x1, y1, 0, 1]]);
  for (const [name, ax, ay, bx, by, dx, dy] of sides) {
    const kind = edges[name];
    if (!kind || kind === "on") continue;
    const joined = kind === "joined";
    pen.strokeStyle = pen.fillStyle = joined ? view.accent : view.warm;
    pen.lineWidth = 1.5;
    pen.setLineDash(joined ? [5, 4] : []);
    pen.beginPath(); pen.moveTo(ax, ay); pen.lineTo(bx, by); pen.stroke();
    pen.setLineDash([]);
    if (joined) chevron(pen, (ax + bx) / 2, (ay + by) / 2, dx, dy, Math.max(size, 22), 0.9);
    else if (size >= 10 && dx) ports(pen, ax, ay, dx, size, bottom - top + 1, view);
  }
  pen.globalAlpha = 1;
}

/** Short lines where rows come in and go out.
 * @param {CanvasRenderingContext2D} pen @param {number} x @param {number} y @param {number} dx @param {number} size @param {number} rows @param {View} view */
function ports(pen, x, y, dx, size, rows, view) {
  const first = Math.max(0, Math.floor(-y / size)), last = Math.min(rows, Math.ceil((view.height - y) / size));
  pen.beginPath();
  for (let row = first; row < last; row++) { const at = y + (row + 0.5) * size; pen.moveTo(x, at); pen.lineTo(x + dx * size * 0.3, at); }
  pen.stroke();
}

/** Numbers of the columns of a plane, and of its rows. @param {CanvasRenderingContext2D} pen @param {View} view @param {number[]} plane @param {boolean} rows */
export function drawRulers(pen, view, plane, rows) {
  const { size, left, top, width, height } = view;
  if (size < 9) return;
  const every = size >= 26 ? 1 : size >= 14 ? 5 : 10, first = (/** @type {number} */ edge, /** @type {number} */ seen) => Math.ceil(Math.max(edge, seen) / every) * every;
  pen.fillStyle = view.paper; pen.globalAlpha = 0.85;
  if (top > plane[1]) pen.fillRect(0, 0, width, 15);  // what lies below has to be told apart
  if (rows && left > plane[0]) pen.fillRect(0, 15, 30, height);
  pen.globalAlpha = 1; pen.fillStyle = view.faint;
  pen.font = "11px ui-monospace, monospace"; pen.textBaseline = "middle"; pen.textAlign = "center";
  for (let x = first(plane[0], left); x <= plane[2] && (x - left) * size < width; x += every) if ((x - left + 0.5) * size > 34) pen.fillText(String(x), (x - left + 0.5) * size, 8);
  pen.textAlign = "right";
  for (let y = first(plane[1], top); rows && y <= plane[3] && (y - top) * size < height; y += every) if ((y - top + 0.5) * size > 20) pen.fillText(String(y), 27, (y - top + 0.5) * size);
}

/** The picture of the whole plane, which the server makes when asked. */
export class Chart {
  /** @param {(message: any) => void} say @param {() => void} changed */
  constructor(say, changed) {
    this.say = say; this.changed = changed;
    /** @type {HTMLImageElement | null} */
    this.image = null;
    /** @type {number[]} */
    this.box = [];
    this.made = ""; this.text = ""; this.asked = false; this.last = -Infinity;
    /** Whether it will be asked for later: nothing else may change until then. */
    this.later = false;
    /** Milliseconds that the last one took: what takes long is seldom asked for. */
    this.took = 0;
    /** @type {Map<number, OffscreenCanvas>} */
    this.scaled = new Map();
  }

  /** Ask for another picture if this one is of something else. @param {string} what @param {string} text @param {boolean} pressing */
  want(what, text, pressing) {
    const now = performance.now();
    if (this.asked || (what === this.made && text === this.text)) return;
    const rest = this.last + Math.max(pressing ? 500 : 2500, 10 * this.took) - now;
    if (rest > 0) { this.remind(rest); return; }
    this.asked = true; this.last = now; this.made = what; this.text = text;
    this.say({ do: "map", dark: isDark() });
  }

  /** Look again when it may be asked for. @param {number} rest */
  remind(rest) {
    if (this.later) return;
    this.later = true;
    setTimeout(() => { this.later = false; this.changed(); }, rest);
  }

  forget() { this.image = null; this.scaled.clear(); this.made = ""; this.last = -Infinity; this.took = 0; this.asked = false; }

  /** @param {any} message */
  hear(message) {
    if (message.map === undefined) return;
    this.asked = false; this.took = performance.now() - this.last;
    if (!message.map) { this.image = null; return; }
    const image = new Image(), { box } = message.map;
    image.onload = () => { this.image = image; this.scaled.clear(); this.box = box; this.changed(); };
    image.src = `data:image/png;base64,${message.map.picture}`;
  }

  /** @param {CanvasRenderingContext2D} pen @param {(x: number) => number} px @param {(y: number) => number} py @param {number} size */
  draw(pen, px, py, size) {
    if (!this.image) return false;
    const [left, top, right, bottom] = this.box;
    const wide = (right - left + 1) * size, high = (bottom - top + 1) * size;
    pen.imageSmoothingEnabled = size < 1;
    if (Math.max(wide, high) > 4096) pen.drawImage(this.image, px(left), py(top), wide, high);
    else pen.drawImage(this.atSize(size, wide, high), Math.round(px(left)), Math.round(py(top)), wide, high);
    return true;
  }

  /** The picture as large as it is drawn, made once: moving it costs little then. @param {number} size @param {number} wide @param {number} high */
  atSize(size, wide, high) {
    let found = this.scaled.get(size);
    if (!found) {
      const ratio = Math.min(window.devicePixelRatio || 1, 4096 / Math.max(wide, high)), canvas = found = new OffscreenCanvas(Math.max(1, Math.round(wide * ratio)), Math.max(1, Math.round(high * ratio)));
      const pen = /** @type {any} */ (canvas.getContext("2d"));
      pen.imageSmoothingEnabled = size < 1;
      pen.drawImage(this.image, 0, 0, canvas.width, canvas.height);
      if (this.scaled.size > 3) this.scaled.clear();
      this.scaled.set(size, canvas);
    }
    return found;
  }
}
