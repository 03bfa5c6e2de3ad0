// @ts-check
// The cells of the plane as tiles that are painted once and then only moved: panning costs little.

const SIDE = 16;
const MOST_TILES = 3000;
const FAR = 2 ** 20;
/** The colour that is not painted: the ground shows it in each theme's way. */
export const WHITE = "#ffffff";

/** @typedef {{x: number, y: number, looks: Int32Array, canvas: OffscreenCanvas | null, scale: string, drawn: number}} Tile */

export class Tiles {
  constructor() {
    /** @type {Map<number, Tile>} */
    this.tiles = new Map();
    /** @type {string[]} */
    this.looks = [];
    /** @type {number[][] | null} */
    this.rows = null;
    this.box = "";
    this.turn = 0;
  }

  clear() { this.tiles.clear(); this.looks = []; this.rows = null; this.box = ""; }

  /** Take over the cells of a frame. @param {any} frame */
  take(frame) {
    if (frame.rows === this.rows) return;
    if (this.looks.some((look, at) => String(frame.looks[at]) !== look)) this.clear();
    for (const look of frame.looks.slice(this.looks.length)) this.looks.push(String(look));
    const box = String(frame.box), same = box === this.box;
    frame.rows.forEach((/** @type {number[]} */ row, /** @type {number} */ at) => {
      if (!same || this.rows?.[at] !== row) this.takeRow(frame.box[0], frame.box[1] + at, row);
    });
    if (!same) this.drop(frame.box);
    this.rows = frame.rows;
    this.box = box;
  }

  /** @param {number} left @param {number} y @param {number[]} row */
  takeRow(left, y, row) {
    const ty = Math.floor(y / SIDE), line = (y - ty * SIDE) * SIDE;
    for (let at = 0; at < row.length;) {
      const tx = Math.floor((left + at) / SIDE), tile = this.tile(tx, ty), begin = left + at - tx * SIDE;
      const end = Math.min(SIDE, begin + row.length - at);
      for (let i = begin; i < end; i++, at++) {
        if (tile.looks[line + i] !== row[at]) { tile.looks[line + i] = row[at]; tile.scale = ""; }
      }
    }
  }

  /** @param {number} x @param {number} y */
  tile(x, y) {
    const key = (x + FAR) * 2 * FAR + y + FAR;
    let found = this.tiles.get(key);
    if (!found) {
      found = { x, y, looks: new Int32Array(SIDE * SIDE).fill(-1), canvas: null, scale: "", drawn: 0 };
      this.tiles.set(key, found);
    }
    return found;
  }

  /** Forget what lies outside: it may change while nobody looks. @param {number[]} box */
  drop([left, top, right, bottom]) {
    for (const [key, { x, y }] of this.tiles) {
      if ((x + 1) * SIDE <= left || x * SIDE > right || (y + 1) * SIDE <= top || y * SIDE > bottom) this.tiles.delete(key);
    }
  }

  /** Draw what can be seen; says whether some of it is still to be painted.
   * @param {CanvasRenderingContext2D} pen @param {any[]} looks
   * @param {{left: number, top: number, size: number, width: number, height: number, ratio: number, colours: Record<string, string>, theme: string}} view */
  draw(pen, looks, view) {
    const { left, top, size, width, height, ratio } = view;
    const until = performance.now() + 8, scale = `${size} ${ratio} ${view.theme}`;
    let waiting = false;
    this.turn++;
    for (let ty = Math.floor(top / SIDE); (ty * SIDE - top) * size < height; ty++) {
      for (let tx = Math.floor(left / SIDE); (tx * SIDE - left) * size < width; tx++) {
        const tile = this.tiles.get((tx + FAR) * 2 * FAR + ty + FAR);
        if (!tile) continue;
        if (tile.scale !== scale && (performance.now() < until || !tile.canvas)) this.paint(tile, looks, view, scale);
        waiting ||= tile.scale !== scale;
        tile.drawn = this.turn;
        const x = Math.round((tx * SIDE - left) * size * ratio) / ratio, y = Math.round((ty * SIDE - top) * size * ratio) / ratio;
        if (tile.canvas) pen.drawImage(tile.canvas, x, y, SIDE * size, SIDE * size);
      }
    }
    if (this.tiles.size > MOST_TILES) for (const tile of this.tiles.values()) if (tile.drawn < this.turn) tile.canvas = null;
    return waiting;
  }

  /** @param {Tile} tile @param {any[]} looks @param {any} view @param {string} scale */
  paint(tile, looks, view, scale) {
    const side = Math.ceil(SIDE * view.size * view.ratio);
    tile.canvas = tile.canvas?.width === side ? tile.canvas : new OffscreenCanvas(side, side);
    const pen = /** @type {any} */ (tile.canvas.getContext("2d"));
    pen.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
    pen.clearRect(0, 0, side, side);
    paintCells(pen, looks, view.size, view.colours, function* () {
      for (let at = 0; at < tile.looks.length; at++) {
        if (tile.looks[at] >= 0) yield [at % SIDE, Math.floor(at / SIDE), tile.looks[at]];
      }
    }());
    tile.scale = scale;
  }
}

/** Paint cells; those that have no room for a letter are dots.
 * @param {CanvasRenderingContext2D} pen @param {any[]} looks @param {number} size @param {Record<string, string>} colours @param {Iterable<number[]>} cells */
export function paintCells(pen, looks, size, colours, cells) {
  pen.font = `${Math.round(size * 0.68)}px ui-monospace, monospace`;
  pen.textAlign = "center"; pen.textBaseline = "middle";
  for (const [i, j, look] of cells) {
    const [text, group, fill] = looks[look], x = i * size, y = j * size;
    if (fill && fill !== WHITE) { pen.fillStyle = fill; pen.fillRect(x, y, size, size); }
    if (!text) continue;
    pen.fillStyle = fill ? contrast(fill) : colours[group] ?? colours.nothing;
    if (size < 7) pen.fillRect(x + size * 0.2, y + size * 0.2, size * 0.6, size * 0.6);
    else pen.fillText(text, x + size / 2, y + size / 2 + 1, size);
  }
}

/** Black or white, whichever can be read. @param {string} fill */
function contrast(fill) {
  const value = parseInt(fill.slice(1), 16);
  return (299 * (value >> 16) + 587 * ((value >> 8) & 255) + 114 * (value & 255)) > 140000 ? "#000" : "#fff";
}
