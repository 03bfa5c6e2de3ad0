// @ts-check
// What is said above the plane while Python is loaded, is busy, or cannot be had.

/** @param {() => void} end ends the worker */
export function startSign(end) {
  const sign = document.createElement("div"), words = document.createElement("span"), bar = document.createElement("progress"), button = document.createElement("button");
  sign.id = "sign"; sign.hidden = true; sign.setAttribute("role", "status");
  button.textContent = "End it";
  button.title = "End what is going on, and come back to the last moment that was seen";
  button.onclick = end;
  sign.append(words, bar, button);
  document.getElementById("ground")?.append(sign);

  /** @param {string} text @param {number | null} part @param {boolean} endable */
  function put(text, part, endable) {
    if (words.textContent !== text) words.textContent = text;
    bar.hidden = part === null;
    bar.value = part ?? 0;
    button.hidden = !endable;
    sign.hidden = false;
  }
  return {
    /** @param {string} text @param {number} part of all that is to come */
    load: (text, part) => put(text, part, false),
    /** @param {string} text */
    say: (text) => put(text, null, false),
    busy: () => put("at work …", null, true),
    hide() { sign.hidden = true; },
  };
}
