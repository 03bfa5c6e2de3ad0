// @ts-check
// All examples on cards with small moving pictures, fetched when they come into sight.
import { WALKERS } from "./grid.js";
import { isDark } from "./theme.js";

const WIDE = 144, HIGH = 81;

/** @param {{say: (message: any) => void, state: () => any, open: (file: string) => void}} studio */
export function startGallery(studio) {
  const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
  /** @type {Map<string, {canvas: HTMLCanvasElement, draw: ((turn: number) => void) | null}>} */
  const cards = new Map();
  /** @type {string[]} */
  let waiting = [];
  let busy = false, turn = 0, last = 0;

  const sight = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const file = /** @type {HTMLElement} */ (entry.target).dataset.file ?? "";
      if (entry.isIntersecting && !cards.get(file)?.draw && !waiting.includes(file)) waiting.push(file);
    }
    next();
  }, { root: $("cards") });

  function next() {
    const file = waiting.shift();
    if (busy || !file || !$("gallery").open) return;
    busy = true;
    studio.say({ do: "thumbnail", file, dark: isDark() });
  }

  /** @param {any} example */
  function card(example) {
    const button = document.createElement("button"), canvas = document.createElement("canvas");
    const language = studio.state().languages.find((/** @type {any} */ each) => each.name === example.language);
    button.type = "button";
    canvas.width = WIDE; canvas.height = HIGH; canvas.dataset.file = example.file; canvas.setAttribute("aria-hidden", "true");
    button.append(canvas);
    for (const [tag, text] of [["b", example.title], ["em", language?.title ?? example.language], ["small", example.description]]) {
      const line = document.createElement(tag);
      line.textContent = text;
      button.append(line);
    }
    button.dataset.language = example.language;
    button.dataset.words = `${example.file} ${example.title} ${example.description} ${example.language}`.toLowerCase();
    button.onclick = () => { $("gallery").close(); studio.open(example.file); };
    cards.set(example.file, { canvas, draw: null });
    sight.observe(canvas);
    return button;
  }

  /** @param {number} now */
  function loop(now) {
    if (!$("gallery").open) return;
    requestAnimationFrame(loop);
    if (now - last < 120) return;
    last = now; turn++;
    for (const { draw } of cards.values()) draw?.(matchMedia("(prefers-reduced-motion: reduce)").matches ? 8 : turn);
  }

  $("gallery-open").onclick = () => { $("gallery").showModal(); next(); requestAnimationFrame(loop); };
  function sift() {
    const word = $("filter").value.toLowerCase(), kind = $("kinds").value;
    for (const button of $("cards").children) button.hidden = !button.dataset.words.includes(word) || kind && button.dataset.language !== kind;
  }
  $("filter").oninput = $("kinds").onchange = sift;
  return {
    /** All cards anew. */
    fill() {
      const { examples, languages } = studio.state(), shown = languages.filter((/** @type {any} */ each) => examples.some((/** @type {any} */ one) => one.language === each.name));
      cards.clear(); waiting = [];
      $("cards").replaceChildren(...examples.map(card));
      $("kinds").replaceChildren(new Option("all languages", ""), ...shown.map((/** @type {any} */ each) => new Option(each.title, each.name)));
      sift();
    },
    /** @param {any} message */
    hear(message) {
      if (!message.thumbnail && !(busy && message.error)) return;
      busy = false;
      const made = cards.get(message.thumbnail?.file);
      if (made) made.draw = message.thumbnail.pictures ? slides(made.canvas, message.thumbnail) : walk(made.canvas, message.thumbnail);
      next();
    },
  };
}

/** @param {string} base64 */
function imageOf(base64) { const image = new Image(); image.src = `data:image/png;base64,${base64}`; return image; }

/** Pictures one after the other. @param {HTMLCanvasElement} canvas @param {any} thumbnail */
function slides(canvas, { pictures }) {
  const images = pictures.map(imageOf), pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  return (/** @type {number} */ turn) => { const image = images[Math.floor(turn / 4) % images.length]; if (image.complete) pen.drawImage(image, 0, 0, WIDE, HIGH); };
}

/** A map, and walkers on it. @param {HTMLCanvasElement} canvas @param {any} thumbnail */
function walk(canvas, { map, places }) {
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")), image = map ? imageOf(map.picture) : null, [left, top, right, bottom] = map?.box ?? [0, 0, 1, 1];
  const size = Math.min(WIDE / (right - left + 1), HIGH / (bottom - top + 1), 12), x0 = (WIDE - (right - left + 1) * size) / 2, y0 = (HIGH - (bottom - top + 1) * size) / 2;
  return (/** @type {number} */ turn) => {
    pen.imageSmoothingEnabled = false;
    pen.clearRect(0, 0, WIDE, HIGH);
    if (image?.complete) pen.drawImage(image, x0, y0, (right - left + 1) * size, (bottom - top + 1) * size);
    places[turn % places.length].forEach(([x, y] = [0, 0], /** @type {number} */ at) => {
      pen.fillStyle = WALKERS[at % WALKERS.length];
      pen.fillRect(x0 + (x - left) * size - 1, y0 + (y - top) * size - 1, Math.max(size, 3) + 2, Math.max(size, 3) + 2);
    });
  };
}
