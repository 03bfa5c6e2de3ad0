// What the pure state of the studio's client promises; run by test_studio_state.py.
import assert from "node:assert/strict";
import { kept } from "./grid.js";
import * as pure from "./state.js";
const state = pure.initial();
const old = { rows: [[0, 0], [0, 0]], looks: [["", "nothing", null]], panels: { stack: ["1"], calls: ["x"] }, tick: 1 };
const fresh = { cells: [[1, 0, 1]], looks: [["v", "motion", null]], panels: { stack: ["2"], calls: null }, tick: 2 };
const both = pure.patched(old, fresh);
assert.deepEqual(both.rows, [[0, 1], [0, 0]]);
assert.deepEqual(old.rows, [[0, 0], [0, 0]]);
assert.deepEqual([both.panels, both.tick, both.looks.length], [{ stack: ["2"] }, 2, 2]);
assert.equal(pure.speedOf(pure.FASTEST), null);
assert.deepEqual([0, 1, 2, 3, 10, 18].map(pure.speedOf), [1, 2, 5, 10, 2000, 1000000]);
assert.equal(pure.heard(state, { error: "no" }).error, "no");
const languages = [{ name: "dots", blank: ".", headings: [{ dx: 1, dy: 0 }] }];
const opened = { language: "dots", text: "..", seed: 1, writable: false };
const open = pure.heard({ ...state, languages, way: { dx: 1, dy: 1 }, moment: true }, { opened });
assert.deepEqual([open.blank, open.way, open.moment], [".", { dx: 1, dy: 0 }, false]);
// Views of films: all of it in the middle, or as much as there is around a place.
assert.equal(kept(99, 20, 0, 10, 3), -5);
assert.equal(kept(0, 20, 0, 100, 3), 0);
assert.equal(kept(0, 20, 0, 100, 18.5), 4);
assert.equal(kept(4, 20, 0, 100, 16), 4);
assert.equal(kept(4, 20, 0, 100, 5.5), 1);
assert.equal(kept(0, 20, 0, 100, 99), 80);
