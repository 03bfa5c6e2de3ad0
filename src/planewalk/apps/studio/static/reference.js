// @ts-check
// What every sign of the language does, opened at the sign below the cursor.
import { element, prose } from "./panels.js";

/** @param {{language: () => any, sign: () => string}} studio */
export function startReference(studio) {
  const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
  const dialog = $("reference"), list = $("reference-list");
  let filled = "", at = "";

  function fill() {
    const language = studio.language();
    if (!language || language.name === filled) return;
    filled = language.name;
    $("reference-title").textContent = `${language.title}: ${language.instructions.length} signs`;
    let group = "";
    const parts = [];
    for (const row of language.instructions) {
      if (row.groupTitle !== group) parts.push(Object.assign(document.createElement("h3"), { textContent: group = row.groupTitle }));
      const block = document.createElement("div"), words = document.createElement("p");
      words.textContent = [prose(row.doc), row.set && `Loaded with ${row.set}.`].filter(Boolean).join(" ");
      block.dataset.sign = row.symbol;
      block.append(element("b", row.symbol === " " ? "␣" : row.symbol), element("strong", row.name), element("small", row.effect), words);
      parts.push(block);
    }
    list.replaceChildren(...parts);
  }

  /** Show the sign at the cursor, if there is one. */
  function point() {
    const sign = studio.sign();
    if (!dialog.open || sign === at) return;
    at = sign;
    for (const block of list.querySelectorAll("[data-sign]")) {
      const here = block.dataset.sign === sign;
      block.classList.toggle("here", here);
      if (here && sign !== " ") block.scrollIntoView({ block: "nearest" });  // a blank is no reason to begin at the end
    }
  }

  function toggle() {
    if (dialog.open) { dialog.close(); return; }
    fill();
    dialog.show();
    at = "";
    point();
  }
  $("reference-open").onclick = toggle;
  $("reference-close").onclick = () => dialog.close();
  $("reference-filter").oninput = () => {
    const word = $("reference-filter").value.toLowerCase();
    for (const block of list.querySelectorAll("[data-sign]")) block.hidden = !block.textContent.toLowerCase().includes(word);
  };
  document.addEventListener("keydown", (event) => {
    if (event.key === " " && (event.ctrlKey || event.metaKey)) { toggle(); event.preventDefault(); }
    if (event.key === "Escape" && dialog.open) dialog.close();
  });
  return { shown() { if (dialog.open) { fill(); point(); } } };
}
