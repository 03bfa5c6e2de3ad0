// @ts-check
// The picture of a program that colours pixels: on the graphics card where it can be, else exact.

import { download } from "./sharing.js";
import { fromBase64 } from "./bytes.js";
import { filmOf, videoKind } from "./moving.js";
import { siteOf } from "./site.js";

const WIDTHS = /** @type {Record<string, number>} */ ({ 36: 64, 72: 128, 180: 320, 360: 640, 720: 1280 });

/** Rows of the first picture after an edit, which is there at once; a better one follows. */
const FIRST = 72;
/** Milliseconds: graphics cards that need longer for a program get it only once nobody types, and those
 * that are none at all no more. */
const SLOW = 120, QUIET = 500, HOPELESS = 1000;

/** @param {(message: any) => void} say @param {() => any} state @param {(words: string) => void} tell */
export function startPicture(say, state, tell) {
  const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
  let draws = false, playing = true, time = 0, last = 0, drawn = 0, since = 0, asked = 0;
  /** What is on its way from the server, and what is to be asked for then. */
  let waiting = false, again = "", translating = false, changed = false;
  /** Whether this picture could not be drawn, so that nobody asks for it again and again. */
  let failed = false;
  /** Why the picture does not come from the card, what was wrong with the last one, and whether what is seen is but a sketch. */
  let why = "", trouble = "", sketched = false;
  /** Whether somebody has said how pictures are drawn. */
  let chosen = false;
  /** @type {ReturnType<typeof compile> | null} */
  let card = null;
  /** A picture of a film that is waited for. @type {{done: (image: HTMLImageElement) => void, no: (error: Error) => void, again: () => void} | null} */
  let stills = null;
  /** One that is not ready yet. @type {ReturnType<typeof compile> | null} */
  let next = null;
  let began = 0, needed = 0;
  /** @type {number | undefined} */
  let soon;
  /** Until when somebody may be typing: pictures are small until then, so that none holds up the next. */
  let calm = 0;
  /** @type {number | undefined} */
  let better;

  function size() { const rows = $("resolution").value; return [WIDTHS[rows], Number(rows)]; }
  function mode() { return $("exact").value; }

  /** Ask for the exact picture, if the card does not draw it: `first` for one after an edit. @param {"" | "first" | "full"} [which] */
  function exact(which = "full") {
    if (!draws || failed || (mode() === "gpu" && card)) return;
    if (waiting) { again = again === "first" ? again : which; return; }
    const [wide, high] = size(), quick = (which === "first" || performance.now() < calm) && high > FIRST && mode() !== "heat";
    waiting = true;
    again = quick ? "full" : "";
    asked = time;
    say({ do: "render", size: quick ? [WIDTHS[FIRST], FIRST] : [wide, high], time, quick, heat: mode() === "heat", id: "picture" });
  }

  /** Ask for the program as the graphics card understands it. */
  function translate() {
    changed = translating;
    if (!translating) say({ do: "shader" });
    translating = true;
  }

  /** Begin to make a program for the graphics card. @param {string} shader */
  function begin(shader) {
    began = performance.now();
    try { next?.free(); next = compile(shader); }
    catch (error) { fail(error); }
  }

  /** Forget what the card has. */
  function leave() { card?.free(); next?.free(); card = next = null; }

  function note() { $("picture-note").textContent = trouble || (sketched ? "a sketch: the pixels of this program take long" : mode() === "gpu" ? why : ""); }

  /** @param {any} error */
  function fail(error) { leave(); why = `exact: ${error.message.slice(0, 120)}`; note(); exact("first"); }

  /** Take over what has become ready. */
  function swap() {
    try {
      if (!next?.ready(size(), time, state().seed)) return;
      card?.free(); card = next; next = null;
      needed = performance.now() - began;
    } catch (error) { fail(error); }
  }

  /** @param {number} now */
  function loop(now) {
    requestAnimationFrame(loop);
    if (!draws) return;
    if (playing && !document.hidden) { time += Math.min((now - last) / 1000, 0.1); if (time > 20) time = 0; $("time").value = String(time); }
    last = now;
    if (now - since > 1000) { $("picture-rate").textContent = `${drawn} frames/s, ${time.toFixed(1)} s`; drawn = 0; since = now; }
    swap();
    if (mode() === "gpu" && card) paint(card.draw(size(), time, state().seed));
    else if (playing) exact();
  }
  requestAnimationFrame(loop);

  /** @param {boolean} wanted */
  function play(wanted) { playing = wanted; $("play").textContent = playing ? "Pause" : "Play"; }
  $("play").onclick = () => play(!playing);
  $("time").oninput = () => { time = Number($("time").value); failed = false; play(false); exact(); };
  $("exact").onchange = () => { failed = false; chosen = true; trouble = ""; note(); if (draws && mode() === "gpu" && !card) translate(); exact(); };
  $("resolution").onchange = () => { failed = false; exact("first"); };
  $("full").onclick = () => { document.fullscreenElement ? document.exitFullscreen() : $("picture-frame").requestFullscreen(); };
  $("save-png").onclick = () => say({ do: "render", size: size(), time, heat: mode() === "heat", id: "png" });
  for (const kind of ["gif", "mp4"]) $(`save-${kind}`).onclick = () => { tell("the film is being drawn …"); say({ do: "animate", kind, size: size(), time, seconds: 3, fps: 20 }); };
  if (siteOf()) recordHere();

  /** Make films in this page, where no Python can write them. */
  function recordHere() {
    const video = videoKind();
    for (const kind of ["gif", "webp"]) $(`save-${kind}`).onclick = () => record(kind);
    $("save-webp").hidden = false;
    $("save-mp4").onclick = () => record("video");
    $("save-mp4").disabled = !video;
    $("save-mp4").textContent = video?.kind.toUpperCase() ?? "MP4";
    if (!video) $("save-mp4").title = "This browser records no video: planewalk render FILE -o film.mp4";
  }
  /** Three seconds from now on, on the card or exact. @param {string} kind */
  async function record(kind) {
    const [width, height] = size(), canvas = document.createElement("canvas"), from = time, fps = 20, count = 3 * fps;
    canvas.width = width; canvas.height = height;
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { willReadFrequently: true }));
    play(false);
    try {
      const film = await filmOf(kind, canvas, count, fps, async (at) => {
        tell(`the film is being drawn: ${at + 1} of ${count}`);
        const then = from + at / fps;
        pen.drawImage(mode() === "gpu" && card ? card.draw([width, height], then, state().seed) : await still([width, height], then), 0, 0, width, height);
      });
      download(`picture.${film.name}`, film.parts, film.type);
      tell(`picture.${film.name} is saved`);
    } catch (error) { tell(`this film cannot be made here: ${/** @type {Error} */ (error).message}; planewalk render makes it`); }
  }
  /** The exact picture of a time. @param {number[]} size @param {number} time @returns {Promise<HTMLImageElement>} */
  function still(size, time) {
    return new Promise((done, no) => {
      stills = { done, no, again: () => say({ do: "render", size, time, id: "still" }) };
      stills.again();
    });
  }
  $("picture-frame").onclick = (/** @type {MouseEvent} */ event) => pick(event.clientX, event.clientY);
  $("picture-frame").onkeydown = (/** @type {KeyboardEvent} */ event) => {
    const box = $("picture").getBoundingClientRect();
    if (event.key === "Enter") pick(box.left + box.width / 2, box.top + box.height / 2);
  };

  /** Show the run of the pixel at a point of the page. @param {number} px @param {number} py */
  function pick(px, py) {
    const [wide, high] = size(), box = $("picture").getBoundingClientRect();
    const x = Math.floor((px - box.left) / box.width * wide), y = Math.floor((py - box.top) / box.height * high);
    if (x < 0 || y < 0 || x >= wide || y >= high) return;
    play(false);
    say({ do: "pixel", at: [x, y], size: [wide, high], time });
  }

  /** Take a picture of a film; one that was broken off is asked for again. @param {any} message */
  async function come(message) {
    const waiting = stills;
    if (!waiting) return;
    if (message.error) { waiting.no(new Error(message.error)); return; }
    if (message.picture === null) { waiting.again(); return; }
    const image = new Image();
    image.src = `data:image/png;base64,${message.picture}`;
    image.decode().then(() => waiting.done(image), waiting.no);
  }

  /** Show a picture that somebody has drawn. @param {any} image */
  function paint(image) {
    const canvas = $("picture");
    if (canvas.width !== image.width || canvas.height !== image.height) { canvas.width = image.width; canvas.height = image.height; }
    canvas.getContext("2d").drawImage(image, 0, 0);
    drawn++;
  }

  /** A PNG from the server. @param {string} data */
  function show(data) {
    const image = new Image();
    image.onload = () => { if (!card || mode() !== "gpu") paint(image); };
    image.src = `data:image/png;base64,${data}`;
  }

  return {
    /** @param {any} language @param {any} options */
    opened(language, options) {
      const pixel = draws && options?.pixel;
      draws = Boolean(language?.draws);
      $("picture-panel").hidden = !draws;
      $("pixel-words").textContent = options?.pixel ? `the run of pixel ${options.pixel} of ${options.size} at ${Number(options.time).toFixed(2)} s` : "";
      if (pixel) return;
      time = 0; waiting = translating = failed = sketched = false; why = trouble = ""; note();
      leave();
      play(!matchMedia("(prefers-reduced-motion: reduce)").matches);
      if (draws && isSoftware() && !chosen) $("exact").value = "exact";
      if (draws) { exact("first"); if (mode() === "gpu") translate(); }
    },
    /** Another program: the card draws it if it is quick, else it comes from the server until nobody types. */
    edited() {
      if (!draws) return;
      clearTimeout(soon);
      clearTimeout(better);
      failed = false;
      calm = performance.now() + QUIET;
      if (needed <= SLOW && card && mode() === "gpu") return translate();
      leave();
      exact("first");
      if (mode() !== "gpu") return;
      if (needed < HOPELESS && !isSoftware()) soon = window.setTimeout(translate, QUIET);
      else why = `exact: without a fast graphics card, code for one takes too long (${(needed / 1000).toFixed(1)} s); choose it again to see it`;
    },
    /** @param {any} message */
    hear(message) {
      if (message.shader !== undefined) {
        why = message.shader ? "" : `exact: ${message.why}`;
        translating = false;
        if (changed) translate();
        else if (message.shader) begin(message.shader);
        else { leave(); exact("first"); }
      }
      if (message.saved) { download(message.saved.name, [fromBase64(message.saved.data)], message.saved.type); tell(`${message.saved.name} is saved`); }
      if (message.picture && message.re === "png") { download("picture.png", [fromBase64(message.picture)], "image/png"); return; }
      if (message.re === "still") { come(message); return; }
      if (message.picture) { show(message.picture); sketched = Boolean(message.sketch); trouble = ""; }
      if (message.picture || message.shader !== undefined) note();
      if (message.re !== "picture") return;
      waiting = false;
      const wanted = /** @type {"" | "first" | "full"} */ (again || (message.picture === null ? "full" : ""));  // one that was broken off
      again = "";
      if (message.error && wanted !== "first") { failed = true; trouble = message.error; note(); }
      else if (wanted === "full") { clearTimeout(better); better = window.setTimeout(() => exact(), Math.max(calm - performance.now(), 0)); }
      else if (wanted) exact(wanted);
      else if (mode() !== "gpu" && !playing && asked !== time) exact();
    },
  };
}

