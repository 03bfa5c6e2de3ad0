// @ts-check
// A card beside the cell where the hand is: what it does, what can be asked of it, and how what is selected is edited.
import { selection } from "./edit.js";
import { instructionOf, prose } from "./panels.js";

/** Pixels around the card, and how far it may be from its cell. */
const GAP = 10, NEAR = 200;

/** @param {{state: () => any, language: () => any, glyph: (x: number, y: number) => string, grid: any, dragging: () => boolean, changed: () => void}} studio */
export function startHand({ state, language, glyph, grid, dragging, changed }) {
  const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
  const card = $("hand");
  let open = false, block = false;

  /** @param {boolean} wanted */
  function show(wanted) { open = wanted; $("hover").hidden = true; changed(); }
  // The mouse leaves the keyboard where it is: one goes on typing after a click.
  card.addEventListener("mousedown", (/** @type {Event} */ event) => { if (/** @type {any} */ (event.target).tagName !== "SELECT") event.preventDefault(); });
  card.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape") { show(false); $("grid").focus(); }
  });

  $("hand-close").onclick = () => { show(false); $("grid").focus(); };
  $("grid").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const { key } = event, typed = Array.from(key).length === 1 && !event.ctrlKey && !event.metaKey;
    if (key === "F2") { show(!open); event.preventDefault(); }
    else if (typed || /^(Backspace|Delete|Enter|Escape)$/.test(key)) show(false);
  });

  /** The cell, or how many are selected. @param {{left: number, top: number, right: number, bottom: number}} box */
  function fill({ left, top, right, bottom }) {
    const many = right > left || bottom > top;
    if (many !== block) { block = many; open ||= many; }  // what has been selected can be edited at once
    const { x, y } = state().cursor, sign = glyph(x, y), row = instructionOf(language(), sign);
    card.classList.toggle("block", many);
    $("cell-sign").textContent = many ? "" : sign === " " ? "␣" : sign;
    $("cell-name").textContent = many ? `${right - left + 1} × ${bottom - top + 1} cells` : row?.name ?? "nothing";
    $("cell-place").textContent = `${x},${y}`;
    $("cell-words").textContent = prose(row?.doc ?? "This sign does nothing.");
  }

  /** Where the card covers nothing of the plane, if that is near; else a cell away from what is selected.
   * @param {{left: number, top: number, right: number, bottom: number}} box @param {number[]} plane */
  function place(box, plane) {
    const { size } = grid, wide = grid.canvas.clientWidth, high = grid.canvas.clientHeight, w = card.offsetWidth, h = card.offsetHeight;
    const [x0, x1, l, r] = [box.left, box.right + 1, plane[0], plane[2] + 1].map((x) => (x - grid.left) * size);
    const [y0, y1, t, b] = [box.top, box.bottom + 1, plane[1], plane[3] + 1].map((y) => (y - grid.top) * size);
    if (x1 < 0 || y1 < 0 || x0 > wide || y0 > high) { card.classList.add("away"); return; }
    const gap = GAP + Math.min(size, 30);
    const places = [[x0, b + GAP], [x0, t - GAP - h], [r + GAP, y0], [l - GAP - w, y0], [x1 + gap, y1 + gap], [x0 - gap - w, y1 + gap], [x1 + gap, y0 - gap - h], [x0 - gap - w, y0 - gap - h]];
    const fits = (/** @type {number[]} */ [x, y]) => x >= GAP && y >= GAP && x + w + GAP <= wide && y + h + GAP <= high;
    const near = (/** @type {number[]} */ [x, y]) => Math.max(x - x1, x0 - x - w, y - y1, y0 - y - h) < NEAR;
    const [x, y] = places.find((each) => fits(each) && near(each)) ?? [x1 + gap, y1 + gap];
    card.style.left = `${Math.max(GAP, Math.min(x, wide - w - GAP))}px`;
    card.style.top = `${Math.max(GAP, Math.min(y, high - h - GAP))}px`;
  }

  return {
    show,
    /** After the plane was drawn. */
    shown() {
      const { frame } = state(), box = selection(state());
      if (!frame) return;
      fill(box);
      const away = !open || frame.running || dragging();
      card.classList.toggle("away", away);
      if (!away) place(box, frame.plane ?? [0, 0, 0, 0]);
    },
  };
}
