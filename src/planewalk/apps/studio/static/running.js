// @ts-check
// Questions about a run that a click asks, what lights up then, and the line of time with its marks.
import { byteAt, bytesShown, fromBase64, toBase64, typedBytes } from "./bytes.js";
import { rove, valueBeside } from "./panels.js";
import { answerTo } from "./question.js";
import { lanes } from "./shapes.js";

/** @param {string} id */
const $ = (id) => /** @type {any} */ (document.getElementById(id));
const SVG = "http://www.w3.org/2000/svg";
const PAUSE = 120, SELDOM = 1500;

/** Conditions that a click makes: what they say, and how they are written. @type {[string, (at: string) => string][]} */
const STOPS = [
  ["this cell changes", (at) => `changed ${at}`],
  ["this cell is written", (at) => `written ${at}`],
  ["this cell is read", (at) => `read ${at}`],
  ["a walker comes here", (at) => `at ${at}`],
  ["something is written out", () => "output"],
  ["input is read", () => "input"],
  ["a walker comes to be", () => "born"],
  ["a walker is gone", () => "gone"],
  ["walkers meet", () => "meeting"],
  ["everything repeats", () => "repeated state"],
];

/** @param {any} studio see editor.js */
export function startRunning(studio) {
  let hex = false, sought = "", asked = 0;
  /** @type {any} */
  let marks = { marks: {}, done: true };
  const here = () => `${studio.state.cursor.x},${studio.state.cursor.y}`;
  const cell = () => [studio.state.cursor.x, studio.state.cursor.y];

  // Questions -------------------------------------------------------------------------------------

  $("stop-when").replaceChildren(new Option("Stop when …", ""), ...STOPS.map(([words], at) => new Option(words, String(at))));
  $("stop-when").onchange = () => {
    const chosen = STOPS[$("stop-when").value];
    $("stop-when").value = "";
    if (chosen) studio.say({ do: "break", condition: chosen[1](here()) });
  };
  $("run-here").onclick = runHere;
  $("who").onclick = () => studio.say({ do: "who", cell: cell() });
  $("why").onclick = () => studio.say({ do: "why", cell: cell() });
  $("go-there").onclick = () => studio.say({ do: "goto", tick: studio.state.causes.tick });
  $("dark").onclick = () => studio.put({ ...studio.state, causes: null });
  function runHere() { studio.say({ do: "run", speed: null, until: `at ${here()}` }); }

  $("output").addEventListener("click", (/** @type {MouseEvent} */ event) => {
    const found = document.caretPositionFromPoint?.(event.clientX, event.clientY);
    if (found && $("output").contains(found.offsetNode)) whyOutput(found.offset);
  });
  $("why-output").onclick = () => whyOutput(Infinity);

  /** Ask for the cause of a character of the output. @param {number} offset */
  function whyOutput(offset) {
    const { written, tail } = studio.state.output, bytes = fromBase64(tail);
    if (bytes.length) studio.say({ do: "why", output: written - bytes.length + byteAt(bytes, offset, hex) });
  }

  // Values ----------------------------------------------------------------------------------------

  /** @param {number} at */
  function why(at) { studio.say({ do: "why", stack: at }); }
  /** @param {number} at */
  function changeStack(at) { if (at >= 0) change("The value from now on, on a branch of its own", studio.state.frame.panels.stack[at], { stack: at }); }
  /** @param {string} name @param {string} value */
  function register(name, value) { change(`${name} from now on, on a branch of its own`, value, { register: name }); }
  /** @param {number} at */
  function moveWalker(at) {
    const [number, x, y, , , heading] = studio.state.frame.walkers[at];
    change("Where it stands and where it heads from now on, on a branch of its own; nothing at all removes it", `${x},${y} ${heading}`, { walker: number });
  }
  /** @param {string} words @param {string} old @param {any} what */
  async function change(words, old, what) {
    const value = await answerTo(words, old);
    if (value !== null && value !== old) studio.say({ do: "edit", ...what, value });
  }
  for (const [id, enter] of /** @type {[string, (at: number) => void][]} */ ([["stack", changeStack], ["walkers", moveWalker]])) {
    rove(id, enter);
    $(id).addEventListener("dblclick", (/** @type {Event} */ event) => {
      const at = Array.from($(id).children).findIndex((item) => item.contains(/** @type {Node} */ (event.target)));
      if (at >= 0) enter(at);
    });
  }
  for (const id of ["registers", "breaks", "branches"]) rove(id, null);

  // Input and output ------------------------------------------------------------------------------

  $("hex").onclick = () => { hex = !hex; $("hex").setAttribute("aria-pressed", String(hex)); studio.put(studio.state); };
  $("waiting").onchange = () => {
    const bytes = typedBytes($("waiting").value, hex);
    if (bytes) studio.say({ do: "edit", input: toBase64(bytes) });
    else studio.put({ ...studio.state, error: "bytes are written as 48 69, two digits from 0 to f each" });
  };

  $("waiting").onkeydown = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape") return;
    $("waiting").value = $("waiting").defaultValue;  // as it was
    $("grid").focus();
  };

  // Time ------------------------------------------------------------------------------------------

  /** The tick that was dragged to while another one was on its way. @type {number | null} */
  let dragged = null;
  let going = false;
  $("timeline").oninput = () => { dragged = Number($("timeline").value); drag(); };

  /** Go to where the line is dragged, one tick after the other: whoever drags is faster than any run. */
  function drag() {
    if (going || dragged === null) return;
    studio.say({ do: "goto", tick: dragged, id: "drag" });
    going = true; dragged = null;
  }

  /** Ask for marks where there may be new ones; seldom while the run goes on. @param {any} frame */
  function seek(frame) {
    const wanted = [frame.branch, frame.branches.length, frame.reached, frame.breaks.map((/** @type {any} */ point) => point.text)].join("|");
    if (asked || (wanted === sought && marks.done)) return;
    sought = wanted;
    asked = window.setTimeout(() => studio.say({ do: "marks" }), frame.running ? SELDOM : PAUSE);
  }

  /** @param {any} message */
  function hear(message) {
    if (message.hello) $("commands").replaceChildren(...message.hello.commands.map((/** @type {string[]} */ [form, words]) => Object.assign(new Option(words), { value: form })));
    if (message.opened) { marks = { marks: {}, done: true }; sought = ""; clearTimeout(asked); asked = 0; }
    if (message.re === "drag" || message.opened) { going = false; drag(); }
    if (message.marks) { marks = message.marks; asked = 0; }
    if (message.error) asked = 0;
    if (message.causes) studio.put({ ...studio.state, causes: message.causes, answer: message.causes.words });
    if (message.answer || message.opened) studio.put({ ...studio.state, causes: null });
  }

  /** @param {any} frame */
  function show(frame) {
    const { state } = studio;
    const tail = fromBase64(state.output.tail);
    $("output").textContent = bytesShown(tail, hex);
    $("written").textContent = state.output.written + (tail.length < state.output.written ? `, the last ${tail.length.toLocaleString("en")} are shown` : "");
    $("value-panel").hidden = valueBeside(frame.panels) === undefined;
    $("value").textContent = frame.panels.value ?? "";
    $("why-output").disabled = !state.output.written;
    $("unread").textContent = frame.input ? `${frame.input.count} unread${frame.input.open ? "" : ", ended"}` : "";
    if (document.activeElement !== $("waiting")) $("waiting").value = $("waiting").defaultValue = frame.input ? bytesShown(fromBase64(frame.input.unread), hex) : "";
    $("go-there").hidden = state.causes?.tick === undefined;
    $("dark").hidden = !state.causes?.places.length;
    $("reached").textContent = frame.reached ? `${frame.tick.toLocaleString("en")} of ${Math.max(frame.reached, frame.tick).toLocaleString("en")} ticks` : "";
    seek(frame);
    drawMarks(frame);
    drawLanes(frame);
  }

  /** The marks, each kind with a shape of its own. @param {any} frame */
  function drawMarks(frame) {
    const canvas = $("marks"), ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    canvas.width = width * ratio; canvas.height = height * ratio;
    const pen = canvas.getContext("2d"), last = Math.max(frame.reached, frame.tick, 1), style = getComputedStyle(document.documentElement);
    const at = (/** @type {number} */ tick) => 8 + tick / last * (width - 16);
    pen.scale(ratio, ratio);
    const { output = [], input = [], fork: forks = [] } = marks.marks, breaks = marks.marks.break ?? [];
    draw(output, "--good", (x) => pen.fillRect(x - 1.5, height - 6, 3, 6));
    draw(input, "--accent", (x) => { pen.moveTo(x - 4, 0); pen.lineTo(x + 4, 0); pen.lineTo(x, 6); });
    draw(breaks, "--bad", (x) => pen.arc(x, height / 2, 3, 0, 7));
    draw(forks, "--warm", (x) => { pen.moveTo(x, height / 2 - 5); pen.lineTo(x + 4, height / 2); pen.lineTo(x, height / 2 + 5); pen.lineTo(x - 4, height / 2); });
    canvas.title = `${output.length} outputs ▪, ${input.length} inputs ▾, ${breaks.length} stops ●, ${forks.length} forks ◆`;

    /** @param {number[]} ticks @param {string} colour @param {(x: number) => void} shape */
    function draw(ticks, colour, shape) {
      pen.fillStyle = style.getPropertyValue(colour);
      for (const tick of ticks) { if (tick <= last) { pen.beginPath(); shape(at(tick)); pen.fill(); } }
    }
  }

  /** The courses that the run has taken, as lines that leave each other. @param {any} frame */
  function drawLanes(frame) {
    const svg = $("lanes"), many = frame.branches.length > 1;
    const key = many ? JSON.stringify([frame.branches, frame.branch]) : "";
    if (svg.dataset.key === key) return;
    svg.dataset.key = key;
    svg.toggleAttribute("hidden", !many);
    if (!many) return svg.replaceChildren();
    const drawn = lanes(frame.branches, Math.max(...frame.branches.map((/** @type {any} */ branch) => branch.reached), 1));
    const high = Math.min(9, 72 / drawn.length);
    svg.setAttribute("viewBox", `0 0 1000 ${high * drawn.length}`);
    svg.style.height = `${high * drawn.length}px`;
    svg.replaceChildren(...drawn.map(({ name, from, to, line, parent }) => {
      const path = document.createElementNS(SVG, "path"), title = document.createElementNS(SVG, "title"), y = (line + 0.5) * high;
      path.setAttribute("d", `M ${6 + from * 988} ${(parent + 0.5) * high} V ${y} H ${6 + Math.max(to, from + 0.01) * 988}`);
      path.setAttribute("class", name === frame.branch ? "lane here" : "lane");
      title.textContent = name;
      path.append(title);
      path.addEventListener("click", () => studio.say({ do: "switch", branch: name }));
      return path;
    }));
  }
  return { hear, show, runHere, why, register };
}
