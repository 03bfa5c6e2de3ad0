// @ts-check
// The studio: what the page shows of the state, and what clicks and keys do to it.
import { startGallery } from "./gallery.js";
import { Grid } from "./grid.js";
import { bytesShown, fromBase64 } from "./bytes.js";
import { fill, onWalker, pressRun, showPanels } from "./panels.js";
import { answerTo } from "./question.js";
import { startLayout, startTextView } from "./layout.js";
import { startPalette } from "./palette.js";
import { startPicture } from "./picture.js";
import { startCircuits } from "./circuits.js";
import { at } from "./edit.js";
import { startEditor } from "./editor.js";
import { startHand } from "./hand.js";
import { startReference } from "./reference.js";
import { startScenery } from "./scenery.js";
import { unpacked } from "./share.js";
import { startRunning } from "./running.js";
import { startSharing } from "./sharing.js";
import * as pure from "./state.js";
import { embedded, session } from "./store.js";
import { siteOf } from "./site.js";
import { startTheme } from "./theme.js";
import { startTour } from "./tour.js";
import { chosen, hasDisk, letGo } from "./disk.js";
import { startEmbedded } from "./embedded.js";
import { connect } from "./wire.js";

/** @param {string} id */
const $ = (id) => /** @type {any} */ (document.getElementById(id));
let state = pure.initial();
const grid = new Grid($("grid"), $("map"));
/** The number of the walker that is followed; the first one if nobody chose. @type {number | null} */
let followed = null;
/** What was wrong with the link, until something else is opened than what is there instead; and whether that is an example. */
let trouble = "", instead = false;
let away = "", following = true, fitted = false, stale = true, fresh = true;
let looked = { coarse: false, box: [0, 0, 0, 0] };
const KEPT = "planewalk studio", FIRST = "heart.png";
const OPENING = ["open", "example", "pixel"], CHANGING = ["reload", "edit"];
/** Pixels of a cell whose letter is 12 pixels high: programs that are too wide for that are followed instead of fitted. */
const READABLE = 18;
/** What ends of a run mean where one word does not say it. @type {Record<string, string>} */
const ENDS = { waiting: "waits for input: give it some, or press End" };
/** Programs that were asked for and have not come yet. */
let opening = 0;
/** Whether the program that comes next is that of a link, and whether any has come that can be run. */
let linked = false, isOpen = false;
/** Holds the file that was asked for, once its program is open. @type {(() => void) | null} */
let hold = null;
/** Bytes of a file that fit into a message. */
const MOST_FILE = 6 << 20;

const send = connect(hear, (open, words = "") => {
  away = words || away;  // until the program is open again
  opening = 0;
  stale = fresh = true;
  if (open) say({ do: "hello" });
});
/** @param {any} message */
function say(message) {
  if (CHANGING.includes(message.do) && isOpening()) return;  // or it would change the program that comes
  if (OPENING.includes(message.do)) { trouble = ""; opening++; letGo(); showBusy(); message = { id: "opening", ...message }; }
  send(message.do === "run" ? { ...message, paced: true } : message);
}
function opened() { opening = Math.max(opening - 1, 0); showBusy(); }
function showBusy() { $("grid").setAttribute("aria-busy", String(opening > 0 || !state.frame)); }
/** Whether another program is about to come; tells so. */
function isOpening() {
  if (opening) tell("wait for the program that is being opened");
  return opening > 0;
}
const tell = (/** @type {string} */ words) => { state = { ...state, told: words }; stale = fresh = true; };
const picture = startPicture(say, () => state, tell);
const reference = startReference({ language: () => languageOf(state.language), sign: () => glyph(state.cursor.x, state.cursor.y) });
const scenery = startScenery({
  say, grid, look, glyph, state: () => state, language: () => languageOf(state.language),
  changed: () => { stale = true; }, unfollow: () => { following = false; pressFollow(); },
});
const plain = startTextView(() => state.frame, () => grid.box(), () => { stale = fresh = true; });
const gallery = startGallery({ say, state: () => state, open: (file) => say({ do: "example", file }) });
const tour = startTour();
const sharing = startSharing({
  open: () => openAny(),
  say, program, state: () => state, language: () => languageOf(state.language), output: () => bytesShown(fromBase64(state.output.tail), false),
  tell,
});

