// @ts-check
// The panels that tell what a frame holds besides its plane; the studio and films share them.
import { WALKERS } from "./grid.js";

/** @param {string} id */
const find = (id) => /** @type {any} */ (document.getElementById(id));

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

/** Stack, registers and walkers of a frame. @param {any} frame */
export function showPanels(frame) {
  const panel = frame.panels;
  find("stack-panel").hidden = !panel.stack;
  find("depth").textContent = panel.depth ?? "";
  fill("stack", panel.stack ?? [], (value) => value);
  find("registers-panel").hidden = !panel.registers;
  find("registers").replaceChildren(...Object.entries(panel.registers ?? {}).flatMap(([name, value]) => [element("dt", name), element("dd", String(value))]));
  find("crowd").textContent = frame.crowd;
  find("walkers").replaceChildren(...frame.walkers.slice(0, 8).map(walkerItem));
}

/** @param {any[]} walker */
function walkerItem([number, x, y, , , heading, mode, hand]) {
  const item = element("li", `${x},${y} ${heading}${mode ? ", " + mode : ""}${hand ? "; hand " + hand : ""}`);
  const dot = document.createElement("i");
  dot.style.background = WALKERS[number % WALKERS.length];
  item.prepend(dot);
  return item;
}

/** What a sign does, in words. @param {any} language @param {string} sign */
export function meaning(language, sign) {
  const row = language?.instructions.find((/** @type {any} */ each) => each.symbol === sign);
  return row ? `${row.symbol} ${row.name}: ${row.doc}` : `${sign} does nothing`;
}
