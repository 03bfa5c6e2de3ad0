// @ts-check
// What leaves the studio: links, Markdown, files, films; and what a tab keeps for itself.
import { packed } from "./share.js";

/** Text as the bytes of a program: bytes that are no text come back as they were. @param {string} text */
export function bytesOf(text) {
  const coder = new TextEncoder(), parts = [];
  for (const piece of text.split(/([\udc80-\udcff])/)) {
    const code = piece.charCodeAt(0);
    const raw = piece.length === 1 && code >= 0xdc80 && code <= 0xdcff;
    parts.push(raw ? Uint8Array.of(code - 0xdc00) : coder.encode(piece));
  }
  return parts;
}

/** A program and its moment for a page in Markdown.
 * @param {any} language @param {any} program @param {string} output @param {string} link */
export function markdown(language, program, output, link) {
  const fence = "`".repeat(Math.max(3, ...Array.from(program.text.matchAll(/`+/g), (run) => run[0].length + 1)));
  const block = (/** @type {string} */ text, /** @type {string} */ name) => `${fence}${name}\n${text.replace(/\n$/, "")}\n${fence}\n`;
  const parts = [`A program in ${language.title}, at tick ${program.tick.toLocaleString("en")} of its run:\n`, block(program.text, language.name)];
  if (output) parts.push("It has written:\n", block(output, "text"));
  return [...parts, `[Open it in the studio](${link})\n`].join("\n");
}

/** Give the user a file. @param {string} name @param {BlobPart[]} parts @param {string} type */
export function download(name, parts, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The address of a moment. @param {any} program */
export async function linkTo(program) {
  return `${location.origin}${location.pathname}#${await packed(program)}`;
}

/** Put text on the clipboard; says whether that was allowed. @param {string} text */
export async function copied(text) {
  try { await navigator.clipboard.writeText(text); return true; }
  catch { return false; }
}

/** The dialog with everything that can be made of a run.
 * @param {{say: (message: any) => void, state: () => any, program: () => any, language: () => any, output: () => string, tell: (words: string) => void}} studio */
export function startSharing(studio) {
  const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
  const name = () => (studio.state().name || "program").replace(/\.\w+$/, "");
  $("export-open").onclick = () => {
    const frame = studio.state().frame, reached = Math.max(frame?.reached ?? 0, frame?.tick ?? 0);
    $("film-last").value = String(reached || 100);
    $("film-every").value = String(Math.max(1, Math.ceil(reached / 500)));
    $("export").showModal();
  };
  $("markdown").onclick = async () => {
    const program = studio.program(), text = markdown(studio.language(), program, studio.output(), await linkTo(program));
    const done = await copied(text);
    if (!done) download(`${name()}.md`, [text], "text/markdown");
    studio.tell(done ? "copied as Markdown" : "the Markdown is in a file, since the clipboard is closed");
  };
  $("film").onclick = () => {
    studio.tell("the film is being made …");
    studio.say({ do: "film", first: Number($("film-first").value), last: Number($("film-last").value), every: Number($("film-every").value) });
  };
  $("share").onclick = async () => {
    const link = await linkTo(studio.program());
    history.replaceState(null, "", new URL(link).hash);
    studio.tell(await copied(link) ? "the link is copied; it holds the program, its input and this moment of its run" : "the link stands in the address bar");
  };
  $("save").onclick = save;
  function save() {
    const language = studio.language();
    download(`${name()}${language?.coloured ? ".txt" : language?.suffix ?? ".txt"}`, bytesOf(studio.state().text.replace(/\n?$/, "\n")), "application/octet-stream");
  }
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    if (event.key === "s") save();
    else if (event.key === "o") $("file").click();
    else return;
    event.preventDefault();
  });
  return {
    /** @param {any} message */
    hear(message) {
      if (!message.film) return;
      download(`${name()}.html`, [message.film], "text/html");
      studio.tell("the film is saved: one file that plays without a server");
    },
  };
}
