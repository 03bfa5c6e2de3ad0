// @ts-check
// All that the studio knows, and how messages and edits change it: pure functions, no page in sight.

/** @typedef {{x: number, y: number}} Place */

/** The first state: nothing is open yet. */
export function initial() {
  return {
    languages: /** @type {any[]} */ ([]), examples: /** @type {any[]} */ ([]),
    language: "", name: "", text: "", seed: 0, writable: false, options: {},
    given: /** @type {any} */ (null),
    frame: /** @type {any} */ (null),
    cursor: { x: 0, y: 0 }, anchor: /** @type {Place | null} */ (null), way: { dx: 1, dy: 0 },
    undo: /** @type {string[]} */ ([]), redo: /** @type {string[]} */ ([]),
    output: { written: 0, tail: "" }, error: "", answer: /** @type {string[]} */ ([]), told: "",
  };
}

/** A frame with what is new in it. @param {any} old @param {any} fresh */
export function patched(old, fresh) {
  if (fresh.rows || !old) return fresh;
  const rows = old.rows.map((/** @type {number[]} */ row) => row);
  const copied = new Set();
  for (const [x, y, look] of fresh.cells) {
    if (!copied.has(y)) { rows[y] = rows[y].slice(); copied.add(y); }
    rows[y][x] = look;
  }
  const panels = { ...old.panels, ...fresh.panels };
  for (const name of Object.keys(panels)) if (panels[name] === null) delete panels[name];
  return { ...old, ...fresh, rows, panels, looks: old.looks.concat(fresh.looks) };
}

/** The state after a message of the server. @param {any} state @param {any} message */
export function heard(state, message) {
  if (message.hello) return { ...state, ...message.hello };
  if (message.opened) {
    const { language, name, text, seed, writable, options } = message.opened;
    return { ...state, language, name, text, seed, writable, options, frame: null, undo: [], redo: [], error: "", told: "", answer: [], cursor: { x: 0, y: 0 }, anchor: null };
  }
  if (message.frame) {
    const { output = state.output, given = state.given } = message.frame;
    return { ...state, frame: patched(state.frame, message.frame), output, given, error: "" };
  }
  if (message.answer) return { ...state, answer: message.answer };
  if (message.told) return { ...state, told: message.told.join("; ") };
  if (message.error) return { ...state, error: message.error };
  return state;
}

/** The rows of a text. @param {string} text */
export function rowsOf(text) {
  return text.replace(/\n$/, "").split("\n").map((row) => Array.from(row));
}

/** The character at a place. @param {string} text @param {number} x @param {number} y */
export function at(text, x, y) {
  return rowsOf(text)[y]?.[x] ?? " ";
}

/** The text with some characters put into it. @param {string} text @param {{x: number, y: number, sign: string}[]} puts */
export function put(text, puts) {
  const rows = rowsOf(text);
  for (const { x, y, sign } of puts) {
    if (x < 0 || y < 0) continue;
    while (rows.length <= y) rows.push([]);
    const row = rows[y];
    while (row.length < x) row.push(" ");
    row[x] = sign;
  }
  return rows.map((row) => row.join("")).join("\n");
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

/** What is selected, as lines. @param {any} state */
export function selectedText(state) {
  const { left, top, right, bottom } = selection(state);
  const rows = rowsOf(state.text);
  const lines = [];
  for (let y = top; y <= bottom; y++) {
    let line = "";
    for (let x = left; x <= right; x++) line += rows[y]?.[x] ?? " ";
    lines.push(line);
  }
  return lines.join("\n");
}

/** The state with another text, which can be undone. @param {any} state @param {string} text */
export function edited(state, text) {
  if (text === state.text) return state;
  return { ...state, text, undo: [...state.undo.slice(-199), state.text], redo: [] };
}

/** Fill the selection with a sign. @param {any} state @param {string} sign */
export function filled(state, sign) {
  const { left, top, right, bottom } = selection(state);
  const puts = [];
  for (let y = top; y <= bottom; y++) for (let x = left; x <= right; x++) puts.push({ x, y, sign });
  return edited(state, put(state.text, puts));
}

/** Put a block of lines where the cursor is. @param {any} state @param {string} block */
export function pasted(state, block) {
  const puts = [];
  block.replace(/\r/g, "").split("\n").forEach((line, dy) => {
    Array.from(line).forEach((sign, dx) => puts.push({ x: state.cursor.x + dx, y: state.cursor.y + dy, sign }));
  });
  return edited(state, put(state.text, puts));
}

/** Type one sign, and go on the way that is typed in. @param {any} state @param {string} sign */
export function typed(state, sign) {
  const next = edited(state, put(state.text, [{ ...state.cursor, sign }]));
  return moved(next, state.way.dx, state.way.dy);
}

/** Move the cursor; with `select`, the selection grows. @param {any} state @param {number} dx @param {number} dy @param {boolean} [select] */
export function moved(state, dx, dy, select = false) {
  const cursor = { x: Math.max(state.cursor.x + dx, 0), y: Math.max(state.cursor.y + dy, 0) };
  return { ...state, cursor, anchor: select ? state.anchor ?? state.cursor : null };
}

/** Take back the last edit. @param {any} state */
export function undone(state) {
  if (!state.undo.length) return state;
  const text = state.undo[state.undo.length - 1];
  return { ...state, text, undo: state.undo.slice(0, -1), redo: [...state.redo, state.text] };
}

/** Do again what was undone. @param {any} state */
export function redone(state) {
  if (!state.redo.length) return state;
  const text = state.redo[state.redo.length - 1];
  return { ...state, text, redo: state.redo.slice(0, -1), undo: [...state.undo, state.text] };
}

/** Insert or delete a row or column at the cursor. @param {any} state @param {"row"|"column"} what @param {number} by */
export function lined(state, what, by) {
  const rows = rowsOf(state.text);
  const { x, y } = state.cursor;
  if (what === "row") by > 0 ? rows.splice(y, 0, []) : rows.splice(y, 1);
  else for (const row of rows) if (row.length > x) by > 0 ? row.splice(x, 0, " ") : row.splice(x, 1);
  return edited(state, rows.map((row) => row.join("")).join("\n"));
}

/** Ticks a second at a place of the slider; null is as fast as can be. @param {number} value */
export function speedOf(value) {
  return value >= 7 ? null : Math.round(10 ** value * 100) / 100;
}
