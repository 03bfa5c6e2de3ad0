// @ts-check
// Editing a program as a grid of signs: pure functions of the state, which know no language. What a
// sign becomes when its block is turned, and where it leads, comes from the server.

/** @typedef {{x: number, y: number}} Place */
/** @typedef {{x: number, y: number, sign: string}} Put */
/** @typedef {Record<string, Record<string, number[]>>} Ways */

const KEPT = 300, MOST_KEPT = 5e7;
const LONG = /[\ud800-\udfff]/;

/** @type {{text: string, lines: string[]}} */
let last = { text: "", lines: [""] };

/** The lines of a text; those of the last one are remembered, since large programs are asked often. @param {string} text */
function linesOf(text) {
  if (last.text !== text) last = { text, lines: text.replace(/\n$/, "").split("\n") };
  return last.lines;
}

/** The signs of a line. @param {string} line */
const signsOf = (line) => LONG.test(line) ? Array.from(line) : line.split("");

/** How many signs a line has. @param {string | undefined} line */
const lengthOf = (line) => line === undefined ? 0 : LONG.test(line) ? Array.from(line).length : line.length;

/** The rows of a text. @param {string} text */
export function rowsOf(text) {
  return linesOf(text).map(signsOf);
}

/** @param {string[][]} rows */
const textOf = (rows) => rows.map((row) => row.join("")).join("\n");

/** The character at a place. @param {string} text @param {number} x @param {number} y @param {string} [blank] */
export function at(text, x, y, blank = " ") {
  const line = linesOf(text)[y] ?? "";
  return (LONG.test(line) ? Array.from(line) : line)[x] ?? blank;
}

/** Width and height of a text. @param {string} text */
export function sizeOf(text) {
  const lines = linesOf(text);
  return { width: lines.reduce((most, line) => Math.max(most, lengthOf(line)), 0), height: lines.length };
}

/** The text with some characters put into it. @param {string} text @param {Put[]} puts @param {string} [blank] */
export function put(text, puts, blank = " ") {
  const lines = linesOf(text).slice();
  /** @type {Map<number, string[]>} */
  const touched = new Map();
  for (const { x, y, sign } of puts) {
    if (x < 0 || y < 0) continue;
    while (lines.length <= y) lines.push("");
    const row = touched.get(y) ?? signsOf(lines[y]);
    touched.set(y, row);
    while (row.length < x) row.push(blank);
    row[x] = sign;
  }
  for (const [y, row] of touched) lines[y] = row.join("");
  return lines.join("\n");
}

/** The rectangle that is selected, or the cursor alone. @param {any} state */
export function selection(state) {
  const { cursor, anchor } = state;
  const other = anchor ?? cursor;
  return {
    left: Math.min(cursor.x, other.x), top: Math.min(cursor.y, other.y),
    right: Math.max(cursor.x, other.x), bottom: Math.max(cursor.y, other.y),
  };
}

/** The places of a box. @param {{left: number, top: number, right: number, bottom: number}} box */
function placesOf({ left, top, right, bottom }) {
  const places = [];
  for (let y = top; y <= bottom; y++) for (let x = left; x <= right; x++) places.push({ x, y });
  return places;
}

/** The signs of a box, row by row. @param {any} state @param {{left: number, top: number, right: number, bottom: number}} box */
function block(state, { left, top, right, bottom }) {
  const lines = linesOf(state.text), found = [];
  for (let y = top; y <= bottom; y++) {
    const row = signsOf(lines[y] ?? ""), line = [];
    for (let x = left; x <= right; x++) line.push(row[x] ?? state.blank);
    found.push(line);
  }
  return found;
}

/** What is selected, as lines. @param {any} state */
export function selectedText(state) {
  return textOf(block(state, selection(state)));
}

/** Select the whole program. @param {any} state */
export function allSelected(state) {
  const { width, height } = sizeOf(state.text);
  return { ...state, anchor: { x: 0, y: 0 }, cursor: { x: Math.max(width, 1) - 1, y: height - 1 } };
}

