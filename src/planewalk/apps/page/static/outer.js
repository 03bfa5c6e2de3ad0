// @ts-check
// Puts a frame without an origin into this one, and hands it the one message of the page. This frame is here for two
// reasons: its policy is handed down, and a service worker answers for it, as it does for no frame without an origin.
"use strict";
addEventListener("message", function start({ data, source, ports }) {
  if (source !== parent || source === window) return;  // of a stranger; the message of the page is still to come
  removeEventListener("message", start);
  const inner = document.createElement("iframe");
  inner.setAttribute("sandbox", "allow-scripts");
  inner.srcdoc = /** @type {HTMLTemplateElement} */ (document.querySelector("template")).innerHTML;
  inner.onload = () => inner.contentWindow?.postMessage(data, "*", [...ports, ...data.moved]);
  document.body.append(inner);
  addEventListener("message", (event) => { if (event.source === inner.contentWindow) parent.postMessage(event.data, "*"); });
});
