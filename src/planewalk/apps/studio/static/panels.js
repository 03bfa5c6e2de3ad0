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
 * @param {((item: any) => void)} [click] @param {string} [title] */
export function fill(id, items, words, click, title) {
  const key = JSON.stringify([items, items.map(words)]), list = find(id);
  if (list.dataset.key === key) return;  // a list that is made anew under the mouse cannot be clicked
  list.dataset.key = key;
  list.replaceChildren(...items.map((item) => {
    if (!click) return element("li", words(item));
    const line = document.createElement("li"), button = element("button", words(item));
    button.title = title ?? "";
    button.onclick = () => click(item);
    line.append(button);
    return line;
  }));
}

/** Stack, registers and walkers of a frame; one of them may be followed.
 * @param {any} frame @param {number | null} followed */
export function showPanels(frame, followed) {
  const panel = frame.panels;
  find("stack-panel").hidden = !panel.stack;
  find("depth").textContent = panel.depth ?? "";
  fill("stack", panel.stack ?? [], (value) => value);
  find("registers-panel").hidden = !panel.registers;
  find("registers").replaceChildren(...Object.entries(panel.registers ?? {}).flatMap(([name, value]) => [element("dt", name), element("dd", String(value))]));
  find("crowd").textContent = frame.crowd;
  showWalkers(frame.walkers.slice(0, LISTED), followed);
}

/** The walkers that are near, one button each; what is there is only changed, so that it can be
 * clicked while they run. @param {any[]} walkers @param {number | null} followed */
function showWalkers(walkers, followed) {
  const list = find("walkers");
  while (list.children.length > walkers.length) list.lastChild.remove();
  while (list.children.length < walkers.length) list.append(walkerItem());
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
  button.title = "Follow this walker";
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

/** What a sign does, in words. @param {any} language @param {string} sign */
export function meaning(language, sign) {
  const row = language?.instructions.find((/** @type {any} */ each) => each.symbol === sign);
  return row ? `${row.symbol} ${row.name}: ${row.doc}` : `${sign} does nothing`;
}
