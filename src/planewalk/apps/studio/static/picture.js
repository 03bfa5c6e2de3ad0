// @ts-check
// The picture of a program that colours pixels: on the graphics card where it can be, else exact.

/** @param {(message: any) => void} say @param {() => any} state */
export function startPicture(say, state) {
  const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
  let draws = false, playing = true, time = 0, last = 0, waiting = false;
  /** @type {{draw: (time: number, seed: number) => void} | null} */
  let card = null;
  /** @type {number | undefined} */
  let soon;

  function ask() { if (draws) { card = null; say({ do: "shader" }); exact(); } }
  function exact() { if (draws && !waiting && ($("exact").value === "exact" || !card)) { waiting = true; say({ do: "render", size: [320, 180], time }); } }

  /** @param {number} now */
  function loop(now) {
    requestAnimationFrame(loop);
    if (playing && draws) { time += Math.min((now - last) / 1000, 0.1); if (time > 20) time = 0; $("time").value = String(time); }
    last = now;
    if (!draws) return;
    if (card && $("exact").value === "gpu") card.draw(time, state().seed);
    else if (playing) exact();
  }
  requestAnimationFrame(loop);
  $("play").onclick = () => { playing = !playing; $("play").textContent = playing ? "Pause" : "Play"; };
  $("time").oninput = () => { time = Number($("time").value); playing = false; $("play").textContent = "Play"; exact(); };
  $("exact").onchange = exact;

  return {
    /** @param {any} language */
    opened(language) { draws = Boolean(language?.draws); $("picture-panel").hidden = !draws; time = 0; waiting = false; ask(); },
    edited() { clearTimeout(soon); soon = window.setTimeout(ask, 60); },
    /** @param {any} message */
    hear(message) {
      if (message.shader !== undefined) {
        try { card = message.shader ? compile($("picture"), message.shader) : null; $("picture-note").textContent = message.shader ? "" : `exact: ${message.why}`; }
        catch (error) { card = null; $("picture-note").textContent = `exact: ${/** @type {Error} */ (error).message.slice(0, 120)}`; }
        if (!card) exact();
      }
      if (message.error) waiting = false;
      if (message.picture) {
        waiting = false;
        const image = new Image();
        image.onload = () => { if (!card || $("exact").value === "exact") paint(image); };
        image.src = `data:image/png;base64,${message.picture}`;
      }
    },
  };

  /** @param {HTMLImageElement} image */
  function paint(image) {
    const old = $("picture");
    const flat = old.getContext("2d");
    if (flat) { old.width = image.width; old.height = image.height; flat.drawImage(image, 0, 0); return; }
    const fresh = document.createElement("canvas");  // the old one belongs to the graphics card
    fresh.id = "picture"; fresh.width = image.width; fresh.height = image.height;
    old.replaceWith(fresh);
    fresh.getContext("2d")?.drawImage(image, 0, 0);
  }
}

/** A WebGL2 program that draws a frame. @param {HTMLCanvasElement} canvas @param {string} source */
function compile(canvas, source) {
  let target = canvas;
  if (canvas.getContext("2d") && !canvas.dataset.gl) {
    target = document.createElement("canvas");
    target.id = "picture"; target.width = 320; target.height = 180;
    canvas.replaceWith(target);
  }
  target.dataset.gl = "1";
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
