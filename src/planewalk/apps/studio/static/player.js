// @ts-check
// A film of a run that plays by itself: frames from the page, no server.
import { Grid } from "./grid.js";
import { bytesShown, fromBase64 } from "./bytes.js";
import { meaning, pressRun, showPanels, valueBeside } from "./panels.js";
import { initial, patched, speedOf } from "./state.js";

/** @param {string} id */
const $ = (id) => /** @type {any} */ (document.getElementById(id));
const LONGEST = 24;  // frames of a trail
// Pixels of a cell: so that a letter can be read, and with ease; at most; and of one that is a colour.
const READABLE = 18, EASY = 26, LARGEST = 72, COLOURED = 7;
const grid = new Grid($("grid"), $("map"));
let state = initial();
/** @type {any[]} */
let frames = [];
/** How often cells were visited up to the frame that is shown, if the film knows. @type {Map<string, any>} */
const visits = new Map();
let counted = 0;
/** All of the plane that is ever seen. @type {number[]} */
let whole = [0, 0, 0, 0];
/** Whether the view keeps to the walkers: until somebody moves it. */
let following = true;
let at = 0, playing = false, hex = false, due = 0, last = 0, stale = true;

/** The data of the page, which are packed. */
async function unpackedRun() {
  const bytes = fromBase64($("run-data").textContent.trim());
  const stream = new Blob([/** @type {any} */ (bytes)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}

/** All frames, whole: what does not change is shared between them. @param {any[]} deltas */
function wholeFrames(deltas) {
  const made = [];
  let before = null, output = new Uint8Array();
  for (const delta of deltas) {
    before = patched(before, delta);
    if (delta.written) output = joined(output, fromBase64(delta.written)).slice(-20000);
    made.push({ ...before, output, visits: delta.visits });
  }
  return made;
}

/** @param {Uint8Array} first @param {Uint8Array} second */
function joined(first, second) {
  const both = new Uint8Array(first.length + second.length);
  both.set(first); both.set(second, first.length);
  return both;
}

/** @param {number} wanted */
function goTo(wanted) {
  at = Math.max(0, Math.min(frames.length - 1, wanted));
  state = { ...state, frame: { ...frames[at], breaks: [], running: playing } };
  grid.trail.clear();
  for (const frame of frames.slice(Math.max(0, at - LONGEST), at)) if (frame.tick >= frames[at].tick - run.trail) grid.remember(frame);
  count();
  follow();
  stale = true;
}

/** Keep the first walker in sight where not all of the plane has room. */
function follow() {
  const walker = state.frame.walkers[0];
  if (following) grid.follow(whole, walker?.[1] ?? whole[0], walker?.[2] ?? whole[1]);
}

/** The box around all planes that the film shows. @param {any[]} shown */
function wholeOf(shown) {
  const boxes = shown.map((frame) => frame.plane ?? frame.box), edge = (/** @type {number} */ at) => boxes.map((box) => box[at]);
  const least = (/** @type {number} */ at) => edge(at).reduce((a, b) => Math.min(a, b)), most = (/** @type {number} */ at) => edge(at).reduce((a, b) => Math.max(a, b));
  return [least(0), least(1), most(2), most(3)];
}

/** Count the visits of the frames between the one that was shown and this one, or take them back. */
function count() {
  for (; counted <= at; counted++) visit(frames[counted], 1);
  for (; counted > at + 1; counted--) visit(frames[counted - 1], -1);
}

/** @param {any} frame @param {1 | -1} sign */
function visit(frame, sign) {
  for (const [x, y, times] of frame.visits ?? []) {
    const key = `${x},${y}`, cell = visits.get(key) ?? { x, y, times: 0, ways: [] };
    cell.times += sign * times;
    if (cell.times) visits.set(key, cell);
    else visits.delete(key);
  }
}

/** @param {boolean} wanted */
function play(wanted) {
  playing = wanted;
  if (playing && at === frames.length - 1) goTo(0);
  due = 0;
  stale = true;
}

/** Places of the slider: round speeds, and that of the film. @type {number[]} */
let speeds = [];
function framesASecond() { return speeds[Number($("speed").value)]; }

/** @param {number} now */
function loop(now) {
  requestAnimationFrame(loop);
  if (playing) {
    due += framesASecond() * Math.min((now - last) / 1000, 0.2);
    if (due >= 1) { goTo(at + Math.floor(due)); due %= 1; }
    if (at === frames.length - 1) playing = false;
  }
  last = now;
  if (stale) show();
}

function show() {
  stale = false;
  const { frame } = state, value = valueBeside(frame.panels);
  grid.draw(state);
  pressRun(playing, "Play");
  $("tick").textContent = `tick ${frame.tick.toLocaleString("en")}`;
  $("status").textContent = frame.stop ?? "";
  $("timeline").value = String(at);
  $("speed-words").textContent = `${framesASecond()} / s`;
  showPanels(frame, null);
  $("output").textContent = bytesShown(frame.output, hex) + (value === undefined ? "" : `\nvalue ${value}`);
  const { x, y } = state.cursor, look = frame.rows[y - frame.box[1]]?.[x - frame.box[0]];
  $("cell-place").textContent = `${x},${y}`;
  $("cell-words").textContent = look === undefined ? "" : meaning(state.languages[0], frame.looks[look][0] || " ");
}

/** Keys that mean something to parts of the page that have the keyboard. */
const OWN = /** @type {Record<string, RegExp>} */ ({ INPUT: /Arrow|Home|End| /, BUTTON: /^ $/ });
const KEYS = /** @type {Record<string, (event: KeyboardEvent) => void>} */ ({
  " ": () => play(!playing),
  ArrowRight: (event) => { play(false); goTo(at + (event.shiftKey ? 10 : 1)); },
  ArrowLeft: (event) => { play(false); goTo(at - (event.shiftKey ? 10 : 1)); },
  Home: () => goTo(0),
  End: () => goTo(frames.length - 1),
  f: fit, "+": () => zoom(1.25), "-": () => zoom(0.8),
});

/** As large as there is room for, and no smaller than can be read. */
function fit() {
  grid.fit(whole, 0, LARGEST);
  const high = whole[3] - whole[1] + 3, { clientHeight } = $("grid");
  const [least, easy] = grid.coloured ? [COLOURED, COLOURED] : [READABLE, EASY];
  if (grid.size < least) grid.size = grid.exact = Math.max(least, Math.min(easy, Math.floor(clientHeight / high)));
  following = true;
  follow();
  stale = true;
}

/** Somebody looks elsewhere. */
function leave() { following = false; stale = true; }
/** @param {number} factor @param {number} [x] @param {number} [y] */
function zoom(factor, x, y) {
  const box = $("grid").getBoundingClientRect();
  grid.zoom(factor, x ?? box.left + box.width / 2, y ?? box.top + box.height / 2);
  leave();
}

/** @param {boolean} wanted */
function showHeat(wanted) {
  grid.heat = wanted ? visits : null;
  $("heat").setAttribute("aria-pressed", String(wanted));
  stale = true;
}

function wire() {
  $("run").onclick = () => play(!playing);
  $("step").onclick = () => { play(false); goTo(at + 1); };
  $("back").onclick = () => { play(false); goTo(at - 1); };
  $("reset").onclick = () => goTo(0);
  $("timeline").oninput = () => { play(false); goTo(Number($("timeline").value)); };
  $("speed").oninput = () => { stale = true; };
  $("hex").onclick = () => { hex = !hex; $("hex").setAttribute("aria-pressed", String(hex)); stale = true; };
  $("heat").onclick = () => showHeat(!grid.heat);
  $("fit").onclick = fit;
  $("zoom-in").onclick = () => zoom(1.25);
  $("zoom-out").onclick = () => zoom(0.8);
  document.addEventListener("keydown", (event) => {
    const act = KEYS[event.key], own = OWN[/** @type {any} */ (event.target).tagName];
    if (!act || event.ctrlKey || event.metaKey || own?.test(event.key)) return;
    act(event);
    event.preventDefault();
  });
  addEventListener("resize", () => { following ? fit() : stale = true; });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { stale = true; });
  wireMouse();
}

function wireMouse() {
  /** @type {{x: number, y: number, left: number, top: number} | null} */
  let held = null;
  $("grid").addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    $("grid").setPointerCapture(event.pointerId);
    held = { x: event.clientX, y: event.clientY, left: grid.left, top: grid.top };
    state = { ...state, cursor: grid.cellAt(event.clientX, event.clientY) };
    stale = true;
  });
  $("grid").addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
    if (!held || (following && Math.hypot(event.clientX - held.x, event.clientY - held.y) < 4)) return;  // a click
    grid.left = held.left - (event.clientX - held.x) / grid.size;
    grid.top = held.top - (event.clientY - held.y) / grid.size;
    leave();
  });
  $("grid").addEventListener("pointerup", () => { held = null; });
  $("grid").addEventListener("wheel", (/** @type {WheelEvent} */ event) => {
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.clientX, event.clientY);
  }, { passive: false });
}

const run = await unpackedRun();
frames = wholeFrames(run.frames);
state = { ...state, languages: [run.language], language: run.language.name };
document.title = run.title;
$("title").textContent = run.title;
$("timeline").max = String(frames.length - 1);
speeds = [...new Set([run.fps, ...Array.from({ length: 10 }, (_, place) => Number(speedOf(place)))])].sort((a, b) => a - b);
$("speed").max = String(speeds.length - 1);
$("speed").value = String(speeds.indexOf(run.fps));
wire();
grid.coloured = Boolean(run.language.coloured);
grid.ported = [Boolean(frames[0].ports), Boolean(frames[0].columnPorts)];
$("heat").hidden = !frames[0].visits;
if (frames[0].visits) showHeat(true);
whole = wholeOf(frames);
goTo(0);
fit();
play(frames.length > 1 && !matchMedia("(prefers-reduced-motion: reduce)").matches);
requestAnimationFrame((now) => { last = now; loop(now); });