/** @param {any} message */
function hear(message) {
  const before = state;
  state = pure.heard(state, message);
  if (message.re === "opening" || message.re === "language") opened();
  if (message.hello) welcome();
  if (message.error && message.re === "language") openExample($("language").value);
  if (message.opened && before.language !== state.language) document.querySelector("aside")?.scrollTo(0, 0);  // its picture, if it has one, is at the top
  if (message.opened && state.complaints.length) {  // of languages that are left out; once is enough
    tell(state.complaints.join("; "));
    state = { ...state, complaints: [] };
  }
  if (message.opened) { fitted = false; followed = null; looked = { coarse: false, box: [0, 0, 0, 0] }; picture.opened(languageOf(state.language), state.options); }
  if (message.opened && message.re) {
    if (linked && !embedded) tell("this program comes from a link; nothing runs until you press Run");
    linked = false; isOpen = true;
  }
  if (message.re === "opening" && !opening) { if (message.opened) hold?.(); hold = null; }
  if (message.error && message.re === "opening") refused(message.error);
  if (message.frame) {
    away = "";
    if (message.frame.running) send({ do: "seen" });
    if (before.frame) grid.remember(before.frame);
    if (!fitted) { fitted = true; remember(); grid.ported = [Boolean(state.frame.ports), Boolean(state.frame.columnPorts)]; grid.fit(state.frame.plane, grid.coloured ? 12 : READABLE); look(); }
    follow();
  }
  picture.hear(message);
  scenery.hear(message);
  gallery.hear(message);
  sharing.hear(message);
  editor.hear(message);
  running.hear(message);
  circuits.hear(message);
  if (message.causes || message.re === "life") requestAnimationFrame(() => requestAnimationFrame(() => $("answer").scrollIntoView({ block: "nearest" })));
  stale = fresh = true;
}

/** @param {string} name */
function languageOf(name) { return state.languages.find((language) => language.name === name); }

/** The first thing that is seen: a link, what was open before, the file that was named, an example. */
async function welcome() {
  $("language").replaceChildren(...state.languages.map((language) => new Option(language.title, language.name)));
  $("version").textContent = `planewalk ${state.version}`;
  gallery.fill();
  if (state.frame || state.language) return restore();
  if (location.hash.length > 1 && kept()?.hash !== location.hash && await openLink()) return;
  const wrong = trouble, example = new URLSearchParams(location.search).get("example"), file = example ?? FIRST;
  if ((example === null || kept()?.search === location.search) && restore()) { trouble = wrong; return; }
  setTimeout(() => { if (!state.language) { say({ do: "example", file }); setSpeed(4); trouble = wrong; } }, 60);
  if (!embedded) tour.first();
}

/** @param {any} data */
function openProgram(data) {
  const { language, text, given, courses, branch, seed, tick, options = {}, name } = data;  // `given`: of links without branches
  say({ do: "open", language, text, given, courses, branch, seed, tick, options, name });
  for (const condition of data.breaks ?? []) say({ do: "break", condition });
}

/** Open what the link in the address holds; says whether there was anything in it. */
async function openLink() {
  try { openProgram(await unpacked(location.hash)); linked = true; return true; }
  catch (error) { trouble = `this link cannot be opened: ${/** @type {Error} */ (error).message}`; stale = fresh = true; return false; }
}
/** What cannot be opened is said beside what is open, or else beside an example. @param {string} words */
function refused(words) {
  if (!isOpen && !instead && !embedded) { instead = true; say({ do: "example", file: FIRST }); }
  if (linked || !isOpen) trouble = linked ? `this link cannot be opened: ${words}` : words;
  linked = false;
}

/** What was open when a link came into this page, and the fragment it had: Back brings it back, edits and all. */
let left = { hash: "", program: /** @type {any} */ (null) };
addEventListener("hashchange", ({ oldURL }) => {
  const before = left.hash === location.hash ? left.program : null;
  left = { hash: new URL(oldURL).hash, program: isOpen ? program() : null };
  if (before) openProgram(before);
  else if (location.hash.length > 1) openLink();
});

/** What this tab had open, and the link or example it came from. */
function kept() { return JSON.parse(session.get(KEPT) ?? "null"); }

/** Open that again, or what is open here, if the server or the worker has lost it. */
function restore() {
  const before = state.frame ? program() : kept();
  if (!before?.language) return false;
  openProgram(before);
  return true;
}

/** What this tab has open, in case of a reload. */
function remember() {
  if (document.body.dataset.python === "coming") return;  // what is seen then is a recording, or not there yet
  if (session.set(KEPT, JSON.stringify({ ...program(), hash: location.hash, search: location.search }))) return;
  session.drop(KEPT);
  tell("this is too much to survive a reload; Save writes it to a file");
}
function program() { return pure.kept(state); }

