// What the pure parts of running and asking promise; run by test_studio_state.py.
import assert from "node:assert/strict";
import { byteAt, typedBytes } from "./bytes.js";
import { lanes } from "./shapes.js";
const bytes = new TextEncoder().encode("aé\nz");
assert.equal(byteAt(bytes, 0, false), 0);
assert.equal(byteAt(bytes, 2, false), 3);
assert.equal(byteAt(bytes, Infinity, false), 4);
assert.equal(byteAt(bytes, 7, true), 2);
assert.deepEqual([...typedBytes("48 6 9", true)], [0x48, 0x69]);
assert.equal(typedBytes("4", true), null);
assert.equal(typedBytes("zz", true), null);
assert.deepEqual([...typedBytes("Hi", false)], [0x48, 0x69]);
const branches = [{ name: "main", begins: 0, reached: 10, parent: null }, { name: "b", begins: 5, reached: 8, parent: "main" }];
assert.deepEqual(lanes(branches, 10)[1], { name: "b", from: 0.5, to: 0.8, line: 1, parent: 0 });
