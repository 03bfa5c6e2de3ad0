// @ts-check
// The tools around the plane: trails, heat, the small map, the solid, and what cells do.
import { startCellInfo } from "./cellinfo.js";
import { GROUPS, WALKERS, groundOf } from "./grid.js";
import { Chart, heatOf, short, topology } from "./layers.js";
import { startSolid } from "./solid.js";
import { isDark } from "./theme.js";
import { paintCells } from "./tiles.js";

/** @param {{say: (message: any) => void, state: () => any, language: () => any, glyph: (x: number, y: number) => string, grid: any, look: () => void, changed: () => void, unfollow: () => void}} studio */
export function startScenery(studio) {
  const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
  const { say, grid, changed } = studio;
  const chart = new Chart(say, changed), info = startCellInfo(studio);
  grid.chart = chart;
  let heated = false, asking = false, counted = "", lately = 0, rolled = false;
  /** @type {ReturnType<typeof startSolid>} */
  let solid = null;

  // Trails and heat -----------------------------------------------------------------------------

  /** @param {string} id @param {boolean} on */
  function press(id, on) { $(id).setAttribute("aria-pressed", String(on)); }
  $("trail").onclick = () => { grid.trails = !grid.trails; press("trail", grid.trails); changed(); };
  $("heat").onclick = () => {
    heated = !heated;
    press("heat", heated);
    counted = "";
    if (!heated) { grid.heat = null; $("heat-words").textContent = ""; }
    changed();
  };
  function wantHeat() {
    const { frame } = studio.state(), now = performance.now(), what = `${frame.branch} ${frame.tick}`;
    if (!heated || asking || what === counted || (frame.running && now - lately < 700)) return;
    asking = true; lately = now; counted = what;
    say({ do: "heat" });
  }
  /** @param {any} heat */
  function hearHeat(heat) {
    asking = false;
    if (!heated) return;
    grid.heat = heatOf(heat.cells);
    const most = Math.max(0, ...Array.from(grid.heat.values(), (cell) => cell.times));
    $("heat-words").textContent = heat.done ? (most > 1 ? `up to ${short(most)} times` : "each once") : `counted to tick ${heat.tick.toLocaleString("en")} …`;
    if (!heat.done) counted = "";
  }

  // The small map -------------------------------------------------------------------------------

  /** @param {PointerEvent} event */
  function leap(event) {
    const plane = studio.state().frame?.plane;
    if (!plane || !event.buttons) return;
    const { x, y } = grid.mapped(event.clientX, event.clientY, plane);
    grid.centre(x, y);
    studio.unfollow();
    studio.look();
  }
  $("map").addEventListener("pointerdown", leap);
  $("map").addEventListener("pointermove", leap);

  // Two fingers ---------------------------------------------------------------------------------

  /** @type {Map<number, {x: number, y: number}>} */
  const fingers = new Map();
  const canvas = $("grid");
  canvas.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => { if (event.pointerType === "touch") fingers.set(event.pointerId, { x: event.clientX, y: event.clientY }); });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (/** @type {PointerEvent} */ event) => { fingers.delete(event.pointerId); });
  canvas.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
    if (fingers.size < 2 || !fingers.has(event.pointerId)) return;
    const before = spread();
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const after = spread();
    grid.zoom(after.far / (before.far || 1), after.x, after.y);
    studio.look();
  });
  function spread() {
    const [a, b] = [...fingers.values()];
    return { far: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  }

  // The solid -----------------------------------------------------------------------------------

  const body = $("solid");
  $("roll").onclick = () => {
    rolled = !rolled;
    press("roll", rolled);
    body.hidden = !rolled;
    if (rolled && !solid) {
      solid = startSolid(body);
      if (!solid) { rolled = false; body.hidden = true; $("edges").textContent = "this browser has no WebGL2"; }
    }
    studio.look();
    changed();
  };
  /** @param {KeyboardEvent} event */
  const turnByKey = (event) => {
    const ways = /** @type {Record<string, [number, number]>} */ ({ ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] });
    const way = ways[event.key];
    if (!way || !solid) return;
    solid.turn(...way);
    event.preventDefault(); event.stopPropagation();
    changed();
  };
  body.addEventListener("keydown", turnByKey);
  body.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => { if (event.buttons) { solid?.turn(event.movementX * 0.01, event.movementY * 0.01); changed(); } });
  body.addEventListener("wheel", (/** @type {WheelEvent} */ event) => { event.preventDefault(); solid?.zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1); changed(); }, { passive: false });

  function drawSolid() {
    const { frame } = studio.state();
    if (!rolled || !solid || !frame?.plane) return;
    const [left, top, right, bottom] = frame.plane, wide = right - left + 1, high = bottom - top + 1;
    const size = Math.max(1, Math.min(24, Math.floor(2048 / Math.max(wide, high)))), cloth = new OffscreenCanvas(Math.min(wide * size, 4096), Math.min(high * size, 4096));
    const pen = /** @type {any} */ (cloth.getContext("2d")), style = getComputedStyle(document.documentElement);
    pen.fillStyle = groundOf(style, grid.coloured);
    pen.fillRect(0, 0, cloth.width, cloth.height);
    const [boxLeft, boxTop] = frame.box;
    if (frame.rows.length >= high) {
      paintCells(pen, frame.looks, size, /** @type {any} */ (isDark() ? GROUPS.dark : GROUPS.light), function* () {
        for (let y = 0; y < high; y++) for (let x = 0; x < wide; x++) { const look = frame.rows[top + y - boxTop]?.[left + x - boxLeft]; if (look !== undefined) yield [x, y, look]; }
      }());
    } else chart.draw(pen, (x) => (x - left) * size, (y) => (y - top) * size, size);
    for (const [number, x, y, , , , , hand] of frame.walkers) {
      pen.fillStyle = pen.strokeStyle = WALKERS[number % WALKERS.length];
      pen.globalAlpha = 0.55; pen.fillRect((x - left) * size, (y - top) * size, Math.max(size, 4), Math.max(size, 4)); pen.globalAlpha = 1;
      if (hand) { pen.lineWidth = 2; pen.strokeRect((hand[0] - left) * size + 1, (hand[1] - top) * size + 1, size - 2, size - 2); }
    }
    const paper = isDark() ? [0.06, 0.075, 0.094] : [0.965, 0.969, 0.976];
    solid.draw(cloth, grid.edges.right === "joined", grid.edges.down === "joined", wide / high, paper);
  }

  return {
    /** Whether two fingers are at work. */
    pinching: () => fingers.size > 1,
    /** The whole plane, where the solid needs it. */
    box() {
      const plane = rolled && studio.state().frame?.plane;
      return plane && plane[2] - plane[0] < 400 && plane[3] - plane[1] < 400 ? plane : null;
    },
    /** After the plane was drawn. */
    shown() {
      const state = studio.state();
      if (!state.frame) return;
      wantHeat();
      info.look();
      chart.want(state.writable ? `${state.frame.branch} ${state.frame.tick} ${isDark()}` : `${isDark()}`, state.text, grid.isCoarse);
      drawSolid();
      if (grid.unfinished) changed();
    },
    /** @param {any} message */
    hear(message) {
      if (message.opened) {
        grid.reset();
        grid.edges = message.opened.edges ?? {};
        grid.coloured = Boolean(studio.language()?.coloured);
        $("edges").textContent = topology(grid.edges);
        asking = false; counted = "";
      }
      if (message.heat) hearHeat(message.heat);
      if (message.error) asking = chart.asked = false;
      chart.hear(message);
      info.hear(message);
    },
  };
}