// Looking ---------------------------------------------------------------------------------------

function look() {
  const need = scenery.box() ?? grid.box(), coarse = grid.isCoarse && !scenery.box();
  const covered = coarse === looked.coarse && need.every((/** @type {number} */ side, /** @type {number} */ at) => at < 2 ? side >= looked.box[at] : side <= looked.box[at]);
  if (!covered) { looked = { coarse, box: scenery.box() ?? grid.box(0.8) }; say({ do: "look", ...looked }); }
  stale = true;
}

function follow() {
  const frame = state.frame;
  if (!following || !frame) return;
  const walker = followed === null ? frame.walkers[0] : frame.walkers.find((/** @type {any[]} */ each) => each[0] === followed);
  if (walker && grid.reveal(walker[1], walker[2])) look();
  if (!walker && followed !== null && frame.walkers.length === frame.crowd) { followed = null; tell("the walker that was followed is gone"); }
}
onWalker((number) => {
  followed = followed === number ? null : number;
  following = true; pressFollow(); follow();
  stale = fresh = true;
});

function show() {
  requestAnimationFrame(show);
  if (!stale) return;
  stale = false;
  const frame = state.frame;
  showBusy();
  grid.breaks = new Set((frame?.breaks ?? []).map((/** @type {any} */ point) => /(-?\d+)\s*,\s*(-?\d+)/.exec(point.text)?.slice(1, 3).join(",")).filter(Boolean));
  grid.draw(state);
  scenery.shown();
  reference.shown();
  plain.shown();
  hand.shown();
  $("status").textContent = away || state.error || trouble || (frame?.running ? "" : ENDS[frame?.stop] ?? frame?.stop ?? "");
  if (!frame) return;
  pressRun(frame.running, "Run");
  $("name").textContent = state.name || "Program";
  $("tick").textContent = `tick ${frame.tick.toLocaleString("en")}`;
  $("live").textContent = state.told;
  const line = $("timeline");
  line.max = String(Math.max(frame.reached, frame.tick, 1));
  if (document.activeElement !== line) line.value = String(frame.tick);
  $("language").value = state.language;
  if (fresh) panels(frame);  // nothing of it changes while the plane is only moved
  fresh = false;
}

/** @param {any} frame */
function panels(frame) {
  showPanels(frame, followed, running);
  running.show(frame);
  circuits.show(frame);
  $("answer").textContent = state.answer.join("\n");
  fill("breaks", frame.breaks, (point) => `● ${point.text}`, (point) => say({ do: "unbreak", id_of: point.id }), "Take this breakpoint away");
  fill("branches", frame.branches.length > 1 ? frame.branches : [], (branch) => `${branch.name === frame.branch ? "▸" : " "} ${branch.name}`, (branch) => say({ do: "switch", branch: branch.name }), "Go to this branch");
  editor.show();
}

/** What stands at a place now. @param {number} x @param {number} y */
function glyph(x, y) {
  const frame = state.frame;
  if (!frame) return " ";
  const look = frame.rows[y - frame.box[1]]?.[x - frame.box[0]];
  const text = look === undefined ? "" : frame.looks[look][0];
  return text || at(state.text, x, y);
}

// Running -----------------------------------------------------------------------------------------

function speed() { return pure.speedOf(Number($("speed").value)); }
function runOrPause() { state.frame?.running ? say({ do: "pause" }) : say({ do: "run", speed: speed() }); }
async function goTo() {
  const tick = await answerTo("Go to tick", String(state.frame?.tick ?? 0));
  if (tick !== null && tick.trim()) say({ do: "ask", line: `goto ${tick}` });
}
$("run").onclick = runOrPause;
$("step").onclick = () => say({ do: "step" });
$("back").onclick = () => say({ do: "back" });
$("reset").onclick = () => say({ do: "goto", tick: 0 });
$("tick").onclick = goTo;
/** @param {number | null} ticks */
function speedWords(ticks) { return ticks === null ? "full speed" : `${ticks.toLocaleString("en")} / s`; }
/** @param {number} place */
function setSpeed(place) {
  $("speed").value = String(place);
  const ticks = speed();
  $("speed-words").textContent = speedWords(ticks);
  $("speed").ariaValueText = $("speed-words").textContent;
  if (state.frame?.running) say({ do: "run", speed: ticks });
}
$("speed").oninput = () => setSpeed(Number($("speed").value));
$("feed").onsubmit = (/** @type {Event} */ event) => {
  event.preventDefault();
  say({ do: "feed", text: $("input").value + "\n" });
  $("input").value = "";
};
$("end-input").onclick = () => say({ do: "feed", text: "" });
$("ask").onsubmit = (/** @type {Event} */ event) => {
  event.preventDefault();
  say({ do: "ask", line: $("line").value });
};
$("break-here").onclick = breakHere;
$("life").onclick = () => say({ do: "ask", line: `life ${state.cursor.x},${state.cursor.y}`, id: "life" });
function breakHere() {
  const { x, y } = state.cursor;
  const known = state.frame?.breaks.find((/** @type {any} */ point) => point.text === `at ${x},${y}`);
  say(known ? { do: "unbreak", id_of: known.id } : { do: "break", condition: `at ${x},${y}` });
}

