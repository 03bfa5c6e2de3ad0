// @ts-check
// Drawing the plane on a canvas: only what can be seen, and only when something has changed.
import { selection } from "./edit.js";
import { drawEdges, drawHeat, drawRulers } from "./layers.js";
import { BESIDE, drawPorts } from "./ports.js";
import { isDark } from "./theme.js";
import { Tiles } from "./tiles.js";

export const WALKERS = ["#2f7de1", "#d9822b", "#2ca067", "#b45bcf", "#d64550", "#1c9ba8", "#8a7f1c", "#7a6ff0"];
export const GROUPS = {
  light: { literal: "#0b6e4f", arithmetic: "#1a5fd0", logic: "#1a5fd0", stack: "#6b4fbb", memory: "#8a3fa0", motion: "#b45309", branch: "#b42318", mode: "#3b5b92", walkers: "#a3195b", input_output: "#0f766e", vector: "#1a5fd0", matrix: "#1a5fd0", end: "#b42318", nothing: "#7c8794" },
  dark: { literal: "#6fd6ac", arithmetic: "#8ab8ff", logic: "#8ab8ff", stack: "#c3b0ff", memory: "#e0a6f0", motion: "#f3b36b", branch: "#ff9189", mode: "#9fc0f5", walkers: "#ff9ccb", input_output: "#6fdccf", vector: "#8ab8ff", matrix: "#8ab8ff", end: "#ff9189", nothing: "#7f8a98" },
};

/** Pixels of a cell where it is seen from far away. */
const LEAST = 1 / 512;
/** Pixels of the small map at most, and along each side at least. */
const MAP = [132, 96], LEAST_MAP = 8;
/** Pixels of the ruler at the left. */
const RULER = 32;
/** Where the plane is narrower, names of its rows are all that has room beside it. */
const NARROW = 600;
/** Pixels that tools take below. */
const BELOW = 40;

export class Grid {
  /** @param {HTMLCanvasElement} canvas @param {HTMLCanvasElement} map */
  constructor(canvas, map) {
    this.canvas = canvas; this.map = map;
    this.size = this.exact = 22; this.left = -1; this.top = -1;
    /** @type {Set<string>} */
    this.breaks = new Set();
    /** How many frames ago walkers were in cells, and which walker. @type {Map<string, [number, number]>} */
    this.trail = new Map();
    this.tiles = new Tiles();
    this.trails = true; this.coloured = false;
    /** Whether rows have words beside them, and columns above and below, which need room. */
    this.ported = [false, false];
    /** @type {Map<string, any> | null} */
    this.heat = null;
    /** @type {Record<string, string>} */
    this.edges = {};
    /** @type {import("./layers.js").Chart | null} */
    this.chart = null;
    this.unfinished = false;  // whether drawing it again would paint more of it
  }

  /** Another program is shown. */
  reset() { this.trail.clear(); this.tiles.clear(); this.heat = null; this.chart?.forget(); }

  /** Whether cells are too small to be seen one by one. */
  get isCoarse() { return this.size < 4 || this.columns > 480 || this.rows > 480; }

  /** Pixels of the ruler at the left, if it has room. */
  get ruler() { return this.ported[0] && this.canvas.clientWidth < NARROW ? 0 : RULER; }

  /** How many cells fit. */
  get columns() { return Math.ceil(this.canvas.clientWidth / this.size) + 1; }
  get rows() { return Math.ceil(this.canvas.clientHeight / this.size) + 1; }

  /** The box that is seen, with some room around it where that costs little. @param {number} [room] */
  box(room = 0) {
    const left = Math.floor(this.left), top = Math.floor(this.top);
    const most = this.isCoarse ? 1e6 : 500;  // walkers alone cost little
    const wide = Math.min(this.columns, most), high = Math.min(this.rows, most);
    const dx = Math.round(Math.min(wide * room, most - wide)) >> 1, dy = Math.round(Math.min(high * room, most - high)) >> 1;
    return [left - dx, top - dy, left + wide + dx, top + high + dy];
  }

  /** The cell under a point of the page. @param {number} px @param {number} py */
  cellAt(px, py) {
    const box = this.canvas.getBoundingClientRect();
    return { x: Math.floor(this.left + (px - box.left) / this.size), y: Math.floor(this.top + (py - box.top) / this.size) };
  }

