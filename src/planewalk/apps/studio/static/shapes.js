// @ts-check
// Lines that are drawn of branches and of cells in time: pure functions.

/** Where branches are drawn: each on a line of its own below its parent. @param {any[]} branches @param {number} last */
export function lanes(branches, last) {
  const line = Object.fromEntries(branches.map((branch, at) => [branch.name, at]));
  return branches.map((branch, at) => ({
    name: branch.name, from: branch.begins / last, to: Math.max(branch.reached, branch.begins) / last,
    line: at, parent: branch.parent === null ? at : line[branch.parent] ?? at,
  }));
}

/** The line of one cell: high while somebody is there, a step for each walker more. @param {number[]} levels @param {number} width of a tick @param {number} height */
export function wave(levels, width, height) {
  const most = Math.max(...levels, 1);
  const y = (/** @type {number} */ level) => (height - 3 - level / most * (height - 6)).toFixed(1);
  let path = `M 0 ${y(levels[0] ?? 0)}`;
  levels.forEach((level, at) => { path += ` V ${y(level)} H ${((at + 1) * width).toFixed(2)}`; });
  return path;
}

/** Where a value changes, with what it is from there on. @param {number[] | null} values */
export function changes(values) {
  return (values ?? []).flatMap((value, at, all) => at && all[at - 1] === value ? [] : [{ at, value }]);
}
