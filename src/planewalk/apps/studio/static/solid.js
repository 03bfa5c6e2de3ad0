// @ts-check
// The plane as the solid that it is: rolled up to a cylinder or a torus, on WebGL2.

const VERTEX = `#version 300 es
in vec2 at;
uniform mat4 view;
uniform vec2 wraps;
uniform float aspect;
out vec2 place;
out vec3 normal;
const float turn = 6.2831853;
void main() {
  float a = at.x * turn, b = at.y * turn;
  vec3 p, n;
  if (wraps.x > 0.5 && wraps.y > 0.5) {
    float r = clamp(0.5 / aspect, 0.18, 0.5);
    n = vec3(cos(b) * sin(a), sin(b), cos(b) * cos(a));
    p = vec3(sin(a), 0.0, cos(a)) + r * n;
  } else if (wraps.x > 0.5) {
    n = vec3(sin(a), 0.0, cos(a));
    p = n * 0.8 + vec3(0.0, (0.5 - at.y) * min(5.0 / aspect, 3.0), 0.0);
  } else if (wraps.y > 0.5) {
    n = vec3(0.0, sin(b), cos(b));
    p = n * 0.8 + vec3((at.x - 0.5) * min(5.0 * aspect, 3.0), 0.0, 0.0);
  } else {
    n = vec3(0.0, 0.0, 1.0);
    p = vec3((at.x - 0.5) * 2.0, (0.5 - at.y) * 2.0 / aspect, 0.0);
  }
  place = at;
  normal = mat3(view) * n;
  vec4 seen = view * vec4(p, 1.0);
  gl_Position = vec4(seen.xy * 1.6, -seen.z * 0.1, 1.0 - seen.z * 0.22);
}`;
const FRAGMENT = `#version 300 es
precision highp float;
in vec2 place;
in vec3 normal;
uniform sampler2D plane;
out vec4 colour;
void main() {
  float light = 0.45 + 0.55 * abs(normalize(normal).z);
  vec3 seen = texture(plane, place).rgb;
  colour = vec4(mix(vec3(0.5), seen, 0.25 + 0.75 * light) * (normal.z < 0.0 ? 0.6 : 1.0), 1.0);
}`;
const STEPS = [128, 64];

/** @param {HTMLCanvasElement} canvas */
export function startSolid(canvas) {
  const gl = canvas.getContext("webgl2", { antialias: true });
  if (!gl) return null;
  const program = linked(gl), count = mesh(gl, program);
  const texture = gl.createTexture();
  let yaw = 0.6, pitch = 0.5, near = 1.5;
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.REPEAT);
  return {
    /** @param {number} across @param {number} along */
    turn(across, along) { yaw += across; pitch = Math.max(-1.5, Math.min(1.5, pitch + along)); },
    /** @param {number} factor */
    zoom(factor) { near = Math.max(0.4, Math.min(4, near * factor)); },
    /** @param {OffscreenCanvas} picture @param {boolean} wrapsX @param {boolean} wrapsY @param {number} aspect @param {number[]} paper */
    draw(picture, wrapsX, wrapsY, aspect, paper) {
      const ratio = window.devicePixelRatio || 1;
      canvas.width = canvas.clientWidth * ratio; canvas.height = canvas.clientHeight * ratio;
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.enable(gl.DEPTH_TEST);
      gl.clearColor(paper[0], paper[1], paper[2], 1);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, /** @type {any} */ (picture));
      gl.generateMipmap(gl.TEXTURE_2D);
      const at = (/** @type {string} */ name) => gl.getUniformLocation(program, name);
      gl.uniformMatrix4fv(at("view"), false, turned(yaw, pitch, near, canvas.width / canvas.height));
      gl.uniform2f(at("wraps"), Number(wrapsX), Number(wrapsY));
      gl.uniform1f(at("aspect"), aspect);
      gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 0);
    },
  };
}

/** @param {WebGL2RenderingContext} gl */
function linked(gl) {
  const program = /** @type {WebGLProgram} */ (gl.createProgram());
  for (const [kind, text] of /** @type {[number, string][]} */ ([[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]])) {
    const shader = /** @type {WebGLShader} */ (gl.createShader(kind));
    gl.shaderSource(shader, text); gl.compileShader(shader); gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) ?? "the solid cannot be drawn");
  gl.useProgram(program);
  return program;
}

/** A sheet of small triangles from 0 to 1, which the shader bends. @param {WebGL2RenderingContext} gl @param {WebGLProgram} program */
function mesh(gl, program) {
  const [across, along] = STEPS, points = [], corners = [];
  for (let j = 0; j <= along; j++) for (let i = 0; i <= across; i++) points.push(i / across, j / along);
  for (let j = 0; j < along; j++) for (let i = 0; i < across; i++) {
    const a = j * (across + 1) + i, b = a + across + 1;
    corners.push(a, b, a + 1, a + 1, b, b + 1);
  }
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(points), gl.STATIC_DRAW);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(corners), gl.STATIC_DRAW);
  const at = gl.getAttribLocation(program, "at");
  gl.enableVertexAttribArray(at);
  gl.vertexAttribPointer(at, 2, gl.FLOAT, false, 0, 0);
  return corners.length;
}

/** Turned, and as large as it should be. @param {number} yaw @param {number} pitch @param {number} near @param {number} aspect */
function turned(yaw, pitch, near, aspect) {
  const cy = Math.cos(yaw), sy = Math.sin(yaw), cp = Math.cos(pitch), sp = Math.sin(pitch), wide = near * 0.5;
  const x = aspect > 1 ? wide / aspect : wide, y = aspect > 1 ? wide : wide * aspect;
  return new Float32Array([cy * x, sp * sy * y, -cp * sy * wide, 0, 0, cp * y, sp * wide, 0, sy * x, -sp * cy * y, cp * cy * wide, 0, 0, 0, 0, 1]);
}
