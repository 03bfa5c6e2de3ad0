// What editing a grid of signs promises; run by test_studio_state.py.
import assert from "node:assert/strict";
import * as pure from "./edit.js";
import { initial } from "./state.js";
const CARDINALS = [{ dx: 1, dy: 0 }, { dx: 0, dy: 1 }, { dx: -1, dy: 0 }, { dx: 0, dy: -1 }];
const of = (text, more = {}) => ({ ...initial(), text, ...more });
const at = (x, y) => ({ x, y });
let state = of("ab\ncd");
assert.equal(pure.at(state.text, 1, 1), "d");
assert.equal(pure.at(state.text, 9, 9), " ");

// Overwriting, inserting, and every way
state = pure.typed(state, "x");
assert.deepEqual([state.text, state.cursor], ["xb\ncd", at(1, 0)]);
state = pure.typed({ ...state, way: { dx: 0, dy: 1 } }, "y");
assert.deepEqual([state.text, state.cursor], ["xy\ncd", at(1, 1)]);
assert.equal(pure.typed(of("abc", { cursor: at(1, 0), inserting: true }), "x").text, "axbc");
assert.equal(pure.typed(of("a\nb\nc", { cursor: at(0, 1), inserting: true, way: { dx: 0, dy: 1 } }), "x").text, "a\nx\nb\nc");
assert.equal(pure.typed(of("abc", { cursor: at(2, 0), inserting: true, way: { dx: -1, dy: 0 } }), "x").text, "bcx");
assert.equal(pure.typed(of("a  \n b \n  c", { inserting: true, way: { dx: 1, dy: 1 } }), "x").text, "x  \n a \n  b\n   c");
assert.equal(pure.erased(of("abc", { cursor: at(2, 0) })).text, "a c");
assert.equal(pure.erased(of("abc", { cursor: at(2, 0), inserting: true })).text, "ac ");
assert.equal(pure.deleted(of("abc", { cursor: at(1, 0), inserting: true })).text, "ac ");
assert.equal(pure.deleted(of("abc", { cursor: at(1, 0) })).text, "a c");

// Following mirrors, only if asked
const ways = { "\\": { "1,0": [0, 1, 0, 1] } };
assert.deepEqual(pure.typed(of("", { mirrors: true }), "\\", ways).cursor, at(0, 1));
assert.deepEqual(pure.typed(of("", { mirrors: true }), "\\", ways).way, { dx: 0, dy: 1 });
assert.deepEqual(pure.typed(of(""), "\\", ways).cursor, at(1, 0));
const eight = [...CARDINALS, { dx: 1, dy: 1 }, { dx: -1, dy: 1 }, { dx: -1, dy: -1 }, { dx: 1, dy: -1 }];
assert.deepEqual(pure.turnedWay(of(""), eight, 1).way, { dx: 1, dy: 1 });
assert.deepEqual(pure.turnedWay(of(""), CARDINALS, 1).way, { dx: 0, dy: 1 });
assert.deepEqual(eight.map(pure.arrow).join(""), "→↓←↑↘↙↖↗");

// Undo and redo
state = pure.undone(pure.undone(state));
assert.deepEqual([state.text, state.cursor], ["ab\ncd", at(0, 0)]);
assert.equal(pure.redone(state).text, "xb\ncd");
assert.equal(pure.undone(of("a")).text, "a");

