// @ts-check
// A question in a dialog of the page, whose style and keys are those of everything else.

/** Answers the question that was asked last, unless it is answered. @type {(answer: string | null) => void} */
let settle = () => {};

/** What somebody answers; null if they do not. @param {string} words @param {string} value */
export function answerTo(words, value) {
  const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
  const dialog = /** @type {HTMLDialogElement} */ ($("question"));
  settle(null);
  $("question-words").textContent = words;
  $("question-value").value = value;
  // A browser that is busy tells late that a dialog was closed: another question may be open by then.
  dialog.onsubmit = (event) => settle(/** @type {any} */ (event.submitter)?.value ? $("question-value").value : null);
  dialog.onclose = () => { if (!dialog.open) settle(null); };
  dialog.showModal();
  $("question-value").select();
  return new Promise((/** @type {(answer: string | null) => void} */ answer) => { settle = answer; });
}