// Changing ----------------------------------------------------------------------------------------

/** The state with another text, which can be undone. @param {any} state @param {string} text */
export function edited(state, text) {
  if (text === state.text) return state;
  const { cursor, anchor } = state;
  const before = { text: state.text, cursor, anchor };
  const most = Math.max(Math.min(KEPT, Math.floor(MOST_KEPT / (text.length + 1))), 2);
  return { ...state, text, undo: [...state.undo.slice(1 - most), before], redo: [] };
}

/** @param {any} state @param {Put[]} puts */
export function painted(state, puts) {
  return edited(state, put(state.text, puts, state.blank));
}

/** @param {any} state @param {"undo"|"redo"} from @param {"undo"|"redo"} to */
function exchanged(state, from, to) {
  const last = state[from][state[from].length - 1];
  if (!last) return state;
  const { text, cursor, anchor } = state;
  return { ...state, ...last, [from]: state[from].slice(0, -1), [to]: [...state[to], { text, cursor, anchor }] };
}

/** Take back the last edit. @param {any} state */
export const undone = (state) => exchanged(state, "undo", "redo");

/** Do again what was undone. @param {any} state */
export const redone = (state) => exchanged(state, "redo", "undo");

/** What filling the selection would put; blanks never make the program larger. @param {any} state @param {string} sign @returns {Put[]} */
export function fillPuts(state, sign) {
  const lines = linesOf(state.text);
  const wanted = placesOf(selection(state)).filter(({ x, y }) => sign !== state.blank || x < lengthOf(lines[y]));
  return wanted.map((place) => ({ ...place, sign }));
}

/** Fill the selection with a sign. @param {any} state @param {string} sign */
export const filled = (state, sign) => painted(state, fillPuts(state, sign));

/** What pasting a block at the cursor would put. @param {any} state @param {string} text @returns {Put[]} */
export function pastePuts(state, text) {
  const { left, top } = selection(state);
  return rowsOf(text.replace(/\r/g, "")).flatMap((line, dy) => line.map((sign, dx) => ({ x: left + dx, y: top + dy, sign })));
}

/** Put a block of lines where the cursor is; it is selected then. @param {any} state @param {string} text */
export function pasted(state, text) {
  const { left, top } = selection(state), { width, height } = sizeOf(text.replace(/\r/g, ""));
  const next = painted(state, pastePuts(state, text));
  return { ...next, anchor: { x: left, y: top }, cursor: { x: left + Math.max(width, 1) - 1, y: top + height - 1 } };
}

/** The selection cleared. @param {any} state */
export const cleared = (state) => filled(state, state.blank);

/** The selected block somewhere else; a copy leaves it here as well. @param {any} state @param {number} dx @param {number} dy @param {boolean} [copy] */
export function carried(state, dx, dy, copy = false) {
  const box = selection(state);
  const signs = block(state, box);
  const by = { x: Math.max(dx, -box.left), y: Math.max(dy, -box.top) };
  const gone = copy ? [] : fillPuts(state, state.blank);
  const come = placesOf(box).map(({ x, y }) => ({ x: x + by.x, y: y + by.y, sign: signs[y - box.top][x - box.left] }));
  const next = painted(state, [...gone, ...come]);
  const shift = (/** @type {Place | null} */ place) => place && { x: place.x + by.x, y: place.y + by.y };
  return { ...next, cursor: shift(state.cursor), anchor: shift(state.anchor) };
}

/** Insert or delete as many rows or columns as are selected. @param {any} state @param {"row"|"column"} what @param {number} by */
export function lined(state, what, by) {
  const rows = rowsOf(state.text), { left, top, right, bottom } = selection(state);
  if (what === "row") by > 0 ? rows.splice(top, 0, ...placesOf({ left: 0, right: 0, top, bottom }).map(() => [])) : rows.splice(top, bottom - top + 1);
  else for (const row of rows) {
    if (row.length <= left) continue;
    const blanks = Array(right - left + 1).fill(state.blank);
    by > 0 ? row.splice(left, 0, ...blanks) : row.splice(left, blanks.length);
  }
  return edited(state, textOf(rows));
}

