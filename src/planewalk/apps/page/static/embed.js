// @ts-check
// Makes every <pre class="planewalk" data-language="..."> of a page a small studio that has its program:
// <script src=".../embed.js"></script>. Python starts in those that come into sight.
(() => {
const HOME = new URL(".", /** @type {HTMLScriptElement} */ (document.currentScript).src), LANGUAGE = /^[a-z][a-z0-9-]*$/;

/** The fragment of a link to a program. @param {any} data */
async function fragment(data) {
  const stream = new Blob([JSON.stringify(data)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  let text = "";
  for (const byte of new Uint8Array(await new Response(stream).arrayBuffer())) text += String.fromCharCode(byte);
  return `#2.${btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")}`;
}

/** @param {HTMLElement} pre */
async function enliven(pre) {
  const { language = "", input, seed, name, height } = pre.dataset, text = (pre.textContent ?? "").replace(/^\n/, "").replace(/\n?\s*$/, "\n");
  if (!LANGUAGE.test(language)) return console.warn(`planewalk: data-language is no name of a language: ${language}`);
  const given = input === undefined ? {} : { given: { data: base64(input), ended: true } };
  const program = { language, text, name: name ?? "", ...given, ...(seed ? { seed: Number(seed) } : {}) };
  const frame = document.createElement("iframe"), lines = text.split("\n").length;
  frame.src = `${HOME.href}?embed${await fragment(program)}`;
  frame.title = `A program in ${language}`;
  frame.loading = "lazy";
  frame.allow = "clipboard-write";
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox");
  frame.style.cssText = `width: 100%; height: ${Number(height) || Math.min(600, 220 + 26 * lines)}px; border: 1px solid #8884; border-radius: 12px`;
  pre.replaceWith(frame);
}

/** @param {string} text */
function base64(text) {
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}

const start = () => { for (const pre of document.querySelectorAll("pre.planewalk[data-language]")) enliven(/** @type {HTMLElement} */ (pre)); };
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
})();
