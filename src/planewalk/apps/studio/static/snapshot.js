// @ts-check
// The memory of a Python that has just started, kept by the browser so that the next visit begins there.
// It is made before the worker has heard of any program, and where it cannot be kept, nothing is lost but time.
import { embedded } from "./store.js";

/** @typedef {import("./site.js").Site} Site */

/** One for each site and version: the browser keeps those of all sites of an address together. @param {Site} site */
function shelf(site) { return `planewalk memory ${new URL(".", location.href).pathname} ${site.folder} ${site.python}`; }
const NAME = "memory";

/** @param {Site} site @returns {Promise<Uint8Array | null>} */
export async function keptSnapshot(site) {
  try {
    const found = await caches.match(NAME, { cacheName: shelf(site) });
    return found ? new Uint8Array(await found.arrayBuffer()) : null;
  } catch { return null; }
}

/** @param {Site} site @param {Uint8Array} bytes */
export async function keepSnapshot(site, bytes) {
  if (embedded) return;
  const mine = shelf(site), before = mine.split(" ").slice(0, 3).join(" ");
  try {
    for (const name of await caches.keys()) if (name.startsWith(`${before} `) && name !== mine) await caches.delete(name);
    await (await caches.open(mine)).put(NAME, new Response(/** @type {any} */ (bytes)));
  } catch { /* storage is full or forbidden */ }
}

/** @param {Site} site */
export async function dropSnapshot(site) {
  try { await caches.delete(shelf(site)); } catch { /* there is none */ }
}