// Typing ------------------------------------------------------------------------------------------

/** Move the cursor; with `select`, the selection grows. @param {any} state @param {number} dx @param {number} dy @param {boolean} [select] */
export function moved(state, dx, dy, select = false) {
  const cursor = { x: Math.max(state.cursor.x + dx, 0), y: Math.max(state.cursor.y + dy, 0) };
  return { ...state, cursor, anchor: select ? state.anchor ?? state.cursor : null };
}

/** The places from the cursor on along the way that is typed in, to the edge of the text. @param {any} state */
function ahead(state) {
  const { width, height } = sizeOf(state.text), { dx, dy } = state.way, places = [];
  let { x, y } = state.cursor;
  while (x >= 0 && y >= 0 && x < width && y < height && (dx || dy)) {
    places.push({ x, y });
    x += dx; y += dy;
  }
  return places;
}

/** What stands ahead pushed on by one, or pulled back. @param {any} state @param {boolean} back @returns {Put[]} */
function shifted(state, back) {
  const places = ahead(state), { dx, dy } = state.way;
  const signs = places.map(({ x, y }) => at(state.text, x, y, state.blank));
  if (back) return places.map((place, i) => ({ ...place, sign: signs[i + 1] ?? state.blank }));
  return places.map(({ x, y }, i) => ({ x: x + dx, y: y + dy, sign: signs[i] }));
}

/** Type one sign, and go on the way that is typed in; where mirrors are followed, the way the sign
 * sends a walker. @param {any} state @param {string} sign @param {Ways} [ways] */
export function typed(state, sign, ways = {}) {
  const pushed = state.inserting ? shifted(state, false) : [];
  const next = painted(state, [...pushed, { ...state.cursor, sign }]);
  return wentOn(next, sign, ways);
}

/** The cursor after a sign. @param {any} state @param {string} sign @param {Ways} [ways] */
export function wentOn(state, sign, ways = {}) {
  const { dx, dy } = state.way;
  const led = state.mirrors ? ways[sign]?.[`${dx},${dy}`] : undefined;
  if (!led) return moved(state, dx, dy);
  return { ...moved(state, led[0], led[1]), way: { dx: led[2], dy: led[3] } };
}

/** Take back the sign behind the cursor. @param {any} state */
export function erased(state) {
  const back = moved(state, -state.way.dx, -state.way.dy);
  return painted(back, back.inserting ? shifted(back, true) : [{ ...back.cursor, sign: state.blank }]);
}

/** Take away the selection, or the sign at the cursor. @param {any} state */
export function deleted(state) {
  if (state.anchor || !state.inserting) return cleared(state);
  return painted(state, shifted(state, true));
}

/** The way that typing goes, turned to the next of the language's headings. @param {any} state @param {{dx: number, dy: number}[]} headings @param {number} by */
export function turnedWay(state, headings, by) {
  const angle = (/** @type {{dx: number, dy: number}} */ way) => Math.atan2(way.dy, way.dx);
  const round = [...headings].sort((a, b) => angle(a) - angle(b));
  const now = round.findIndex(({ dx, dy }) => dx === state.way.dx && dy === state.way.dy);
  const { dx, dy } = round[(now + by + round.length) % round.length];
  return { ...state, way: { dx, dy } };
}

/** An arrow for a way. @param {{dx: number, dy: number}} way */
export function arrow({ dx, dy }) {
  return "→↘↓↙←↖↑↗"[(Math.round(Math.atan2(dy, dx) * 4 / Math.PI) + 8) % 8];
}

// Turning -----------------------------------------------------------------------------------------

const TURNS = /** @type {Record<string, (x: number, y: number, w: number, h: number) => [number, number]>} */ ({
  clockwise: (x, y, w, h) => [h - 1 - y, x],
  counterclockwise: (x, y, w) => [y, w - 1 - x],
  half: (x, y, w, h) => [w - 1 - x, h - 1 - y],
  across: (x, y, w) => [w - 1 - x, y],
  down: (x, y, w, h) => [x, h - 1 - y],
});

