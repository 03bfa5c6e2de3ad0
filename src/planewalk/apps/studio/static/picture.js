// @ts-check
// The picture of a program that colours pixels: on the graphics card where it can be, else exact.

import { download } from "./sharing.js";
import { fromBase64 } from "./bytes.js";

const WIDTHS = /** @type {Record<string, number>} */ ({ 36: 64, 72: 128, 180: 320, 360: 640, 720: 1280 });

/** @param {(message: any) => void} say @param {() => any} state @param {(words: string) => void} tell */
export function startPicture(say, state, tell) {
  const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
  let draws = false, playing = true, time = 0, last = 0, waiting = false, drawn = 0, since = 0, asked = 0;
  /** @type {{draw: (time: number, seed: number) => void} | null} */
  let card = null;
  let shader = "";
  /** @type {number | undefined} */
  let soon;

  function ask() { if (draws) { say({ do: "shader" }); waiting = false; exact(); } }
  function size() { const rows = $("resolution").value; return [WIDTHS[rows], Number(rows)]; }
  function mode() { return $("exact").value; }
  function exact() {
    if (!draws || waiting || (mode() === "gpu" && card)) return;
    waiting = true;
    asked = time;
    say({ do: "render", size: size(), time, heat: mode() === "heat" });
  }
  function count() { drawn++; }
  /** Let the graphics card have the canvas, which exact pictures may have taken from it. */
  function attach() {
    try { card = compile($("picture"), shader); resize(); }
    catch (error) { card = null; shader = ""; $("picture-note").textContent = `exact: ${/** @type {Error} */ (error).message.slice(0, 120)}`; }
  }

  /** @param {number} now */
  function loop(now) {
    requestAnimationFrame(loop);
    if (!draws) return;
    if (playing && !document.hidden) { time += Math.min((now - last) / 1000, 0.1); if (time > 20) time = 0; $("time").value = String(time); }
    last = now;
    if (now - since > 1000) { $("picture-rate").textContent = `${drawn} frames/s, ${time.toFixed(1)} s`; drawn = 0; since = now; }
    if (mode() === "gpu" && shader && !(card && $("picture").dataset.gl)) attach();
    if (mode() === "gpu" && card) { card.draw(time, state().seed); count(); }
    else if (playing) exact();
  }
  requestAnimationFrame(loop);

  /** @param {boolean} wanted */
  function play(wanted) { playing = wanted; $("play").textContent = playing ? "Pause" : "Play"; }
  $("play").onclick = () => play(!playing);
  $("time").oninput = () => { time = Number($("time").value); play(false); exact(); };
  $("exact").onchange = () => { waiting = false; exact(); };
  $("resolution").onchange = () => { resize(); waiting = false; exact(); };
  $("full").onclick = () => { document.fullscreenElement ? document.exitFullscreen() : $("picture-frame").requestFullscreen(); };
  $("save-png").onclick = () => say({ do: "render", size: size(), time, heat: mode() === "heat", id: "png" });
  for (const kind of ["gif", "mp4"]) $(`save-${kind}`).onclick = () => { tell("the film is being drawn …"); say({ do: "animate", kind, size: size(), time, seconds: 3, fps: 20 }); };
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

  function resize() { const [wide, high] = size(), canvas = $("picture"); if (canvas.dataset.gl) { canvas.width = wide; canvas.height = high; } }

  return {
    /** @param {any} language @param {any} options */
    opened(language, options) {
      const pixel = draws && options?.pixel;
      draws = Boolean(language?.draws);
      $("picture-panel").hidden = !draws;
      $("pixel-words").textContent = options?.pixel ? `the run of pixel ${options.pixel} of ${options.size} at ${Number(options.time).toFixed(2)} s` : "";
      if (pixel) return;
      time = 0; waiting = false; card = null; shader = "";
      play(!matchMedia("(prefers-reduced-motion: reduce)").matches);
      ask();
    },
    edited() { clearTimeout(soon); soon = window.setTimeout(ask, 40); },
    /** @param {any} message */
    hear(message) {
      if (message.shader !== undefined) {
        shader = message.shader ?? "";
        card = null;
        $("picture-note").textContent = shader ? "" : `exact: ${message.why}`;
        if (shader && mode() === "gpu") attach();
        if (!card) exact();
      }
      if (message.error) waiting = false;
      if (message.saved) { download(message.saved.name, [fromBase64(message.saved.data)], message.saved.type); tell(`${message.saved.name} is saved`); }
      if (message.picture && message.re === "png") { download("picture.png", [fromBase64(message.picture)], "image/png"); return; }
      if (message.picture) {
        waiting = false;
        const image = new Image();
        image.onload = () => { if (!card || mode() !== "gpu") { paint(image); count(); } };
        image.src = `data:image/png;base64,${message.picture}`;
        if (mode() !== "gpu" && !playing && asked !== time) exact();
      }
    },
  };

  /** @param {HTMLImageElement} image */
  function paint(image) {
    const plain = flat($("picture"));
    plain.width = image.width; plain.height = image.height;
    plain.getContext("2d")?.drawImage(image, 0, 0);
  }
}

/** A canvas for plain pictures in the place of one that belongs to the graphics card, or the other way round.
 * @param {HTMLCanvasElement} old @param {boolean} [card] */
function flat(old, card = false) {
  if (Boolean(old.dataset.gl) === card && old.dataset.used) return old;
  const fresh = /** @type {HTMLCanvasElement} */ (old.cloneNode());
  fresh.dataset.used = "1";
  if (card) fresh.dataset.gl = "1"; else delete fresh.dataset.gl;
  old.replaceWith(fresh);
  return fresh;
}

/** A WebGL2 program that draws a frame. @param {HTMLCanvasElement} canvas @param {string} source */
function compile(canvas, source) {
  const target = flat(canvas, true);
  const gl = target.getContext("webgl2", { preserveDrawingBuffer: true });
  if (!gl) throw new Error("this browser has no WebGL2");
  const make = (/** @type {number} */ kind, /** @type {string} */ text) => {
    const shader = /** @type {WebGLShader} */ (gl.createShader(kind));
    gl.shaderSource(shader, text); gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader) ?? "the shader does not compile");
    return shader;
  };
  const program = /** @type {WebGLProgram} */ (gl.createProgram());
  gl.attachShader(program, make(gl.VERTEX_SHADER, "#version 300 es\nvoid main() { vec2 p = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0); gl_Position = vec4(p, 0.0, 1.0); }"));
  gl.attachShader(program, make(gl.FRAGMENT_SHADER, source));
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) ?? "the shader does not link");
  return {
    /** @param {number} time @param {number} seed */
    draw(time, seed) {
      gl.useProgram(program);
      gl.viewport(0, 0, target.width, target.height);
      for (const [name, set] of Object.entries(uniforms(gl, target, time, seed))) {
        const at = gl.getUniformLocation(program, name);
        if (at) set(at);
      }
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    },
  };
}

/** @param {WebGL2RenderingContext} gl @param {HTMLCanvasElement} canvas @param {number} time @param {number} seed @returns {Record<string, (at: WebGLUniformLocation) => void>} */
function uniforms(gl, canvas, time, seed) {
  return {
    size: (at) => gl.uniform2f(at, canvas.width, canvas.height),
    time: (at) => gl.uniform1f(at, time),
    seed: (at) => gl.uniform2ui(at, seed >>> 0, Math.floor(seed / 4294967296) >>> 0),
  };
}
