// @ts-check
// Commands found by typing: every button of the page, every choice, every example and every question.
import { element } from "./panels.js";

/** @typedef {{words: string, kind: string, act: () => void}} Command */

const BUTTONS = "header button, #rail button, #tools button, #hand button, aside button[id], #guide-start";
const CHOICES = "#language, #stop-when, #exact, #resolution";
const MOST = 80;

/** @param {string} id */
const $ = (id) => /** @type {any} */ (document.getElementById(id));

/** What buttons do, as their tooltips say it, with the first key that does it, too. @returns {Command[]} */
function buttons() {
  const found = /** @type {HTMLButtonElement[]} */ (Array.from(document.querySelectorAll(BUTTONS)));
  return found.filter((button) => button.id !== "commands-open" && !button.popoverTargetElement && !button.disabled && !button.closest("[hidden]")).map((button) => {
    const [, words = "", keys = ""] = /^(.*?)(?: \((.*)\))?$/.exec(button.title || button.textContent?.trim() || "") ?? [];
    return { words, kind: keys.split(/[,;]/)[0], act: () => button.click() };
  });
}

/** Everything that can be chosen from a list. @returns {Command[]} */
function choices() {
  const selects = /** @type {HTMLSelectElement[]} */ (Array.from(document.querySelectorAll(CHOICES)));
  return selects.filter((select) => !select.closest("[hidden]")).flatMap((select) => Array.from(select.options, (option) => ({
    words: option.text, kind: select.getAttribute("aria-label") ?? select.title,
    act: () => { select.value = option.value; select.dispatchEvent(new Event("change")); },
  })));
}

/** Those that fit what is typed; what begins with it comes first. @param {Command[]} all @param {string} typed */
export function matching(all, typed) {
  const parts = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = all.filter(({ words, kind }) => parts.every((part) => `${words} ${kind}`.toLowerCase().includes(part)));
  const first = (/** @type {Command} */ each) => Number(!each.words.toLowerCase().startsWith(parts[0] ?? ""));
  return fits.sort((a, b) => first(a) - first(b)).slice(0, MOST);
}

/** @param {{more: () => Command[], ask: (line: string) => void}} studio `more`: what can be done besides */
export function startPalette({ more, ask }) {
  const dialog = $("palette"), input = $("wanted"), list = $("found-commands");
  /** @type {Command[]} */
  let all = [];
  /** @type {Command[]} */
  let seen = [];
  let at = 0;

  function find() {
    const typed = input.value.trim();
    seen = typed ? matching(all, typed) : buttons();
    if (typed) seen.push({ words: `Ask: ${typed}`, kind: "a command of the debugger", act: () => ask(typed) });
    list.replaceChildren(...seen.map(({ words, kind }, i) => {
      const item = element("li", ""), keys = /^(Ctrl|Shift|Alt|F\d|Insert|\?)/.test(kind);
      item.id = `command-${i}`;
      item.role = "option";
      item.append(element("span", words), element(keys ? "kbd" : "small", kind));
      item.onclick = () => perform(i);
      return item;
    }));
    choose(0);
  }

  /** @param {number} wanted */
  function choose(wanted) {
    at = Math.max(0, Math.min(seen.length - 1, wanted));
    Array.from(list.children).forEach((/** @type {any} */ item, i) => { item.ariaSelected = String(i === at); });
    input.setAttribute("aria-activedescendant", `command-${at}`);
    list.children[at]?.scrollIntoView({ block: "nearest" });
  }

  /** @param {number} which */
  function perform(which) {
    dialog.close();
    seen[which]?.act();
  }

  input.oninput = find;
  input.onkeydown = (/** @type {KeyboardEvent} */ event) => {
    const by = /** @type {Record<string, number>} */ ({ ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 })[event.key];
    if (by) choose(at + by);
    else if (event.key === "Enter") perform(at);
    else return;
    event.preventDefault();
  };
  dialog.onclick = (/** @type {Event} */ event) => { if (event.target === dialog) dialog.close(); };  // beside it

  function open() {
    if (document.querySelector("dialog:modal")) return;
    all = [...buttons(), ...choices(), ...more()];
    input.value = "";
    dialog.showModal();
    find();
  }
  $("commands-open").onclick = open;
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key !== "k") return;
    event.preventDefault();
    open();
  });

  // Menus close once something is chosen, and arrows go through them.
  for (const menu of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".menu"))) {
    menu.addEventListener("click", (event) => { if (/** @type {Element} */ (event.target).closest("button")) menu.hidePopover(); });
    menu.addEventListener("toggle", () => { if (menu.matches(":popover-open")) menu.querySelector("button")?.focus(); });
    menu.addEventListener("keydown", (event) => {
      const items = Array.from(menu.querySelectorAll("button")), by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!by) return;
      items[(items.indexOf(/** @type {any} */ (document.activeElement)) + by + items.length) % items.length].focus();
      event.preventDefault();
    });
  }
}