/** The selected block rotated or mirrored, with the signs that mean the same then; it stays selected.
 * @param {any} state @param {string} how @param {Record<string, string>} signs */
export function turned(state, how, signs) {
  const box = selection(state), lines = block(state, box);
  const width = box.right - box.left + 1, height = box.bottom - box.top + 1;
  const come = placesOf(box).map(({ x, y }) => {
    const [toX, toY] = TURNS[how](x - box.left, y - box.top, width, height);
    const sign = lines[y - box.top][x - box.left];
    return { x: box.left + toX, y: box.top + toY, sign: signs[sign] ?? sign };
  });
  return turnedSelection(painted(state, [...fillPuts(state, state.blank), ...come]), how);
}

/** The selection as it lies once its block is turned. @param {any} state @param {string} how */
export function turnedSelection(state, how) {
  const { left, top, right, bottom } = selection(state), lies = how === "clockwise" || how === "counterclockwise";
  const last = lies ? { x: left + bottom - top, y: top + right - left } : { x: right, y: bottom };
  return { ...state, anchor: { x: left, y: top }, cursor: last };
}

/** The places of the selection whose sign has no equal once it is turned. @param {any} state @param {string} inexact */
export function unequal(state, inexact) {
  const box = selection(state), lines = block(state, box);
  return placesOf(box).filter(({ x, y }) => inexact.includes(lines[y - box.top][x - box.left]));
}

// Drawing -----------------------------------------------------------------------------------------

/** The places of a straight line. @param {Place} from @param {Place} to */
export function line(from, to) {
  const steps = Math.max(Math.abs(to.x - from.x), Math.abs(to.y - from.y));
  return Array.from({ length: steps + 1 }, (_, i) => ({
    x: Math.round(from.x + (to.x - from.x) * i / (steps || 1)), y: Math.round(from.y + (to.y - from.y) * i / (steps || 1)),
  }));
}

/** The places of the edge of a rectangle. @param {Place} from @param {Place} to */
export function rectangle(from, to) {
  const box = selection({ cursor: from, anchor: to });
  return placesOf(box).filter(({ x, y }) => x === box.left || x === box.right || y === box.top || y === box.bottom);
}

// Finding -----------------------------------------------------------------------------------------

/** All places where some signs stand in a row, in any of the headings. @param {string} text @param {string} words @param {{dx: number, dy: number}[]} headings */
export function places(text, words, headings) {
  const rows = rowsOf(text), signs = Array.from(words), found = [];
  if (!signs.length) return [];
  const ways = signs.length === 1 ? headings.slice(0, 1) : headings;
  for (let y = 0; y < rows.length; y++) {
    for (let x = 0; x < rows[y].length; x++) {
      if (rows[y][x] !== signs[0]) continue;
      for (const { dx, dy } of ways) {
        if (signs.every((sign, i) => rows[y + i * dy]?.[x + i * dx] === sign)) found.push({ x, y, dx, dy, length: signs.length });
      }
    }
  }
  return found;
}

/** The state with the next place selected where the words stand, or itself. @param {any} state @param {string} words @param {{dx: number, dy: number}[]} headings @param {number} by */
export function foundNext(state, words, headings, by) {
  const all = places(state.text, words, headings);
  if (!all.length) return state;
  const start = state.anchor ?? state.cursor;
  const later = (/** @type {Place} */ a) => a.y > start.y || (a.y === start.y && a.x > start.x);
  const ahead = by > 0 ? all.find(later) : all.filter((place) => !later(place) && (place.x !== start.x || place.y !== start.y)).pop();
  const { x, y, dx, dy, length } = ahead ?? (by > 0 ? all[0] : all[all.length - 1]);
  const end = { x: x + (length - 1) * dx, y: y + (length - 1) * dy };
  return { ...state, anchor: { x, y }, cursor: end };
}
