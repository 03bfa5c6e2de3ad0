// @ts-check
// What is seen before Python is there: languages and examples, and the first example as it was recorded, in motion.

/** Rows and columns of a program that are shown at first. */
const MOST = 200;
/** Messages that are said again once a program is open. */
const IDLE = ["seen", "look", "marks", "map"];

/** @param {import("./site.js").Site} site @param {(message: any) => void} hear */
export function playFirst(site, hear) {
  /** What was recorded. @type {Promise<any>} */
  const recorded = fetch(new URL(`${site.folder}/first.json`, document.baseURI)).then((response) => response.json());
  /** Frames of the film that is playing. @type {any[] | null} */
  let film = null;
  let at = 0, playing = false, over = false, speed = 1, file = "", last = 0, due = 0;

  /** @param {any} message */
  async function begin(message) {
    const { opened, frames, pace } = await recorded;
    if (over) return;
    film = frames; file = message.file; speed = pace; at = 0;
    hear({ opened, re: message.id });
    playing = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    show();
    requestAnimationFrame(loop);
  }
  function show() { hear({ frame: { ...film?.[at], running: playing } }); }
  /** @param {number} now */
  function loop(now) {
    if (over || !film) return;
    requestAnimationFrame(loop);
    due = playing ? due + speed * Math.min((now - last) / 1000 || 0, 0.2) : 0;
    last = now;
    for (; due >= 1 && at < film.length - 1; due--) { at++; show(); }  // where it ends, Python goes on
  }
  /** Show a program as it is written, until Python knows more of it. @param {any} message */
  async function preview({ language, text, name = "", options = {}, seed = 0, tick = 0 }) {
    const known = (await recorded).hello.languages.find((/** @type {any} */ each) => each.name === language);
    if (over || !known) return;
    const lines = text.replace(/\n$/, "").split("\n").slice(0, MOST), wide = Math.max(1, ...lines.map((/** @type {string} */ line) => Math.min(line.length, MOST)));
    const signs = [...new Set(["", ...lines.join("")])], rows = lines.map((/** @type {string} */ line) => Array.from({ length: wide }, (_, x) => Math.max(0, signs.indexOf(line[x] ?? ""))));
    const looks = signs.map((sign) => { const row = known.instructions.find((/** @type {any} */ each) => each.symbol === sign); return [sign === " " ? "" : sign, row?.group ?? "other", row?.colour ?? null]; });
    const box = [0, 0, wide - 1, lines.length - 1];
    hear({ opened: { language, text, name, options, seed, writable: false, notes: [], edges: null } });
    hear({ frame: { tick, box, plane: box, rows, looks, walkers: [], crowd: 0, panels: {}, stop: null, reached: tick, branch: "", branches: [], breaks: [], running: false } });
  }
  return {
    /** Whether a message is answered from what was recorded. @param {any} message */
    takes(message) {
      if (message.do === "hello") { recorded.then(({ hello }) => { if (!over) hear({ hello }); }); return true; }
      if (message.do === "example" && message.file === site.first && !film) { begin(message); return true; }
      if (IDLE.includes(message.do)) return true;
      if (message.do === "open" && typeof message.text === "string") preview(message);
      if (!film) return false;
      if (message.do === "pause") { playing = false; show(); return true; }
      if (message.do === "run" && !message.until) { playing = true; speed = message.speed ?? 1000; return true; }
      return false;
    },
    /** Stop, since Python is there now; what takes it to where the film is. */
    end() {
      over = true;
      if (!film) return [];
      const there = [{ do: "example", file }, { do: "goto", tick: film[at].tick }];
      return playing ? [...there, { do: "run", speed, paced: true }] : there;
    },
  };
}
