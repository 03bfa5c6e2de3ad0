// Webfunge as a web page would draw it: a plain interpreter in JavaScript, pixel after pixel. It
// knows what light shaders need: arithmetic, registers, stack, headings and the letters of maths.
//
//     node webfunge.mjs PROGRAM WIDTH HEIGHT TIME STEPS
//
// STEPS is the limit for each pixel. `seconds` is CPU time of drawing alone: a page is there already.

import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";

const [path, ...numbers] = process.argv.slice(2);
const [width, height, time, steps] = numbers.map(Number);
const lines = readFileSync(path, "latin1").replace(/\n+$/, "").split("\n");
const columns = Math.max(...lines.map((line) => line.length)), rows = lines.length;
const cells = new Uint8Array(columns * rows).fill(32);
lines.forEach((line, y) => { for (let x = 0; x < line.length; x++) cells[y * columns + x] = line.charCodeAt(x); });

const STACK = 256, REGISTERS = 128;
const stack = new Float32Array(STACK), registers = new Float32Array(REGISTERS);
let depth = 0, ended = false, failed = false;
let x = 0, y = 0, dx = 1, dy = 0;

const inside = (x, y) => x >= 0 && x < columns && y >= 0 && y < rows;

function codeAt(x, y) {
  if (!inside(x, y) || x !== Math.floor(x) || y !== Math.floor(y)) return 0;
  const code = cells[y * columns + x];
  return code === 32 ? 0 : code;
}

function backToEdge() {
  if (dx || dy) while (inside(x, y)) { x -= dx; y -= dy; }
}

function move() {
  if (inside(x, y) && !inside(x + dx, y + dy)) backToEdge();
  x += dx; y += dy;
}

function jumpOver() {
  do move(); while (codeAt(x, y) !== 59);
}

const take = () => depth ? stack[--depth] : 0;

function give(value) {
  if (depth < STACK) stack[depth++] = value;
  else ended = failed = true;
}

const isTrue = (value) => value !== 0 && value === value;
const fromBottom = (index, size) => index < 0 ? index + size : index;
const within = (index, size) => index >= 0 && index < size && index === Math.floor(index);
const modulo = (a, b) => a - b * Math.floor(a / b);

function turn(toX, toY) { dx = toX; dy = toY; }

let a = 0, b = 0;
const DEEDS = {
  "'": () => { move(); give(codeAt(x, y)); },
  "+": () => { b = take(); a = take(); give(a + b); },
  "-": () => { b = take(); a = take(); give(a - b); },
  "*": () => { b = take(); a = take(); give(a * b); },
  "/": () => { b = take(); a = take(); give(a / b); },
  "%": () => { b = take(); a = take(); give(modulo(a, b)); },
  n: () => give(-take()),
  "!": () => give(isTrue(take()) ? 0 : 1),
  "`": () => { b = take(); a = take(); give(a > b ? 1 : 0); },
  $: () => take(),
  ",": () => take(),
  ":": () => { a = take(); give(a); give(a); },
  "\\": () => { b = take(); a = take(); give(b); give(a); },
  t: () => give(depth),
  y: () => {
    b = fromBottom(depth ? stack[depth - 1] : 0, depth);
    a = within(b, depth) ? stack[b] : 0;
    take();
    give(a);
  },
  z: () => {
    const size = depth;
    b = fromBottom(take(), size); a = take();
    if (within(b, depth)) stack[b] = a;
  },
  "&": () => { a = take() * 8; give(within(a, REGISTERS) ? registers[a] : 0); },
  ".": () => { b = take() * 8; a = take(); if (within(b, REGISTERS)) registers[b] = a; },
  ">": () => turn(1, 0),
  v: () => turn(0, 1),
  "<": () => turn(-1, 0),
  "^": () => turn(0, -1),
  "[": () => turn(dy, -dx),
  "]": () => turn(-dy, dx),
  r: () => turn(-dx, -dy),
  "#": move,
  ";": jumpOver,
  u: backToEdge,
  l: () => { turn(-dy, dx); move(); turn(dy, -dx); backToEdge(); },
  _: () => isTrue(take()) ? turn(-1, 0) : turn(1, 0),
  "|": () => isTrue(take()) ? turn(0, -1) : turn(0, 1),
  w: () => { b = take(); a = take(); if (a > b) turn(-dy, dx); else if (a < b) turn(dy, -dx); },
  "@": () => { ended = true; },
  A: () => give(Math.abs(take())),
  C: () => give(Math.cos(take())),
  E: () => give(Math.exp(take())),
  F: () => give(Math.floor(take())),
  I: () => { b = take(); a = take(); give(Math.min(a, b)); },
  J: () => { b = take(); a = take(); give(Math.max(a, b)); },
  L: () => give(Math.log(take())),
  M: () => { const t = take(); b = take(); a = take(); give(a * (1 - t) + b * t); },
  P: () => give(Math.PI),
  Q: () => give(Math.sqrt(take())),
  S: () => give(Math.sin(take())),
  W: () => { b = take(); a = take(); give(a ** b); },
};
for (let digit = 0; digit < 16; digit++) DEEDS[digit.toString(16)] = () => give(digit);
const deeds = Array.from({ length: 256 }, (_, code) => DEEDS[String.fromCharCode(code)] ?? (() => { throw new Error(`${code} is not known here`); }));
deeds[0] = () => {};

function runPixel(px, py) {
  stack.set([px, py, width, height, time]);
  depth = 5;
  registers.fill(0);
  x = y = 0; turn(1, 0);
  ended = failed = false;
  let tick = 0;
  for (; tick < steps && !ended; tick++) {
    deeds[codeAt(x, y)]();
    if (!ended) move();
  }
  return tick;
}

function channel(fromTop) {
  const value = depth > fromTop ? stack[depth - 1 - fromTop] * 255 : 0;
  return failed || value !== value || value < 0 ? 0 : Math.min(Math.floor(value), 255);
}

const picture = new Uint8Array(width * height * 3);
const began = process.cpuUsage();
let all = 0, at = 0;
for (let py = 0; py < height; py++) for (let px = 0; px < width; px++) {
  all += runPixel(px, py);
  for (let from = 2; from >= 0; from--) picture[at++] = channel(from);
}
const used = process.cpuUsage(began);
console.log(JSON.stringify({ steps: all, picture: crc32(picture), seconds: (used.user + used.system) / 1e6 }));
