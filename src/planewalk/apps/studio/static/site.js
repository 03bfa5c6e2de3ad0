// @ts-check
// What a page of a site knows about the site; pages of a server are of none.

/** What `planewalk site` writes into the head of the page: the folder of planewalk's own files and that of Python's,
 *  the bytes of all that is loaded together, the address for links, the bytes that a tab may take, and the example that is recorded.
 *  @typedef {{version: string, folder: string, python: string, size: number, address: string, memory: number, first: string}} Site */

/** The site that this page is of. @returns {Site | null} */
export function siteOf() {
  const about = globalThis.document?.querySelector("meta[name=planewalk-site]");
  return about ? JSON.parse(/** @type {HTMLMetaElement} */ (about).content) : null;
}