  /** Show a box with some room around it. Letters that would be too small to read are `least`
   * pixels high, and only a part is shown; none are higher than `most`.
   * @param {number[] | null} plane @param {number} [least] @param {number} [most] */
  fit(plane, least = 0, most = 40) {
    const [left, top, right, bottom] = plane ?? [0, 0, 20, 10];
    const width = right - left + 3, height = bottom - top + 3, wide = this.canvas.clientWidth, high = this.canvas.clientHeight;
    const [beside, above] = this.ported.map((named) => named ? BESIDE : 0);
    const room = Math.min((wide - 40 - 2 * beside) / width, (high - 30 - BELOW - 2 * above) / height);
    this.size = this.exact = room < 4 && !least ? Math.max(room, LEAST) : Math.min(most, Math.max(Math.floor(room), least));
    this.left = left - Math.max((wide / this.size - width + 2) / 2, (this.ruler + beside) / this.size + 1);
    this.top = top - Math.max(((high - BELOW) / this.size - height + 2) / 2, (18 + above) / this.size + 1);
  }

  /** Show as much of a box around a cell as there is room for: all of it if that has room. The cell
   * stays in the inner half. @param {number[]} plane @param {number} x @param {number} y */
  follow([left, top, right, bottom], x, y) {
    const [beside, above] = this.ported.map((named) => named ? BESIDE / this.size : 0);
    this.left = kept(this.left, this.canvas.clientWidth / this.size, left - 1 - RULER / this.size - beside, right + 2 + beside, x);
    this.top = kept(this.top, this.canvas.clientHeight / this.size, top - 1 - 18 / this.size - above, bottom + 2 + above, y);
  }

  /** Larger or smaller around a point. @param {number} factor @param {number} px @param {number} py */
  zoom(factor, px, py) {
    const box = this.canvas.getBoundingClientRect();
    const x = this.left + (px - box.left) / this.size, y = this.top + (py - box.top) / this.size;
    // Whole pixels keep tiles sharp; what was asked for is kept, so that small steps add up.
    this.exact = Math.max(LEAST, Math.min(64, (Math.abs(this.exact - this.size) < 1 ? this.exact : this.size) * factor));
    this.size = this.exact < 4 ? this.exact : Math.round(this.exact);
    this.left = x - (px - box.left) / this.size;
    this.top = y - (py - box.top) / this.size;
  }

  /** Bring a cell into view; says whether the view moved. @param {number} x @param {number} y */
  reveal(x, y) {
    const wide = this.canvas.clientWidth / this.size, high = this.canvas.clientHeight / this.size;
    const before = [this.left, this.top];
    // Who waits beside the first column is seen where everything fits.
    const hidden = Math.min(1, RULER / this.size - 0.01);
    if (x < this.left + hidden || x > this.left + wide - 2) this.left = x - wide / 2;
    if (y < this.top + 1 || y > this.top + high - 2) this.top = y - high / 2;
    return before[0] !== this.left || before[1] !== this.top;
  }

