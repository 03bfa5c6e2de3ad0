// @ts-check
// Starts the worker that Python runs in. What this frame and its worker may do is less than what a page may: no
// network, no storage, no document of the studio. That is why what Pyodide needs, 'unsafe-eval', is allowed here.
"use strict";
addEventListener("message", function start({ data, source, ports }) {
  if (origin !== "null" || source !== parent) return;  // opened by itself, this would have the origin of the site
  removeEventListener("message", start);
  const address = URL.createObjectURL(new Blob([data.script], { type: "text/javascript" }));
  const worker = new Worker(address);  // a classic one, which imports: module workers start in no frame without an origin
  worker.onerror = (event) => parent.postMessage({ failed: event.message || "the worker cannot be started" }, "*");
  worker.postMessage(data.order, [...ports, ...data.moved]);
});