// Programs ----------------------------------------------------------------------------------------

$("help").onclick = () => {
  $("guides").hidden = !siteOf();
  $("guides").href = `guides/${encodeURIComponent(state.language)}.html`;
  $("tour").showModal();
};
/** The first example of a language. @param {string} name */
function openExample(name) {
  const first = state.examples.find((example) => example.language === name);
  if (first) say({ do: "example", file: first.file });
}
$("language").onchange = () => {
  const language = $("language").value;
  if (state.undo.length) say({ do: "open", language, text: state.text, id: "language" });
  else openExample(language);
};
/** @param {File} file @param {() => void} [held] */
async function openFile(file, held) {
  if (embedded) return;
  if (file.size > MOST_FILE) return tell(`${file.name} has ${(file.size / 1e6).toFixed(1)} MB; the studio opens files of up to ${Math.floor(MOST_FILE / 1e6)} MB, and planewalk run larger ones`);
  opening++; showBusy();
  let bytes;
  try { bytes = new Uint8Array(await file.arrayBuffer().finally(opened)); }
  catch { return tell(`${file.name} cannot be read; is it a folder?`); }
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  const dot = file.name.slice(file.name.lastIndexOf(".")).toLowerCase();
  const found = state.languages.find((language) => language.suffixes.includes(dot)) ?? languageOf(state.language);
  say({ do: "open", language: found.name, source: btoa(text), tick: 0, name: file.name });
  hold = held ?? null;
}
$("open").onclick = openAny;
/** Ask for a file, and open it. */
async function openAny() {
  if (embedded) return;
  if (!hasDisk()) { $("file").click(); return; }
  const found = await chosen();
  if (found) openFile(found.file, found.hold);
}
$("file").onchange = () => { if ($("file").files[0]) openFile($("file").files[0]); };
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  const file = event.dataTransfer?.files[0];
  if (file) openFile(file);
});

// Editing -----------------------------------------------------------------------------------------

/** @param {any} next */
function edit(next) {
  const changed = next.text !== state.text;
  if (changed && isOpening()) return;
  state = next;
  if (changed) { say({ do: "reload", text: state.text }); remember(); picture.edited(); }
  if (grid.reveal(state.cursor.x, state.cursor.y)) look();
  stale = fresh = true;
}
const studio = {
  get state() { return state; },
  put(/** @type {any} */ next) { state = next; stale = fresh = true; },
  edit, say, isOpening, grid, program, language: () => languageOf(state.language),
};
const editor = startEditor(studio), running = startRunning(studio), circuits = startCircuits(studio);
const hand = startHand({ state: () => state, language: studio.language, glyph, grid, dragging: editor.dragging, changed: () => { stale = fresh = true; } });
startPalette({ more: commands, ask: (line) => { $("line").value = line; say({ do: "ask", line }); } });
/** What can be done besides pressing buttons. */
function commands() {
  const speeds = Array.from({ length: pure.FASTEST + 1 }, (_, place) => ({ words: `Speed ${speedWords(pure.speedOf(place))}`, kind: "", act: () => setSpeed(place) }));
  const examples = state.examples.map((each) => ({ words: each.title, kind: `${languageOf(each.language)?.title} example`, act: () => say({ do: "example", file: each.file }) }));
  return [...speeds, ...examples];
}
/** What keys press outside the grid, where they write nothing. @type {Record<string, string>} */
const IDLE = { " ": "run", r: "reset", f: "fit", "+": "zoom-in", "-": "zoom-out" };
/** Whether keys are nobody's. */
function isIdle() { return document.activeElement === document.body; }
document.addEventListener("keydown", (event) => {
  const control = event.ctrlKey || event.metaKey, key = event.key;
  if (key === "F5" && event.shiftKey) say({ do: "goto", tick: 0 });
  else if (key === "F5" || (control && key === "Enter")) runOrPause();
  else if (key === "F10" && event.shiftKey || (control && key === "Backspace")) say({ do: "back" });
  else if (key === "F10" && control) running.runHere();
  else if (key === "F10" || (control && key === ".")) say({ do: "step" });
  else if (key === "F9" && control && event.shiftKey) say({ do: "unbreak" });
  else if (key === "F9") breakHere();
  else if (control && key === "g") goTo();
  else if (key === "F6") $("fit").click();
  else if (key === "F7") $("zoom-out").click();
  else if (key === "F8") $("zoom-in").click();
  else if (isIdle() && !control && Object.hasOwn(IDLE, key)) $(IDLE[key]).click();
  else if (isIdle() && key === "ArrowRight") say({ do: "step", ticks: control ? 10 : 1 });
  else if (isIdle() && key === "ArrowLeft") say({ do: "back", ticks: control ? 10 : 1 });
  else if (/^Page(Up|Down)$/.test(key) && /BODY|CANVAS/.test(document.activeElement?.tagName ?? "")) { grid.top += (key === "PageUp" ? -0.8 : 0.8) * grid.rows; following = false; pressFollow(); look(); }
  else if (key === "?" && !/INPUT|CANVAS/.test(document.activeElement?.tagName ?? "")) $("tour").showModal();
  else return;
  event.preventDefault();
});

