// @ts-check
// Files of this machine, where the browser lets pages have them: what was opened is saved to where it came from.

/** The file that is open. @type {any} */
let held = null;

/** Another program is open now, so nothing may be saved to this file. */
export function letGo() { held = null; }

/** Whether the browser asks for files and lets them be written. */
export function hasDisk() { return typeof (/** @type {any} */ (globalThis).showOpenFilePicker) === "function"; }

/** A file that the user chooses, and what to call once it is open; null if there is none. */
export async function chosen() {
  try {
    const [handle] = await /** @type {any} */ (globalThis).showOpenFilePicker();
    return { file: /** @type {File} */ (await handle.getFile()), hold: () => { held = handle; } };
  } catch { return null; }
}

/** Write the file that is open; says whether it could. @param {Uint8Array[]} parts */
export async function written(parts) {
  if (!held) return false;
  try {
    const file = await held.createWritable();
    await file.write(new Blob(/** @type {any} */ (parts)));
    await file.close();
    return true;
  } catch { return false; }
}
