// @ts-check
// What a cell does: in words, with a small drawing of the ways through it, and below the mouse.
import { instructionOf } from "./panels.js";

const SVG = "http://www.w3.org/2000/svg";

/** @param {string} tag @param {Record<string, any>} attributes */
function shape(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}

/** Whether going through a cell is more than going straight on. @param {any[]} ways */
export function turns(ways) {
  return ways.some((way) => way.to.length > 1 || way.to[0] === "ends" || typeof way.to[0] !== "string" && (way.to[0].length !== 1 || String(way.to[0][0]) !== String(way.from)));
}

/** One heading that comes in, and those that go out. @param {any} way */
export function drawing(way) {
  const [dx, dy] = way.from, length = Math.hypot(dx, dy) || 1, svg = shape("svg", { viewBox: "-24 -24 48 48", width: 48, height: 48, role: "img", "aria-label": words(way) });
  const title = shape("title", {});
  title.textContent = words(way);
  svg.append(title, shape("rect", { x: -14, y: -14, width: 28, height: 28, class: "cell" }));
  svg.append(shape("line", { x1: -22 * dx / length, y1: -22 * dy / length, x2: 0, y2: 0, class: "come" }));
  way.to.forEach((/** @type {any} */ to, /** @type {number} */ at) => {
    if (typeof to === "string") svg.append(shape("circle", { r: 4, class: "end" }));
    else for (const [ox, oy] of to) arrow(svg, ox, oy, at === 1 ? "go other" : "go");
  });
  return svg;
}

/** @param {Element} svg @param {number} dx @param {number} dy @param {string} kind */
function arrow(svg, dx, dy, kind) {
  const length = Math.hypot(dx, dy);
  if (!length) { svg.append(shape("circle", { r: 4, class: "end" })); return; }
  const ux = dx / length, uy = dy / length;
  svg.append(shape("line", { x1: 0, y1: 0, x2: 16 * ux, y2: 16 * uy, class: kind }));
  svg.append(shape("polygon", { points: `${22 * ux},${22 * uy} ${15 * ux - 4 * uy},${15 * uy + 4 * ux} ${15 * ux + 4 * uy},${15 * uy - 4 * ux}`, class: `${kind} head` }));
}

const NAMES = /** @type {Record<string, string>} */ ({ "1,0": "right", "-1,0": "left", "0,1": "down", "0,-1": "up", "1,1": "down right", "-1,1": "down left", "1,-1": "up right", "-1,-1": "up left", "0,0": "nowhere" });

/** A way in words. @param {any} way */
export function words(way) {
  const told = way.to.map((/** @type {any} */ to) => typeof to === "string" ? to : "goes " + to.map((/** @type {any} */ one) => NAMES[String(one)] ?? String(one)).join(" and "));
  return told.length > 1 ? `heading ${way.name}: ${told[0]} for 0, else ${told[1]}` : `heading ${way.name}: ${told[0]}`;
}

/** Shows what the cell at the cursor does, and what lies below the mouse.
 * @param {{say: (message: any) => void, state: () => any, language: () => any, glyph: (x: number, y: number) => string, grid: any}} studio */
export function startCellInfo(studio) {
  const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
  let asked = "", shown = "";
  /** @type {number | undefined} */
  let soon;
  const hover = $("hover"), canvas = $("grid");
  canvas.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
    if (event.pointerType === "touch" || event.buttons) { hover.hidden = true; return; }
    const { x, y } = studio.grid.cellAt(event.clientX, event.clientY), box = $("stage").getBoundingClientRect();
    const visits = studio.grid.heat?.get(`${x},${y}`);
    const sign = studio.glyph(x, y), name = instructionOf(studio.language(), sign)?.name ?? "nothing";
    hover.textContent = `${x},${y}  ${sign} ${name}${visits ? `, executed ${visits.times.toLocaleString("en")} times` : ""}`;
    hover.hidden = false;
    hover.style.left = `${Math.min(event.clientX - box.left + 14, box.width - hover.offsetWidth - 4)}px`;
    hover.style.top = `${Math.min(event.clientY - box.top + 18, box.height - hover.offsetHeight - 4)}px`;
  });
  canvas.addEventListener("pointerleave", () => { hover.hidden = true; });
  return {
    /** Ask about the cell at the cursor if it is another one. */
    look() {
      const state = studio.state(), { x, y } = state.cursor, sign = studio.glyph(x, y);
      const key = `${state.language} ${x},${y} ${sign}`;
      if (!state.frame || state.frame.running || key === asked) return;
      asked = key;
      clearTimeout(soon);
      soon = window.setTimeout(() => studio.say({ do: "cell", at: [x, y] }), 120);
    },
    /** @param {any} message */
    hear(message) {
      if (message.opened) asked = shown = "";
      if (!message.cell) return;
      const { ways } = message.cell, key = JSON.stringify(ways);
      if (key === shown) return;
      shown = key;
      $("ways").replaceChildren(...(turns(ways) ? ways.map(drawing) : []));
    },
  };
}