// The mouse ---------------------------------------------------------------------------------------

/** @type {{x: number, y: number, left: number, top: number} | null} */
let held = null;
/** @type {number | undefined} */
let pressing;
const LONG = 450, STILL = 8;
$("grid").addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
  clearTimeout(pressing);
  $("grid").focus();
  $("grid").setPointerCapture(event.pointerId);
  if (!editor.down(event)) {
    held = { x: event.clientX, y: event.clientY, left: grid.left, top: grid.top };
    if (event.pointerType === "touch") pressing = window.setTimeout(() => pressedLong(event), LONG);
  }
  stale = fresh = true;
});
/** A finger that stays where it is begins to select, as the mouse does at once. @param {PointerEvent} event */
function pressedLong(event) {
  if (!held || scenery.pinching()) return;
  held = null;
  editor.down(event, true);
  stale = fresh = true;
}
$("grid").addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
  if (!held) { editor.move(event); return; }
  if (Math.hypot(event.clientX - held.x, event.clientY - held.y) < STILL && pressing) return;
  clearTimeout(pressing); pressing = undefined;
  if (scenery.pinching()) return;
  following = false; pressFollow();
  grid.left = held.left - (event.clientX - held.x) / grid.size; grid.top = held.top - (event.clientY - held.y) / grid.size;
  look();
});
$("grid").addEventListener("pointerup", (/** @type {PointerEvent} */ event) => {
  clearTimeout(pressing); pressing = undefined;
  const tapped = held && Math.hypot(event.clientX - held.x, event.clientY - held.y) < STILL;
  if (tapped) state = { ...state, cursor: grid.cellAt(event.clientX, event.clientY), anchor: null };
  held = null;
  if (editor.up() === "select" || tapped) hand.show(true);
  stale = fresh = true;
});
$("grid").addEventListener("wheel", (/** @type {WheelEvent} */ event) => { event.preventDefault(); grid.zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.clientX, event.clientY); look(); }, { passive: false });
$("grid").addEventListener("focus", () => { stale = fresh = true; });
$("grid").addEventListener("blur", () => { stale = fresh = true; });
function centre() { const box = $("grid").getBoundingClientRect(); return /** @type {[number, number]} */ ([box.left + box.width / 2, box.top + box.height / 2]); }
$("zoom-in").onclick = () => { grid.zoom(1.25, ...centre()); look(); };
$("zoom-out").onclick = () => { grid.zoom(0.8, ...centre()); look(); };
$("fit").onclick = () => { grid.fit(state.frame?.plane); look(); };
function pressFollow() { $("follow").setAttribute("aria-pressed", String(following)); }
$("follow").onclick = () => { following = !following; pressFollow(); follow(); };
new ResizeObserver(() => { if (state.frame) look(); }).observe($("ground"));  // signs, a search and the window take room
addEventListener("beforeunload", remember);
/** @type {any} */
let saved = {};
setInterval(() => {
  if (!state.frame || !state.language || (state.frame === saved.frame && state.text === saved.text)) return;
  saved = state;
  remember();
}, 1000);
if (embedded) startEmbedded(() => sharing.link());
startLayout(() => { look(); });
startTheme($("theme"), () => { stale = fresh = true; });
setSpeed(pure.FASTEST);
show();
