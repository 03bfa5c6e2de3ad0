// @ts-check
// The grid as an editor: what keys, the mouse, the clipboard and the tools above the grid do to the
// program. How programs change is in edit.js; this is only the wiring.
import * as pure from "./edit.js";
import { prose } from "./panels.js";
import { WHITE } from "./tiles.js";

/** @param {string} id */
const $ = (id) => /** @type {any} */ (document.getElementById(id));
const ARROWS = /** @type {Record<string, [number, number]>} */ ({ ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] });
const MODES = /** @type {Record<string, string>} */ ({ insert: "inserting", mirrors: "mirrors", execute: "executing", moment: "moment" });

/**
 * @typedef {object} Studio
 * @property {any} state
 * @property {(next: any) => void} edit puts another state in place, and tells the server of a changed program
 * @property {(next: any) => void} put puts another state in place
 * @property {(message: any) => void} say
 * @property {() => boolean} isOpening whether another program is about to come; tells so
 * @property {() => any} language
 * @property {any} grid
 */

/** @param {Studio} studio */
export function startEditor(studio) {
  /** @type {pure.Ways} */
  let ways = {};
  /** @type {Record<string, any>} */
  let turns = {};
  let known = "", tool = "select", pen = "", turning = "", waiting = false;
  /** @type {string[]} */
  let keys = [];
  /** @type {any} */
  let held = null;
  const blank = () => studio.state.blank;

  // Typing ----------------------------------------------------------------------------------------

  /** @param {string} sign */
  function type(sign) {
    const { state } = studio;
    if (state.executing) { keys.push(sign); return execute(); }
    if (state.mirrors && !knows("ways")) { keys.push(sign); return; }
    if (state.moment) return now(state.anchor ? pure.fillPuts(state, sign) : [{ ...state.cursor, sign }], (s) => state.anchor ? s : pure.wentOn(s, sign, ways));
    if (state.cursor.x < 0 || state.cursor.y < 0) return tell("programs begin at 0,0; Moment changes what stands further up and left");
    studio.edit(state.anchor ? pure.filled(state, sign) : pure.typed(state, sign, ways));
  }

  /** Change this moment of the run, which makes a branch of it. @param {pure.Put[]} puts @param {(state: any) => any} then */
  function now(puts, then) {
    studio.say({ do: "edit", cells: puts.map(({ x, y, sign }) => [x, y, sign]) });
    studio.edit(then(studio.state));
  }

  /** Change a block of this moment, which only the server knows the whole of. @param {any} what @param {any} then */
  function block(what, then) {
    studio.say({ do: "edit", block: what });
    studio.edit(then);
  }

  /** The selection as least x and y, greatest x and y. */
  function box() { const { left, top, right, bottom } = pure.selection(studio.state); return [left, top, right, bottom]; }

  /** Take back the last edit; the last change of a moment by going back to the branch it was made on. */
  function undo() {
    const { state } = studio, branch = state.frame?.branches.find((/** @type {any} */ each) => each.name === state.frame.branch);
    if (state.moment && branch?.parent) studio.say({ do: "switch", branch: branch.parent });
    else if (!state.moment) studio.edit(pure.undone(state));
  }

  /** Do again what was undone; of a moment, go to the last branch that left this one. */
  function redo() {
    const { state } = studio, child = state.frame?.branches.findLast((/** @type {any} */ each) => each.parent === state.frame.branch);
    if (state.moment && child) studio.say({ do: "switch", branch: child.name });
    else if (!state.moment) studio.edit(pure.redone(state));
  }

  /** Insert or delete as many rows or columns as are selected. @param {"row"|"column"} what @param {number} by */
  function line(what, by) {
    const { state } = studio, { left, top, right, bottom } = pure.selection(state);
    if (!state.moment) return studio.edit(pure.lined(state, what, by));
    block({ lines: what === "row" ? [what, top, by * (bottom - top + 1)] : [what, left, by * (right - left + 1)] }, state);
  }

  /** Write where the walker stands, and let it act on that: one key after the other. */
  function execute() {
    const sign = keys[0];
    if (waiting || sign === undefined || studio.isOpening()) return;
    waiting = true;
    keys.shift();
    const { state } = studio;
    const next = pure.painted(state, [{ ...state.cursor, sign }]);
    studio.put(next);
    studio.say({ do: "reload", text: next.text, ticks: 1, id: "typed" });
  }

  /** The cursor where the first walker is. */
  function toWalker() {
    const first = studio.state.frame?.walkers[0];
    if (!first || first[1] < 0 || first[2] < 0) return;
    studio.edit({ ...studio.state, cursor: { x: first[1], y: first[2] }, anchor: null, way: { dx: Math.sign(first[3]), dy: Math.sign(first[4]) } });
  }

  function erase() {
    const { state } = studio;
    if (state.moment) { const back = pure.moved(state, -state.way.dx, -state.way.dy); now([{ ...back.cursor, sign: blank() }], () => back); }
    else studio.edit(pure.erased(state));
  }

  function clear() {
    const { state } = studio;
    if (state.moment) now(pure.fillPuts(state, blank()), (s) => s);
    else studio.edit(pure.deleted(state));
  }

  /** @param {string} text */
  function paste(text) {
    const { state } = studio;
    if (state.moment) now(pure.pastePuts(state, text), (s) => s);
    else studio.edit(pure.pasted(state, text));
  }

  /** What is copied: of a moment, what stands on the plane now as far as it is seen. */
  function copied() {
    const { state } = studio, { left, top, right, bottom } = pure.selection(state);
    if (!state.moment || !state.frame) return pure.selectedText(state);
    const { box, rows, looks } = state.frame, puts = [];
    for (let y = top; y <= bottom; y++) for (let x = left; x <= right; x++) {
      const look = rows[y - box[1]]?.[x - box[0]];
      if (look !== undefined) puts.push({ x, y, sign: looks[look][0] || blank() });
    }
    return pure.selectedText({ ...state, text: pure.put(state.text, puts, blank()) });
  }

  /** Move what is selected, or put a copy of it somewhere else. @param {number} dx @param {number} dy @param {boolean} copy */
  function carry(dx, dy, copy) {
    const { state } = studio;
    if (!state.moment) return studio.edit({ ...pure.carried(state, dx, dy, copy), ghost: null });
    const shift = (/** @type {pure.Place | null} */ place) => place && { x: place.x + dx, y: place.y + dy };
    block({ carry: [dx, dy], box: box(), copy }, { ...state, cursor: shift(state.cursor), anchor: shift(state.anchor), ghost: null });
  }

  // Turning ---------------------------------------------------------------------------------------

  /** Ask for what is not known of this language yet; true if it is known. @param {string} how */
  function knows(how) {
    if (known !== studio.state.language) { known = studio.state.language; turns = {}; ways = {}; }
    if (turns[how]) return true;
    if (turns[how] === undefined) studio.say(how === "ways" ? { do: "leads" } : { do: "turns", how });
    turns[how] = null;
    return false;
  }

  /** @param {string} how */
  function turn(how) {
    if (studio.state.moment) return block({ turn: how, box: box() }, pure.turnedSelection(studio.state, how));
    if (!knows(how)) { turning = how; return; }
    const { signs, inexact } = turns[how], { state } = studio;
    const lost = pure.unequal(state, inexact);
    studio.edit(pure.turned(state, how, signs));
    const words = lost.slice(0, 3).map(({ x, y }) => `${pure.at(state.text, x, y)} at ${x},${y}`).join(", ");
    tell(lost.length ? `turned; no sign does exactly the same as ${words}${lost.length > 3 ? ` and ${lost.length - 3} more` : ""} then` : "turned");
  }

  /** @param {string} words */
  function tell(words) { studio.put({ ...studio.state, told: words }); }

  /** @param {any} message */
  function hear(message) {
    if (message.leads) { ways = message.leads; turns.ways = true; for (const sign of keys.splice(0)) type(sign); }
    if (message.turns) {
      const { how } = message.turns;
      turns[how] = message.turns;
      if (turning === how) { turning = ""; turn(how); }
    }
    if (message.opened) { keys = []; waiting = false; palette(); if (studio.state.mirrors) knows("ways"); }
    if (message.re === "typed") { waiting = false; toWalker(); execute(); }
    if (message.opened || message.hello) show();
  }

  // Keys ------------------------------------------------------------------------------------------

  /** @param {KeyboardEvent} event */
  function key(event) {
    const arrow = ARROWS[event.key], control = event.ctrlKey || event.metaKey, { state } = studio;
    if (arrow && event.altKey && event.shiftKey) turnWay(arrow[0] + arrow[1]);
    else if (arrow && event.altKey) head(arrow[0], arrow[1]);
    else if (arrow && control) carry(arrow[0], arrow[1], event.shiftKey);
    else if (control && (event.key === "]" || event.key === "[")) turn(event.key === "]" ? "clockwise" : "counterclockwise");
    else if (arrow) studio.edit(pure.moved(state, arrow[0], arrow[1], event.shiftKey));
    else if (control && event.key === "z") undo();
    else if (control && (event.key === "y" || event.key === "Z")) redo();
    else if (control && event.key === "a") studio.put(pure.allSelected(state));
    else if (control && event.key === "f") openFind();
    else if (control || event.altKey) return;
    else if (event.key === "Backspace") erase();
    else if (event.key === "Delete") clear();
    else if (event.key === "Enter") studio.edit({ ...pure.moved(state, 0, 1), cursor: { x: 0, y: state.cursor.y + 1 } });
    else if (event.key === "Insert") toggle("insert");
    else if (event.key === "Home") studio.edit({ ...state, cursor: { x: 0, y: state.cursor.y }, anchor: null });
    else if (event.key === "End") studio.edit({ ...state, cursor: { x: pure.rowsOf(state.text)[state.cursor.y]?.length ?? 0, y: state.cursor.y }, anchor: null });
    else if (event.key === "F3") findNext(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") { held = null; studio.put({ ...state, anchor: null, ghost: null }); }
    else if (Array.from(event.key).length === 1) type(event.key);
    else return;
    event.preventDefault();
  }

  /** Type this way from now on, if the language has such a heading. @param {number} dx @param {number} dy */
  function head(dx, dy) {
    const has = studio.language()?.headings.some((/** @type {any} */ way) => way.dx === dx && way.dy === dy);
    if (has) studio.put({ ...studio.state, way: { dx, dy } });
    show();
  }

  /** @param {number} by */
  function turnWay(by) { studio.put(pure.turnedWay(studio.state, studio.language().headings, by)); show(); }

  /** @param {string} name */
  function toggle(name) {
    const field = MODES[name], { state } = studio;
    studio.put({ ...state, [field]: !state[field] });
    if (name === "mirrors" && studio.state.mirrors) knows("ways");
    if (name === "execute" && studio.state.executing) { toWalker(); $("grid").focus(); }
    show();
  }

  // The clipboard ---------------------------------------------------------------------------------

  const onGrid = () => document.activeElement === $("grid");
  document.addEventListener("copy", (event) => {
    if (!onGrid()) return;
    event.clipboardData?.setData("text/plain", copied());
    event.preventDefault();
  });
  document.addEventListener("cut", (event) => {
    if (!onGrid()) return;
    event.clipboardData?.setData("text/plain", copied());
    clear();
    event.preventDefault();
  });
  document.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text");
    if (!onGrid() || !text) return;
    paste(text);
    event.preventDefault();
  });

  // The mouse -------------------------------------------------------------------------------------

  /** Whether this press of the mouse is ours, and what it begins; a finger selects only by a long
   * press, since otherwise it moves the plane. @param {PointerEvent} event @param {boolean} [long] */
  function down(event, long = false) {
    const touch = event.pointerType === "touch" && !long, erasing = event.button === 2;
    if (event.button === 1 || event.altKey || (touch && tool === "select")) return false;
    const cell = studio.grid.cellAt(event.clientX, event.clientY), { state } = studio;
    if (tool !== "select" || (erasing && studio.language()?.coloured)) {
      held = { what: tool === "select" ? "pen" : tool, from: cell, last: cell, sign: erasing ? blank() : pen || blank() };
      studio.edit({ ...state, cursor: { x: Math.max(cell.x, 0), y: Math.max(cell.y, 0) }, anchor: null });
      draw(cell);
      return true;
    }
    const box = pure.selection(state);
    const inside = state.anchor && cell.x >= box.left && cell.x <= box.right && cell.y >= box.top && cell.y <= box.bottom;
    if (erasing) return true;
    if (inside && !event.shiftKey) held = { what: "carry", from: cell, by: { x: 0, y: 0 }, copy: event.ctrlKey };
    else {
      held = { what: "select", from: event.shiftKey ? state.anchor ?? state.cursor : cell };
      studio.put({ ...state, cursor: cell, anchor: event.shiftKey ? held.from : null });
    }
    return true;
  }

  /** @param {PointerEvent} event */
  function move(event) {
    if (!held) return false;
    const cell = studio.grid.cellAt(event.clientX, event.clientY), { from } = held;
    const { state } = studio;
    if (held.what === "select") {
      const other = cell.x !== from.x || cell.y !== from.y || state.anchor;
      studio.put({ ...state, cursor: cell, anchor: other ? from : null });
    } else if (held.what === "carry") {
      held.by = { x: cell.x - from.x, y: cell.y - from.y };
      const box = pure.selection(state);
      studio.put({ ...state, ghost: { left: box.left + held.by.x, top: box.top + held.by.y, right: box.right + held.by.x, bottom: box.bottom + held.by.y } });
    } else draw(cell);
    return true;
  }

  /** Paint with the tool that is held. @param {pure.Place} cell */
  function draw(cell) {
    const put = (/** @type {pure.Place[]} */ places) => places.map((place) => ({ ...place, sign: held.sign }));
    if (held.what === "pen") {
      paint(put(pure.line(held.last, cell)));
      held.last = cell;
    } else {
      held.places = held.what === "line" ? pure.line(held.from, cell) : pure.rectangle(held.from, cell);
      studio.put({ ...studio.state, sketch: held.places });
    }
  }

  /** @param {pure.Put[]} puts */
  function paint(puts) {
    if (studio.state.moment) now(puts, (state) => state);
    else studio.edit(pure.painted(studio.state, puts));
  }

  /** The mouse is let go; says what it was doing. */
  function up() {
    const was = held;
    held = null;
    if (!was) return "";
    const { state } = studio;
    if (was.what === "carry") {
      const { x, y } = was.by;
      if (x || y) carry(x, y, was.copy);
      else studio.put({ ...state, cursor: was.from, anchor: null, ghost: null });
    } else if (was.places) {
      studio.put({ ...state, sketch: null });
      paint(was.places.map((/** @type {pure.Place} */ place) => ({ ...place, sign: was.sign })));
    }
    return was.what;
  }

  // The tools beside the grid ---------------------------------------------------------------------

  /** The signs of the language, as keys to type or colours to paint with. */
  function palette() {
    const language = studio.language();
    if (!language || $("signs").dataset.language === language.name) return;
    $("signs").dataset.language = language.name;
    const rows = language.instructions.filter((/** @type {any} */ row, /** @type {number} */ at, /** @type {any[]} */ all) => all.findIndex((other) => other.symbol === row.symbol) === at);
    pen = rows[0]?.symbol ?? "";
    $("signs").replaceChildren(...rows.map((/** @type {any} */ row) => {
      const button = document.createElement("button");
      button.textContent = row.symbol === " " ? "␣" : row.symbol;
      button.title = `${row.name}: ${prose(row.doc)}`;
      button.setAttribute("aria-label", `${row.symbol} ${row.name}`);
      button.dataset.sign = row.symbol;
      button.className = `sign ${row.group}`;
      if (row.colour) { const swatch = document.createElement("i"); swatch.style.background = row.colour === WHITE ? "var(--board)" : row.colour; button.prepend(swatch); }
      button.onclick = () => choose(row.symbol);
      return button;
    }));
    tool = language.coloured ? "pen" : "select";
    $("signs").hidden = !language.coloured;
  }

  /** @param {string} sign */
  function choose(sign) {
    pen = sign;
    if (tool === "select") { type(sign); $("grid").focus(); }
    show();
  }

  /** What the tools say of themselves. */
  function show() {
    const { state } = studio, language = studio.language();
    for (const name of Object.keys(MODES)) $(name).setAttribute("aria-pressed", String(state[MODES[name]]));
    $("moment").hidden = !state.writable;
    const way = language?.headings.find((/** @type {any} */ each) => each.dx === state.way.dx && each.dy === state.way.dy);
    $("typing").firstChild.textContent = pure.arrow(state.way);
    $("typing").lastChild.textContent = way?.name ?? `${state.way.dx},${state.way.dy}`;
    $("modes-open").setAttribute("aria-pressed", String(Object.values(MODES).some((mode) => state[mode])));
    for (const button of document.querySelectorAll("[data-tool]")) button.setAttribute("aria-pressed", String(/** @type {any} */ (button).dataset.tool === tool));
    for (const button of document.querySelectorAll(".sign")) button.setAttribute("aria-pressed", String(tool !== "select" && /** @type {any} */ (button).dataset.sign === pen));
    $("signs-open").setAttribute("aria-pressed", String(!$("signs").hidden));
  }

  const COMMANDS = /** @type {Record<string, () => void>} */ ({
    undo,
    redo,
    "row-in": () => line("row", 1),
    "row-out": () => line("row", -1),
    "column-in": () => line("column", 1),
    "column-out": () => line("column", -1),
    typing: () => turnWay(1),
    "signs-open": () => { $("signs").hidden = !$("signs").hidden; show(); },
    "find-open": () => openFind(),
    "text-open": () => { $("whole").value = studio.state.text; $("text").showModal(); },
    "copy-all": () => { $("whole").select(); copyText($("whole").value); },
    "text-apply": () => studio.edit(pure.edited(studio.state, $("whole").value.replace(/\r/g, "").replace(/\n$/, ""))),
    copy: () => copyText(copied()),
    cut: () => { copyText(copied()); clear(); },
    paste: () => navigator.clipboard.readText().then(paste, () => tell("the browser does not let pages read the clipboard; press Ctrl+V")),
    "find-next": () => findNext(1),
    "find-back": () => findNext(-1),
    "find-close": () => { $("find").hidden = true; $("grid").focus(); },
  });

  /** @param {string} text */
  function copyText(text) {
    navigator.clipboard.writeText(text).then(() => tell("copied"), () => tell("the browser does not let pages copy; press Ctrl+C"));
  }

  function openFind() { $("find").hidden = false; $("words").focus(); $("words").select(); }

  /** @param {number} by */
  function findNext(by) {
    const words = $("words").value, headings = studio.language()?.headings ?? [];
    const count = pure.places(studio.state.text, words, headings).length;
    $("found").textContent = words ? `${count} found` : "";
    if (count) studio.edit(pure.foundNext(studio.state, words, headings, by));
  }

  $("find").onsubmit = (/** @type {Event} */ event) => { event.preventDefault(); findNext(1); };
  $("words").oninput = () => findNext(1);
  $("find").onkeydown = (/** @type {KeyboardEvent} */ event) => { if (event.key === "Escape") COMMANDS["find-close"](); };
  for (const [id, act] of Object.entries(COMMANDS)) $(id).onclick = act;
  for (const name of Object.keys(MODES)) $(name).onclick = () => toggle(name);
  for (const button of document.querySelectorAll("[data-turn]")) /** @type {any} */ (button).onclick = () => turn(/** @type {any} */ (button).dataset.turn);
  for (const button of document.querySelectorAll("[data-tool]")) {
    /** @type {any} */ (button).onclick = () => { tool = /** @type {any} */ (button).dataset.tool; if (tool !== "select") $("signs").hidden = false; show(); };
  }
  // The mouse leaves the keyboard where it is: one goes on typing after a click on a tool.
  for (const id of ["rail", "signs"]) $(id).addEventListener("mousedown", (/** @type {Event} */ event) => event.preventDefault());
  $("grid").addEventListener("keydown", key);
  $("grid").addEventListener("contextmenu", (/** @type {Event} */ event) => event.preventDefault());
  return { hear, down, move, up, show, dragging: () => held !== null };
}
