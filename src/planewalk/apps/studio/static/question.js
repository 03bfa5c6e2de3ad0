// @ts-check
// A question in a dialog of the page, whose style and keys are those of everything else.

/** What somebody answers; null if they do not. @param {string} words @param {string} value */
export function answerTo(words, value) {
  const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
  const dialog = /** @type {HTMLDialogElement} */ ($("question"));
  $("question-words").textContent = words;
  $("question-value").value = value;
  dialog.returnValue = "";
  dialog.showModal();
  $("question-value").select();
  return new Promise((/** @type {(answer: string | null) => void} */ answer) => {
    dialog.addEventListener("close", () => answer(dialog.returnValue ? $("question-value").value : null), { once: true });
  });
}
