// @ts-check
// Panels that can be made wider, narrower or closed, and stay so; and the plane as plain text.

import { local } from "./store.js";

const KEY = "planewalk layout";

/** What was chosen before. @returns {{wide?: number, closed?: string[]}} */
function kept() {
  try { return JSON.parse(local.get(KEY) ?? "{}") ?? {}; }
  catch { return {}; }
}

/** @param {() => void} changed */
export function startLayout(changed) {
  const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
  const split = $("split"), found = kept(), closed = new Set(found.closed ?? []);
  let wide = found.wide ?? 320;

  function keep() { local.set(KEY, JSON.stringify({ wide, closed: [...closed] })); }
  /** @param {number} wanted */
  function set(wanted) {
    wide = Math.round(Math.max(200, Math.min(wanted, innerWidth - 240)));
    document.documentElement.style.setProperty("--side", `${wide}px`);
    split.setAttribute("aria-valuenow", String(wide));
    changed();
  }
  split.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => split.setPointerCapture(event.pointerId));
  split.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => { if (event.buttons) set(innerWidth - event.clientX); });
  split.addEventListener("pointerup", keep);
  split.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const by = { ArrowLeft: 24, ArrowRight: -24 }[event.key];
    if (!by) return;
    set(wide + by);
    keep();
    event.preventDefault(); event.stopPropagation();
  });
  set(wide);

  for (const section of document.querySelectorAll("aside > section")) closable(section);
  /** @param {Element} section */
  function closable(section) {
    const title = section.querySelector("h2"), name = title?.firstChild?.textContent?.trim() ?? "";
    if (!title || !name) return;
    const button = document.createElement("button");
    button.className = "fold";
    const show = () => {
      const open = !closed.has(name);
      section.classList.toggle("folded", !open);
      button.setAttribute("aria-expanded", String(open));
      button.setAttribute("aria-label", `${open ? "Close" : "Open"} ${name}`);
      button.textContent = open ? "▾" : "▸";
    };
    button.onclick = () => { closed.has(name) ? closed.delete(name) : closed.add(name); show(); keep(); };
    title.append(button);
    show();
  }
}

/** The part of the plane that is seen, and who is on it, as lines. @param {any} frame @param {number[]} box */
export function planeAsText(frame, [left, top, right, bottom]) {
  const lines = [], [boxLeft, boxTop] = frame.box;
  for (let y = top; y <= bottom; y++) {
    let line = "";
    for (let x = left; x <= right; x++) {
      const look = frame.rows[y - boxTop]?.[x - boxLeft];
      line += (look === undefined ? "" : frame.looks[look][0]).slice(0, 1) || " ";
    }
    if (line.trim()) lines.push(`${String(y).padStart(4)}: ${line.trimEnd()}`);
  }
  for (const [number, x, y, , , heading, mode, hand] of frame.walkers.slice(0, 20)) {
    lines.push(`walker ${number} at ${x},${y} heading ${heading}${mode ? `, ${mode}` : ""}${hand ? `, hand at ${hand}` : ""}`);
  }
  const seen = boxLeft <= left && frame.box[2] >= Math.min(right, left + 1);
  if (!seen) lines.unshift("these are too many cells to be read: make them larger");
  return [`tick ${frame.tick}, columns ${left} to ${right}`, ...lines].join("\n");
}

/** A button that shows the plane as text. @param {() => any} frame @param {() => number[]} box @param {() => void} changed */
export function startTextView(frame, box, changed) {
  const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
  const view = $("plane-text"), button = $("plane-text-open");
  button.onclick = () => { view.hidden = !view.hidden; button.setAttribute("aria-pressed", String(!view.hidden)); changed(); };
  return { shown() { const seen = frame(); if (!view.hidden && seen) { const text = planeAsText(seen, box()); if (view.textContent !== text) view.textContent = text; } } };
}
