// @ts-check
// What this browser keeps for the studio. Where storage is forbidden, and in the page of a stranger, that is nothing.

/** Whether the studio is shown by another page, small and without anything that the user keeps: another page may lay
 *  itself over it, and have clicks do what was not meant. */
export const embedded = new URLSearchParams(globalThis.location?.search).has("embed") || (typeof window === "object" && window.parent !== window);

/** @param {() => Storage} open */
function shelf(open) {
  /** @type {Storage | null} */
  let storage = null;
  try { storage = embedded ? null : open(); }
  catch { /* it is forbidden here */ }
  return {
    /** What is kept under a name; null if there is nothing. @param {string} key */
    get: (key) => storage?.getItem(key) ?? null,
    /** Keep that; says whether there was room. @param {string} key @param {string} value */
    set(key, value) {
      try { storage?.setItem(key, value); return true; }
      catch { return false; }
    },
    /** @param {string} key */
    drop: (key) => storage?.removeItem(key),
  };
}

export const local = shelf(() => localStorage);
export const session = shelf(() => sessionStorage);
