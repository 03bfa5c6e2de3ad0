// @ts-check
// The panels that tell what a frame holds besides its plane; the studio and films share them.
import { WALKERS } from "./grid.js";

/** @param {string} id */
const find = (id) => /** @type {any} */ (document.getElementById(id));
const LISTED = 40;

/** @param {string} tag @param {string} text */
export function element(tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

/** Fill a list; with `click` its items are buttons.
 * @param {string} id @param {any[]} items @param {(item: any) => string} words
 * @param {((item: any, at: number) => void)} [click] @param {string} [title] */
export function fill(id, items, words, click, title) {
  refill(find(id), JSON.stringify([items, items.map(words)]), () => items.map((item, at) => {
    const line = document.createElement("li");
    line.append(click ? pressable(words(item), () => click(item, at), title) : words(item));
    return line;
  }));
}

/** @param {string} words @param {() => void} click @param {string} [title] */
function pressable(words, click, title = "") {
  const button = /** @type {HTMLButtonElement} */ (element("button", words));
  button.title = title;
  button.onclick = click;
  return button;
}

/** Make the items of a list anew if they are others; who had the keyboard keeps it. @param {any} list @param {string} key @param {() => Node[]} make */
function refill(list, key, make) {
  if (list.dataset.key === key) return;  // a list that is made anew under the mouse cannot be clicked
  list.dataset.key = key;
  const held = buttonsOf(list).indexOf(document.activeElement);
  list.replaceChildren(...make());
  const buttons = buttonsOf(list), at = Math.min(Math.max(held, 0), buttons.length - 1);
  stopAt(buttons, at);
  if (held >= 0) buttons[at]?.focus();
}

/** @param {any} list @returns {any[]} */
const buttonsOf = (list) => Array.from(list.querySelectorAll("button"));

/** Let the tabulator stop at one of some buttons. @param {any[]} buttons @param {number} at */
function stopAt(buttons, at) { buttons.forEach((button, i) => { button.tabIndex = i === at ? 0 : -1; }); }

/** A list that is one stop of the tabulator: arrows go through it, Enter does `enter` with the number
 * of its item, Escape leaves. @param {string} id @param {((at: number) => void) | null} enter */
export function rove(id, enter) {
  const list = find(id);
  list.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const buttons = buttonsOf(list), at = buttons.indexOf(event.target), last = buttons.length - 1;
    const to = /** @type {Record<string, number>} */ ({ ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: last })[event.key];
    if (at < 0 || event.ctrlKey || event.metaKey) return;
    if (to !== undefined) { stopAt(buttons, Math.min(Math.max(to, 0), last)); buttons[Math.min(Math.max(to, 0), last)].focus(); }
    else if (event.key === "Escape") find("grid").focus();
    else if (event.key === "Enter" && enter) enter(at);
    else return;
    event.preventDefault();
  });
}

/** Let the button that runs say what it would do now. @param {boolean} running @param {string} word */
export function pressRun(running, word) {
  const button = find("run");
  button.querySelector("use").setAttribute("href", running ? "#i-pause" : "#i-play");
  button.lastElementChild.textContent = running ? "Pause" : word;
}

/** What a run has come to, if no register says so already. @param {any} panels @returns {string | undefined} */
export function valueBeside({ value, registers }) { return String(registers?.value) === String(value) ? undefined : value; }

/** What a click does with a value of the stack, and with a register.
 * @typedef {{why?: (at: number) => void, register?: (name: string, value: string) => void}} Deeds */

/** Stack, registers and walkers of a frame; one of them may be followed.
 * @param {any} frame @param {number | null} followed @param {Deeds} [deeds] */
export function showPanels(frame, followed, { why, register } = {}) {
  const panel = frame.panels;
  find("stack-panel").hidden = !panel.stack;
  find("depth").textContent = panel.depth ?? "";
  fill("stack", panel.stack ?? [], (value) => value, why && ((_, at) => why(at)), "Where does it come from? Enter or a double click changes it");
  find("registers-panel").hidden = !panel.registers;
  const registers = Object.entries(panel.registers ?? {});
  refill(find("registers"), JSON.stringify(registers), () => registers.flatMap(([name, value]) => {
    const held = document.createElement("dd");
    held.append(register ? pressable(String(value), () => register(name, String(value)), "Change it from now on") : String(value));
    held.firstElementChild?.setAttribute("aria-label", `${name}: ${value}`);
    return [element("dt", name), held];
  }));
  find("crowd").textContent = frame.crowd;
  showWalkers(frame.walkers.slice(0, LISTED), followed);
}

/** The walkers that are near, one button each; what is there is only changed, so that it can be
 * clicked while they run. @param {any[]} walkers @param {number | null} followed */
function showWalkers(walkers, followed) {
  const list = find("walkers");
  while (list.children.length > walkers.length) list.lastChild.remove();
  while (list.children.length < walkers.length) list.append(walkerItem());
  if (!list.querySelector("[tabindex='0']")) stopAt(buttonsOf(list), 0);
  walkers.forEach(([number, x, y, , , heading, mode, hand], at) => {
    const button = list.children[at].firstChild;
    button.dataset.walker = String(number);
    button.setAttribute("aria-pressed", String(number === followed));
    button.firstChild.style.background = WALKERS[number % WALKERS.length];
    button.lastChild.textContent = `${x},${y} ${heading}${mode ? ", " + mode : ""}${hand ? "; hand " + hand : ""}`;
  });
}

function walkerItem() {
  const item = document.createElement("li"), button = document.createElement("button");
  button.title = "Follow this walker; Enter or a double click moves it";
  button.tabIndex = -1;
  button.append(document.createElement("i"), "");
  item.append(button);
  return item;
}

/** Do something with a walker that is clicked. @param {(number: number) => void} choose */
export function onWalker(choose) {
  find("walkers").addEventListener("click", (/** @type {Event} */ event) => {
    const button = /** @type {any} */ (event.target).closest("button");
    if (button) choose(Number(button.dataset.walker));
  });
}

/** Words without the marks of code in them. @param {string} words */
export const prose = (words) => words.replace(/`([^`]+)`/g, "$1");

/** What is known of a sign, if it does anything. @param {any} language @param {string} sign */
export function instructionOf(language, sign) {
  return language?.instructions.find((/** @type {any} */ each) => each.symbol === sign);
}

/** What a sign does, in words. @param {any} language @param {string} sign */
export function meaning(language, sign) {
  const row = instructionOf(language, sign);
  return row ? `${row.symbol} ${row.name}: ${prose(row.doc)}` : `${sign} does nothing`;
}