  /** @param {any} state */
  draw(state) {
    const { canvas } = this, ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
    }
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
    const style = getComputedStyle(document.documentElement);
    const dark = isDark();
    const colours = /** @type {Record<string, string>} */ (dark ? GROUPS.dark : GROUPS.light);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = style.getPropertyValue("--paper"); pen.fillRect(0, 0, width, height);
    const frame = state.frame;
    canvas.dataset.view = frame ? `${this.left} ${this.top} ${this.size}` : "";  // the first picture chooses where one looks
    canvas.dataset.plane = frame?.plane?.join(" ") ?? "";
    if (!frame) return;
    const size = this.size;
    const px = (/** @type {number} */ x) => (x - this.left) * size, py = (/** @type {number} */ y) => (y - this.top) * size;
    if (frame.plane) {
      const [left, top, right, bottom] = frame.plane;
      pen.fillStyle = groundOf(style, this.coloured);
      pen.fillRect(px(left), py(top), (right - left + 1) * size, (bottom - top + 1) * size);
      if (size >= 12) this.lines(pen, this.coloured ? "#0000003a" : style.getPropertyValue("--edge"), frame.plane, width, height);
    }
    const view = {
      left: this.left, top: this.top, size, width, height, ratio, colours, theme: dark ? "dark" : "light",
      accent: style.getPropertyValue("--accent"), faint: style.getPropertyValue("--faint"), warm: style.getPropertyValue("--warm"), paper: style.getPropertyValue("--paper"),
    };
    if (this.heat && !this.coloured) drawHeat(pen, this.heat, view, false);
    this.tiles.take(frame);
    if (this.isCoarse && this.chart?.draw(pen, px, py, size)) this.unfinished = false;
    else this.unfinished = this.tiles.draw(pen, frame.looks, view);
    if (this.heat && this.coloured) drawHeat(pen, this.heat, view, true);
    if (frame.plane) drawEdges(pen, frame.plane, this.edges, view);
    drawPorts(pen, frame, size, px, py, view.faint);
    if (this.trails) this.footprints(pen, px, py);
    this.marks(pen, state, px, py, style.getPropertyValue("--ground"));
    this.cursor(pen, state, px, py, style.getPropertyValue("--accent"));
    this.plans(pen, state, px, py, style.getPropertyValue("--accent"));
    if (frame.plane) drawRulers(pen, view, frame.plane, this.ruler > 0);
    this.overview(state, style);
  }

  /** Where something comes from: cells with an edge all round, what computed with one below. @param {CanvasRenderingContext2D} pen @param {any} state @param {(x: number) => number} px @param {(y: number) => number} py */
  lights(pen, state, px, py) {
    const size = this.size;
    for (const [x, y, kind] of state.causes?.places ?? []) {
      pen.fillStyle = "#ffb020"; pen.globalAlpha = 0.35;
      pen.fillRect(px(x), py(y), size, size);
      pen.globalAlpha = 1; pen.strokeStyle = pen.fillStyle = "#e08600"; pen.lineWidth = Math.max(1.5, size / 10);
      if (kind === "cell") pen.strokeRect(px(x) + 1, py(y) + 1, size - 2, size - 2);
      else pen.fillRect(px(x), py(y) + size * 0.86, size, size * 0.14);
    }
  }

  /** What is about to be painted or moved. @param {CanvasRenderingContext2D} pen @param {any} state @param {(x: number) => number} px @param {(y: number) => number} py @param {string} accent */
  plans(pen, state, px, py, accent) {
    pen.fillStyle = pen.strokeStyle = accent;
    pen.globalAlpha = 0.45;
    for (const { x, y } of state.sketch ?? []) pen.fillRect(px(x), py(y), this.size, this.size);
    pen.globalAlpha = 1;
    this.lights(pen, state, px, py);
    if (!state.ghost) return;
    const { left, top, right, bottom } = state.ghost;
    pen.setLineDash([5, 4]); pen.lineWidth = 2;
    pen.strokeRect(px(left), py(top), (right - left + 1) * this.size, (bottom - top + 1) * this.size);
    pen.setLineDash([]);
  }

  /** Lines between the cells of the plane. @param {CanvasRenderingContext2D} pen @param {string} colour @param {number[]} plane @param {number} width @param {number} height */
  lines(pen, colour, plane, width, height) {
    const { size } = this, line = (/** @type {number} */ at) => Math.round(at * size) + 0.5;
    const [left, top, right, bottom] = [plane[0] - this.left, plane[1] - this.top, plane[2] + 1 - this.left, plane[3] + 1 - this.top];
    const x0 = Math.max(line(left), 0), x1 = Math.min(line(right), width), y0 = Math.max(line(top), 0), y1 = Math.min(line(bottom), height);
    pen.strokeStyle = colour; pen.globalAlpha = 0.6; pen.lineWidth = 1; pen.beginPath();
    for (let x = left + Math.max(0, Math.ceil(-left)); x <= right && x * size < width; x++) { pen.moveTo(line(x), y0); pen.lineTo(line(x), y1); }
    for (let y = top + Math.max(0, Math.ceil(-top)); y <= bottom && y * size < height; y++) { pen.moveTo(x0, line(y)); pen.lineTo(x1, line(y)); }
    pen.stroke(); pen.globalAlpha = 1;
  }

  /** Where walkers were. @param {CanvasRenderingContext2D} pen @param {(x: number) => number} px @param {(y: number) => number} py */
  footprints(pen, px, py) {
    for (const [place, [age, number]] of this.trail) {
      const [x, y] = place.split(",").map(Number), inset = this.size * (0.1 + age / 80), wide = this.size - 2 * inset;
      pen.globalAlpha = (this.coloured ? 0.85 : 0.35) * (1 - age / 24);
      pen.fillStyle = pen.strokeStyle = WALKERS[number % WALKERS.length];
      if (!this.coloured) { pen.fillRect(px(x) + inset, py(y) + inset, wide, wide); continue; }
      pen.lineWidth = Math.max(1, this.size / 14);  // a frame leaves the colour of the cell as it is
      pen.strokeRect(px(x) + inset, py(y) + inset, wide, wide);
    }
    pen.globalAlpha = 1;
  }

  /** Age the trail, and add where walkers are now. @param {any} frame */
  remember(frame) {
    for (const [place, [age, number]] of this.trail) age > 22 ? this.trail.delete(place) : this.trail.set(place, [age + 1, number]);
    for (const [number, x, y] of (frame?.walkers ?? []).slice(0, 200)) this.trail.set(`${x},${y}`, [0, number]);
  }

  /** Breakpoints, hands and walkers. @param {CanvasRenderingContext2D} pen @param {any} state @param {(x: number) => number} px @param {(y: number) => number} py @param {string} ground */
  marks(pen, state, px, py, ground) {
    const size = this.size;
    pen.fillStyle = "#d1242f";
    for (const place of this.breaks) {
      const [x, y] = place.split(",").map(Number);
      pen.beginPath(); pen.arc(px(x) + size * 0.16, py(y) + size * 0.16, Math.max(2, size * 0.14), 0, 7); pen.fill();
    }
    for (const [number, x, y, dx, dy, , , hand] of state.frame.walkers) {
      const colour = WALKERS[number % WALKERS.length];
      if (hand) {
        pen.strokeStyle = colour; pen.lineWidth = Math.max(1.5, size / 11);
        const left = px(hand[0]), top = py(hand[1]), c = size * 0.3;
        pen.beginPath();
        pen.moveTo(left + c, top + 1); pen.lineTo(left + 1, top + 1); pen.lineTo(left + 1, top + size - 1); pen.lineTo(left + c, top + size - 1);
        pen.moveTo(left + size - c, top + 1); pen.lineTo(left + size - 1, top + 1); pen.lineTo(left + size - 1, top + size - 1); pen.lineTo(left + size - c, top + size - 1);
        pen.stroke();
      }
      this.walker(pen, px(x), py(y), dx, dy, colour, ground);
    }
  }

  /** A cell with an arrow that points the way, to be seen on any colour. @param {CanvasRenderingContext2D} pen @param {number} left @param {number} top @param {number} dx @param {number} dy @param {string} colour @param {string} ground */
  walker(pen, left, top, dx, dy, colour, ground) {
    const { size } = this, cx = left + size / 2, cy = top + size / 2, r = Math.max(3, size * 0.46);
    const length = Math.hypot(dx, dy) || 1, ux = dx / length, uy = dy / length, width = Math.max(1.5, size / 12);
    pen.globalAlpha = 0.32; pen.fillStyle = colour; pen.fillRect(left, top, size, size); pen.globalAlpha = 1;
    const arrow = new Path2D();
    arrow.moveTo(cx + ux * r * 1.3, cy + uy * r * 1.3);
    arrow.lineTo(cx + ux * r * 0.7 - uy * r * 0.5, cy + uy * r * 0.7 + ux * r * 0.5);
    arrow.lineTo(cx + ux * r * 0.7 + uy * r * 0.5, cy + uy * r * 0.7 - ux * r * 0.5);
    arrow.closePath();
    if (size > 10) { pen.strokeStyle = ground; pen.lineWidth = width + 3; pen.strokeRect(left + 1, top + 1, size - 2, size - 2); pen.stroke(arrow); }
    pen.strokeStyle = colour; pen.lineWidth = width; pen.strokeRect(left + 1, top + 1, size - 2, size - 2);
    pen.fillStyle = colour; pen.fill(arrow);
  }

  /** @param {CanvasRenderingContext2D} pen @param {any} state @param {(x: number) => number} px @param {(y: number) => number} py @param {string} accent */
  cursor(pen, state, px, py, accent) {
    const { left, top, right, bottom } = selection(state), size = this.size;
    pen.strokeStyle = accent; pen.lineWidth = 2; pen.setLineDash(document.activeElement === this.canvas ? [] : [3, 3]);
    pen.strokeRect(px(left) + 1, py(top) + 1, (right - left + 1) * size - 2, (bottom - top + 1) * size - 2);
    pen.setLineDash([]);
    if (state.anchor) { pen.globalAlpha = 0.12; pen.fillStyle = accent; pen.fillRect(px(left), py(top), (right - left + 1) * size, (bottom - top + 1) * size); pen.globalAlpha = 1; }
  }

  /** The cell that a point of the small map stands for. @param {number} px @param {number} py @param {number[]} plane */
  mapped(px, py, [left, top, right, bottom]) {
    const box = this.map.getBoundingClientRect(), across = (this.map.width - 8) / (right - left + 1), down = (this.map.height - 8) / (bottom - top + 1);
    return { x: left + (px - box.left - 5) / across, y: top + (py - box.top - 5) / down };
  }

  /** Put a cell into the middle. @param {number} x @param {number} y */
  centre(x, y) {
    this.left = x - this.canvas.clientWidth / this.size / 2;
    this.top = y - this.canvas.clientHeight / this.size / 2;
  }

  /** The whole plane in small, with the part that is seen. @param {any} state @param {CSSStyleDeclaration} style */
  overview(state, style) {
    const pen = /** @type {CanvasRenderingContext2D} */ (this.map.getContext("2d")), frame = state.frame;
    if (!frame?.plane) { this.map.hidden = true; return; }
    const [left, top, right, bottom] = frame.plane, columns = right - left + 1, rows = bottom - top + 1, scale = Math.min(MAP[0] / columns, MAP[1] / rows);
    const width = Math.max(LEAST_MAP, columns * scale), height = Math.max(LEAST_MAP, rows * scale);
    const wide = this.canvas.clientWidth / this.size, high = this.canvas.clientHeight / this.size;
    this.map.hidden = this.left <= left && this.top <= top && this.left + wide > right && this.top + high > bottom;  // nothing of it is out of sight
    this.map.width = Math.round(width) + 8; this.map.height = Math.round(height) + 8;  // that clears it
    pen.setTransform(width / columns / scale, 0, 0, height / rows / scale, 4, 4);  // of lines it shows stripes
    const mx = (/** @type {number} */ x) => (x - left) * scale, my = (/** @type {number} */ y) => (y - top) * scale;
    pen.fillStyle = groundOf(style, this.coloured);
    pen.fillRect(0, 0, columns * scale, rows * scale);
    this.chart?.draw(pen, mx, my, scale);
    pen.setTransform(1, 0, 0, 1, 4, 4);
    const across = width / columns, down = height / rows;
    for (const walker of frame.walkers) { pen.fillStyle = WALKERS[walker[0] % WALKERS.length]; pen.fillRect((walker[1] - left) * across - 1, (walker[2] - top) * down - 1, Math.max(3, across), Math.max(3, down)); }
    const x0 = Math.max(-2, (this.left - left) * across), y0 = Math.max(-2, (this.top - top) * down);
    pen.strokeStyle = style.getPropertyValue("--accent"); pen.lineWidth = 1.5;
    pen.strokeRect(x0, y0, Math.min(width + 2, (this.left + wide - left) * across) - x0, Math.min(height + 2, (this.top + high - top) * down) - y0);
  }
}

/** What cells stand on. Boards of colours are white where they are empty, as their bitmaps are; in the dark theme slate
 * stands for that white: it is told apart from what lies around the board and from black, which is a colour of its own.
 * @param {CSSStyleDeclaration} style @param {boolean} coloured */
export function groundOf(style, coloured) { return style.getPropertyValue(coloured ? "--board" : "--ground"); }

/** Where a view of some length begins: what goes from `first` to `last` is in its middle if all of it is
 * seen, else `place` is in the inner half.
 * @param {number} edge @param {number} length @param {number} first @param {number} last @param {number} place */
export function kept(edge, length, first, last, place) {
  if (last - first <= length) return (first + last - length) / 2;
  const wanted = Math.max(place + 0.5 - length * 0.75, Math.min(edge, place + 0.5 - length / 4));
  return Math.max(first, Math.min(last - length, wanted));
}
