// Runs a program of Python as pages run it: `node tests/pyodide.mjs PYODIDE ARCHIVE PROGRAM`, with
// planewalk from an archive that is made for pages, and the repository as /repo.
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [, here, folder, archive, program] = process.argv;
const bytes = (path) => new Uint8Array(readFileSync(path));
const info = { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.2" };
const node = {
  cpu() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  },
};

function fail(error) {
  console.error(String(error).slice(-4000)); // Node itself would add a line of a megabyte
  process.exit(1);
}

process.on("uncaughtException", fail);
try {
  const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
  const python = await loadPyodide({ indexURL: `${folder}/`, lockFileContents: { info, packages: {} } });
  python.unpackArchive(bytes(archive), "gztar", { extractDir: "/planewalk" });
  python.mountNodeFS("/repo", dirname(dirname(fileURLToPath(import.meta.url))));
  python.registerJsModule("node", node);
  python.runPython("import sys; sys.path[:0] = ['/planewalk', '/repo']");
  python.runPython(readFileSync(program, "utf8"));
} catch (error) {
  fail(error);
}
