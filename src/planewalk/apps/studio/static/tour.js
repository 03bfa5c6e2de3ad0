// @ts-check
// A short tour: a card that points at one thing after the other, and never stands in the way.
import { local } from "./store.js";

const STOPS = [
  ["#run", "Run and pause here: walkers go over the plane, and every cell they step on does something."],
  ["#back", "Every run can be walked back, step by step, or by dragging the line at the bottom."],
  ["#grid", "The grid is an editor: click a cell and type. The same moment of the changed program is shown at once."],
  ["#grid", "A click on a cell, or F2, tells what it does. Ask who wrote it, or stop when a walker comes by."],
  ["#heat", "Heat shows where walkers went most; 3D rolls the plane up as its edges are joined."],
  ["#files-open", "There are examples of every language, with moving pictures; files are opened and saved here, too."],
  ["#commands-open", "Everything else is found by typing: Ctrl+K."],
  ["#share", "Share copies a link that holds the program and this very moment. This tour is in Help."],
];

/** @returns {{start: () => void, first: () => void}} */
export function startTour() {
  const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
  const card = $("guide");
  let at = 0, touring = false;

  function show() {
    const [selector, words] = STOPS[at], target = document.querySelector(selector);
    document.querySelector(".pointed")?.classList.remove("pointed");
    $("guide-words").textContent = words;
    $("guide-count").textContent = `${at + 1} of ${STOPS.length}`;
    $("guide-back").disabled = at === 0;
    $("guide-next").textContent = at === STOPS.length - 1 ? "Done" : "Next";
    touring = true;
    settle();
    if (!target) return;
    target.classList.add("pointed");
    target.scrollIntoView({ block: "nearest" });
    const box = target.getBoundingClientRect(), wide = card.offsetWidth, high = card.offsetHeight;
    const below = box.bottom + 10, above = box.top - high - 10;
    card.style.left = `${Math.max(8, Math.min(box.left, innerWidth - wide - 8))}px`;
    card.style.top = `${below + high < innerHeight ? below : above > 8 ? above : Math.max(8, box.top + 24)}px`;  // in what is larger than the room beside it
  }
  /** Stand aside for dialogs, and come back after them. */
  function settle() { card.hidden = !touring || document.querySelector("dialog[open]") !== null; }
  function end() {
    touring = false;
    settle();
    document.querySelector(".pointed")?.classList.remove("pointed");
    local.set("planewalk toured", "1");
  }
  function start() { at = 0; show(); $("guide-next").focus({ preventScroll: true }); }
  $("guide-next").onclick = () => { if (++at < STOPS.length) show(); else end(); };
  $("guide-back").onclick = () => { at--; show(); };
  $("guide-end").onclick = end;
  document.addEventListener("keydown", (event) => { if (event.key === "Escape" && !card.hidden) end(); });
  for (const dialog of document.querySelectorAll("dialog")) new MutationObserver(() => { if (touring) settle(); }).observe(dialog, { attributeFilter: ["open"] });
  addEventListener("resize", () => { if (!card.hidden) show(); });
  $("guide-start").onclick = () => { $("tour").close(); start(); };
  return { start, first() { if (!local.get("planewalk toured")) { at = 0; show(); } } };
}
