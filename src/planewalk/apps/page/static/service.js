// @ts-check
// Keeps one version of the site in the browser, so that it is there at once and without a network. The next version is
// fetched whole, beside it, and takes over when no tab shows this one any more: no page has files of both.

/** The folder with planewalk's own files, which names the version; and all files of the site. */
const VERSION = "/* version */", FILES = /** @type {string[]} */ ([/* files */]);
const INDEX = "index.html";
/** @type {any} */
const worker = self;
const scope = new URL(worker.registration.scope).pathname, ours = `planewalk files ${scope} `, shelf = ours + VERSION;

async function fill() {
  const cache = await caches.open(shelf);
  await Promise.all(FILES.map(async (name) => {
    const isNamedByContent = name.includes("/") && /^(planewalk|python)-/.test(name);
    const response = await fetch(name, { cache: isNamedByContent ? "default" : "reload" });
    if (!response.ok) throw new Error(`${name}: ${response.status}`);
    if (name === INDEX && !(await response.clone().text()).includes(`${VERSION}/`)) throw new Error("the site has just changed");
    await cache.put(name, response);
  }));
}

async function forget() {
  for (const name of await caches.keys()) if (name.startsWith(ours) && name !== shelf) await caches.delete(name);
}

/** @param {Request} request @param {string} name */
async function answer(request, name) {
  return await caches.match(new URL(name, worker.registration.scope).href, { cacheName: shelf }) ?? fetch(request);
}

worker.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(fill().catch(async (error) => { await caches.delete(shelf); throw error; })));
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(forget()));
worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.method !== "GET" || origin !== location.origin || !pathname.startsWith(scope)) return;
  const name = pathname.slice(scope.length) || INDEX;
  if (FILES.includes(name)) event.respondWith(answer(event.request, name));
});
