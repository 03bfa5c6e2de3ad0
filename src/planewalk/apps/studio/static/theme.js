// @ts-check
// Light or dark: as the system has it, unless somebody has chosen.

import { local } from "./store.js";

const KEY = "planewalk theme", query = () => matchMedia("(prefers-color-scheme: dark)");

/** Whether the page is dark now. */
export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : query().matches;
}

/** Let a button go round between the system's choice, light and dark. @param {HTMLElement | null} button @param {() => void} changed */
export function startTheme(button, changed) {
  const words = /** @type {Record<string, string>} */ ({ "": "as the system has it", light: "light", dark: "dark" });
  /** @param {string} theme */
  function set(theme) {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    local.set(KEY, theme);
    if (button) button.title = `Light or dark: now ${words[theme]}`;
    changed();
  }
  query().addEventListener("change", changed);
  if (button) button.onclick = () => set({ "": "light", light: "dark", dark: "" }[document.documentElement.dataset.theme ?? ""] ?? "");
  set(words[local.get(KEY) ?? ""] ? local.get(KEY) ?? "" : "");
}