// Blocks
const all = of("ab\ncd", { cursor: at(1, 1), anchor: at(0, 0) });
assert.equal(pure.selectedText(all), "ab\ncd");
assert.equal(pure.selectedText(pure.allSelected(of("abc\nd"))), "abc\nd  ");
assert.equal(pure.filled(all, ".").text, "..\n..");
assert.equal(pure.cleared(of("ab", { cursor: at(5, 3), anchor: at(1, 0) })).text, "a ", "nothing grows");
assert.equal(pure.pasted(of("ab\ncd", { cursor: at(1, 2) }), "12\r\n34\n").text, "ab\ncd\n 12\n 34");
assert.equal(pure.selectedText(pure.pasted(of("ab"), "12\n34")), "12\n34");
assert.equal(pure.lined(of("ab\ncd", { cursor: at(0, 1) }), "row", 1).text, "ab\n\ncd");
assert.equal(pure.lined(of("a\nb\nc", { cursor: at(0, 1), anchor: at(0, 0) }), "row", -1).text, "c");
assert.equal(pure.lined(of("ab\ncd", { cursor: at(1, 0) }), "column", -1).text, "a\nc");
assert.equal(pure.lined(of("abc", { cursor: at(1, 0), anchor: at(2, 0) }), "column", 1).text, "a  bc");
let block = of("ab..\ncd..", { cursor: at(1, 1), anchor: at(0, 0), blank: "." });
assert.equal(pure.carried(block, 2, 0).text, "..ab\n..cd");
assert.equal(pure.carried(block, 1, 0).text, ".ab.\n.cd.", "over itself");
assert.equal(pure.carried(block, 2, 0, true).text, "abab\ncdcd");
assert.deepEqual(pure.selection(pure.carried(block, 2, 0)), { left: 2, top: 0, right: 3, bottom: 1 });
assert.deepEqual(pure.selection(pure.carried(block, -9, -9)), { left: 0, top: 0, right: 1, bottom: 1 });

// Turning, with what the language says of its signs
const clockwise = { ">": "v", v: "<", "<": "^", "^": ">" };
block = of(">ab\n^  ", { cursor: at(2, 1), anchor: at(0, 0) });
assert.equal(pure.selectedText(pure.turned(block, "clockwise", clockwise)), ">v\n a\n b");
const there = pure.turned(block, "clockwise", clockwise), back = { v: ">", "<": "v", "^": "<", ">": "^" };
assert.equal(pure.selectedText(pure.turned(there, "counterclockwise", back)), ">ab\n^  ");
assert.equal(pure.selectedText(pure.turned(block, "across", { ">": "<", "<": ">" })), "ba<\n  ^");
assert.equal(pure.selectedText(pure.turned(block, "down", { "^": "v" })), "v  \n>ab");
assert.equal(pure.selectedText(pure.turned(block, "half", {})), "  ^\nba>");
assert.deepEqual(pure.unequal(block, "a"), [at(1, 0)]);

// Drawing
assert.deepEqual(pure.line(at(0, 0), at(2, 1)).length, 3);
assert.deepEqual(pure.line(at(3, 3), at(3, 3)), [at(3, 3)]);
assert.equal(pure.rectangle(at(0, 0), at(3, 2)).length, 10);
assert.equal(pure.painted(of(".", { blank: "." }), [{ x: 2, y: 1, sign: "*" }]).text, ".\n..*");

// Finding, in any heading
const maze = "ab.\ncb.\n..a";
assert.equal(pure.places(maze, "ab", CARDINALS).length, 1);
assert.equal(pure.places(maze, "b", CARDINALS).length, 2);
assert.equal(pure.places(maze, "aba", [{ dx: 1, dy: 1 }]).length, 1);
assert.equal(pure.places(maze, "", CARDINALS).length, 0);
let found = pure.foundNext(of(maze), "b", CARDINALS, 1);
assert.deepEqual(found.cursor, at(1, 0));
found = pure.foundNext(found, "b", CARDINALS, 1);
assert.deepEqual(found.cursor, at(1, 1));
assert.deepEqual(pure.foundNext(found, "b", CARDINALS, 1).cursor, at(1, 0), "round again");
assert.deepEqual(pure.foundNext(found, "b", CARDINALS, -1).cursor, at(1, 0));
assert.equal(pure.foundNext(found, "zz", CARDINALS, 1), found);

// Signs outside the first plane of Unicode are one cell each, and long histories of large programs are cut
assert.equal(pure.put("a😀c", [{ x: 2, y: 0, sign: "z" }]), "a😀z");
assert.deepEqual(pure.sizeOf("a😀c\n"), { width: 3, height: 1 });
assert.equal(pure.selectedText(of("a😀c", { cursor: at(1, 0), anchor: at(2, 0) })), "😀c");
let large = of("x".repeat(1e7));
for (const sign of "abcde") large = pure.typed(large, sign);
assert.equal(large.undo.length, 4);
assert.equal(pure.undone(large).text.slice(0, 8), "abcdxxxx");