/** The card's own canvas, which is never seen: what it draws is copied. @type {WebGL2RenderingContext | null} */
let shared = null;
function graphics() {
  if (shared?.isContextLost()) shared = null;
  shared ??= document.createElement("canvas").getContext("webgl2");
  if (!shared) throw new Error("this browser has no WebGL2");
  return shared;
}

/** Whether there is no graphics card behind WebGL: the exact engine is quicker then. */
function isSoftware() {
  try {
    const gl = graphics(), told = gl.getExtension("WEBGL_debug_renderer_info");
    return /swiftshader|llvmpipe|software/i.test(gl.getParameter(told ? told.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  } catch { return true; }
}

/** A WebGL2 program that draws frames once it is ready; until then nobody has to wait for it. @param {string} source */
function compile(source) {
  const gl = graphics(), patient = gl.getExtension("KHR_parallel_shader_compile");
  const program = /** @type {WebGLProgram} */ (gl.createProgram());
  const parts = [[gl.VERTEX_SHADER, VERTICES], [gl.FRAGMENT_SHADER, source]].map(([kind, text]) => {
    const shader = /** @type {WebGLShader} */ (gl.createShader(/** @type {number} */ (kind)));
    gl.shaderSource(shader, String(text)); gl.compileShader(shader); gl.attachShader(program, shader);
    return shader;
  });
  gl.linkProgram(program);
  /** Signalled once the first picture is drawn: many make a program only then. @type {WebGLSync | null} */
  let first = null;
  return {
    free() { for (const shader of parts) gl.deleteShader(shader); gl.deleteProgram(program); },
    /** Whether it can draw without anybody waiting; raises what is wrong with it. @param {number[]} size @param {number} time @param {number} seed */
    ready(size, time, seed) {
      if (first) return gl.getSyncParameter(first, gl.SYNC_STATUS) === gl.SIGNALED;
      if (patient && !gl.getProgramParameter(program, patient.COMPLETION_STATUS_KHR)) return false;
      if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
        const words = parts.map((shader) => gl.getShaderInfoLog(shader)).filter(Boolean).join(" ");
        throw new Error(words || gl.getProgramInfoLog(program) || "the shader does not link");
      }
      this.draw(size, time, seed);
      first = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
      gl.flush();
      return false;
    },
    /** @param {number[]} size @param {number} time @param {number} seed */
    draw([wide, high], time, seed) {
      const { canvas } = gl;
      if (canvas.width !== wide || canvas.height !== high) { canvas.width = wide; canvas.height = high; }
      gl.useProgram(program);
      gl.viewport(0, 0, wide, high);
      for (const [name, set] of Object.entries(uniforms(gl, wide, high, time, seed))) {
        const at = gl.getUniformLocation(program, name);
        if (at) set(at);
      }
      gl.drawArrays(gl.TRIANGLES, 0, 3);
      return canvas;
    },
  };
}
const VERTICES = "#version 300 es\nvoid main() { vec2 p = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0); gl_Position = vec4(p, 0.0, 1.0); }";

/** @param {WebGL2RenderingContext} gl @param {number} wide @param {number} high @param {number} time @param {number} seed @returns {Record<string, (at: WebGLUniformLocation) => void>} */
function uniforms(gl, wide, high, time, seed) {
  return {
    size: (at) => gl.uniform2f(at, wide, high),
    time: (at) => gl.uniform1f(at, time),
    seed: (at) => gl.uniform2ui(at, seed >>> 0, Math.floor(seed / 4294967296) >>> 0),
  };
}
