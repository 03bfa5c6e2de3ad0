// @ts-check
// Options of a program, the table of all its inputs, and diagrams of who was in which cell when.
import { element } from "./panels.js";
import { changes, wave } from "./shapes.js";

/** @param {string} id */
const $ = (id) => /** @type {any} */ (document.getElementById(id));
const SVG = "http://www.w3.org/2000/svg";
const HIGH = 26;

/** @param {any} studio see editor.js; with `program()`, what is open as it is shared */
export function startCircuits(studio) {
  /** @type {[number, number][]} */
  let watched = [];
  /** @type {any} */
  let timing = null;
  /** @type {any} */
  let table = null;
  let sought = "";
  let shown = "", asked = "", seeking = false;

  // Options ---------------------------------------------------------------------------------------

  function options() {
    const language = studio.language();
    if (!language || shown === language.name) return;
    shown = language.name;
    $("options-panel").hidden = !language.options.length;
    $("truth").hidden = !language.hasInputs;
    $("options").replaceChildren(...language.options.map(field));
  }

  /** @param {any} option */
  function field(option) {
    const label = element("label", option.name);
    const input = /** @type {any} */ (document.createElement(option.values.length ? "select" : "input"));
    for (const value of option.values) input.add(new Option(value, value));
    input.id = `option-${option.name}`;
    label.title = option.help;
    if (!option.values.length) input.placeholder = String(option.default ?? "none");
    input.onchange = () => choose(option.name, input.value);
    label.append(input);
    return label;
  }

  /** Run the program again with another value of an option; nothing is the default. @param {string} name @param {string} value */
  function choose(name, value) {
    const { [name]: _, ...others } = studio.state.options;
    const kept = studio.program();
    studio.say({ do: "open", ...kept, courses: kept.courses?.slice(0, 1), branch: 0, tick: 0, options: value === "" ? others : { ...others, [name]: value } });
  }

  function values() {
    for (const option of studio.language()?.options ?? []) {
      const input = $(`option-${option.name}`);
      if (input && document.activeElement !== input) input.value = String(studio.state.options[option.name] ?? (option.values.length ? option.default : ""));
    }
  }

  // The table -------------------------------------------------------------------------------------

  $("truth").ontoggle = () => seek();
  $("bits").onchange = () => seek(Number($("bits").value));

  /** @param {number} [bits] */
  function seek(bits) {
    if (!$("truth").open || seeking) return;
    seeking = true; sought = studio.state.text;
    studio.say({ do: "table", ...(bits === undefined ? {} : { bits }) });
  }

  function showTable() {
    const { bits, there, rows, done } = table, argument = Number(studio.state.options.arg ?? 0);
    $("truth-note").textContent = done ? (there > bits ? `the lowest ${bits} of ${there} bits` : "") : `${rows.length} of ${1 << bits} …`;
    $("bits").max = String(Math.min(there, 8));
    if (document.activeElement !== $("bits")) $("bits").value = String(bits);
    $("truth-rows").replaceChildren(...rows.map((/** @type {[number, string]} */ [arg, value]) => {
      const row = document.createElement("tr"), button = element("button", String(arg)), cell = document.createElement("td");
      button.title = `Run with ${arg}`;
      button.onclick = () => choose("arg", String(arg));
      cell.append(button);
      row.append(cell, element("td", bits ? arg.toString(2).padStart(bits, "0") : ""), element("td", value));
      row.toggleAttribute("aria-current", arg === argument);
      return row;
    }));
  }

  // Timing ----------------------------------------------------------------------------------------

  $("watch").onclick = () => {
    const { x, y } = studio.state.cursor, known = watched.some((cell) => cell[0] === x && cell[1] === y);
    watched = known ? watched.filter((cell) => cell[0] !== x || cell[1] !== y) : [...watched, [x, y]];
    asked = "";
    studio.put({ ...studio.state, watched });
  };

  /** Ask again where the run has gone on or somewhere else. @param {any} frame */
  function refresh(frame) {
    $("timing-panel").hidden = !watched.length;
    if (!watched.length || frame.running) return;
    const wanted = JSON.stringify([watched, frame.branch, frame.reached, Math.floor(frame.tick / 100), studio.state.text]);
    if (wanted !== asked) { asked = wanted; studio.say({ do: "timing", cells: watched }); }
    if (timing) showTiming(frame);
  }

  /** @param {any} frame */
  function showTiming(frame) {
    const ticks = timing.last - timing.first + 1, width = 1000 / ticks;
    const key = JSON.stringify([timing, frame.tick]);
    if ($("timing").dataset.key === key) return;
    $("timing").dataset.key = key;
    $("timing-range").textContent = `ticks ${timing.first.toLocaleString("en")} to ${timing.last.toLocaleString("en")}`;
    $("timing").replaceChildren(...timing.rows.map((/** @type {any} */ row) => {
      const item = document.createElement("li"), svg = document.createElementNS(SVG, "svg");
      svg.setAttribute("viewBox", `0 0 1000 ${HIGH}`);
      svg.setAttribute("preserveAspectRatio", "none");
      svg.setAttribute("role", "img");
      const busy = row.walkers.filter(Boolean).length, changed = changes(row.values).length - 1;
      svg.setAttribute("aria-label", `${row.cell}: a walker in ${busy} of ${ticks} ticks${changed > 0 ? `, changed ${changed} times` : ""}`);
      const line = document.createElementNS(SVG, "path"), now = document.createElementNS(SVG, "path");
      line.setAttribute("d", wave(row.walkers, width, HIGH));
      now.setAttribute("d", `M ${(frame.tick - timing.first + 0.5) * width} 0 V ${HIGH}`);
      now.setAttribute("class", "now");
      svg.append(now, ...changes(row.values).slice(1).map(({ at, value }) => change(at * width, value)), line);
      svg.addEventListener("click", (event) => studio.say({ do: "goto", tick: timing.first + Math.floor(event.offsetX / svg.clientWidth * ticks) }));
      item.append(element("b", row.port ? `${row.cell}: ${row.port}` : String(row.cell)), svg);
      return item;
    }));
  }

  /** A cell that holds something else from here on. @param {number} x @param {number} value */
  function change(x, value) {
    const mark = document.createElementNS(SVG, "path"), title = document.createElementNS(SVG, "title");
    mark.setAttribute("d", `M ${x} 0 V ${HIGH}`);
    mark.setAttribute("class", "changed");
    title.textContent = String(value);
    mark.append(title);
    return mark;
  }

  /** @param {any} message */
  function hear(message) {
    if (message.opened) { options(); values(); timing = table = null; asked = ""; $("truth-rows").replaceChildren(); $("truth-note").textContent = ""; }
    if (message.opened || message.frame?.rows) { seeking = false; if (message.opened || sought !== studio.state.text) seek(); }
    if (message.table) { table = message.table; seeking = false; showTable(); if (!table.done) seek(); }
    if (message.timing) { timing = message.timing; studio.put(studio.state); }
    if (message.error) seeking = false;
  }
  return { hear, show: refresh };
}
