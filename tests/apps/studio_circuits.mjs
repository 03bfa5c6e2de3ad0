// What diagrams of cells promise; run by test_studio_state.py.
import assert from "node:assert/strict";
import { changes, wave } from "./shapes.js";
assert.equal(wave([0, 1], 10, 26), "M 0 23.0 V 23.0 H 10.00 V 3.0 H 20.00");
assert.equal(wave([2, 1], 1, 26), "M 0 3.0 V 3.0 H 1.00 V 13.0 H 2.00");
assert.equal(wave([], 1, 26), "M 0 23.0");
assert.deepEqual(changes([5, 5, 7]), [{ at: 0, value: 5 }, { at: 2, value: 7 }]);
assert.deepEqual(changes(null), []);
