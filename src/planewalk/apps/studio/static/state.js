// @ts-check
// All that the studio knows, and how messages and edits change it: pure functions, no page in sight.

/** @typedef {{x: number, y: number}} Place */

/** The first state: nothing is open yet. */
export function initial() {
  return {
    version: "", languages: /** @type {any[]} */ ([]), examples: /** @type {any[]} */ ([]), complaints: /** @type {string[]} */ ([]),
    language: "", name: "", text: "", seed: 0, writable: false, options: {},
    courses: /** @type {any} */ (null),
    frame: /** @type {any} */ (null),
    cursor: { x: 0, y: 0 }, anchor: /** @type {Place | null} */ (null), way: { dx: 1, dy: 0 },
    blank: " ", inserting: false, mirrors: false, executing: false, moment: false,
    undo: /** @type {any[]} */ ([]), redo: /** @type {any[]} */ ([]),
    output: { written: 0, tail: "" }, error: "", answer: /** @type {string[]} */ ([]), told: "",
    causes: /** @type {any} */ (null), sketch: /** @type {Place[] | null} */ (null), ghost: /** @type {any} */ (null),
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
    const known = state.languages.find((/** @type {any} */ each) => each.name === language), blank = known?.blank ?? " ";
    const goes = known?.headings.some((/** @type {any} */ each) => each.dx === state.way.dx && each.dy === state.way.dy);
    return { ...state, way: goes ? state.way : { dx: 1, dy: 0 }, language, name, text, seed, writable, options, blank, moment: state.moment && writable, frame: null, courses: null, undo: [], redo: [], error: "", told: "", answer: [], cursor: { x: 0, y: 0 }, anchor: null };
  }
  if (message.frame) {
    const { output = state.output, courses = state.courses } = message.frame;
    return { ...state, frame: patched(state.frame, message.frame), output, courses, error: "" };
  }
  if (message.at !== undefined && state.frame) return { ...state, frame: { ...state.frame, tick: message.at } };
  if (message.answer) return { ...state, answer: message.answer };
  if (message.told) return { ...state, told: message.told.join("; ") };
  if (message.error) return { ...state, error: message.error };
  return state;
}

/** All that it takes to open this moment of the run again. @param {any} state */
export function kept(state) {
  const { language, name, text, seed, options, courses, frame } = state, branches = frame?.branches ?? [], breaks = frame?.breaks ?? [];
  const branch = Math.max(branches.findIndex((/** @type {any} */ each) => each.name === frame.branch), 0);
  return { language, name, text, seed, options, courses, branch, tick: frame?.tick ?? 0, breaks: breaks.map((/** @type {any} */ point) => point.text) };
}

/** Round speeds: 1, 2, 5, 10 and so on. */
const ROUND = [1, 2, 5];

/** Ticks a second at a place of the slider; null is as fast as can be. @param {number} place */
export function speedOf(place) {
  return place >= FASTEST ? null : ROUND[place % 3] * 10 ** Math.floor(place / 3);
}
/** The last place of the slider: after a million ticks a second. */
export const FASTEST = 19;
