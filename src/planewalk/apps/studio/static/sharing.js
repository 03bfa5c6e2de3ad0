// @ts-check
// What leaves the studio: links, Markdown, files, films; and what a tab keeps for itself.
import { written } from "./disk.js";
import { videoKind } from "./moving.js";
import { reelOf } from "./reel.js";
import { packed } from "./share.js";
import { siteOf } from "./site.js";
import { embedded, local } from "./store.js";

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
  const fence = "`".repeat(Math.max(3, ...Array.from(`${program.text}\n${output}`.matchAll(/`+/g), (run) => run[0].length + 1)));
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

/** Where links of this studio lead, if its user has said so. */
const LINKS = "planewalk links";

/** Where links lead: to the site that the user has chosen, to that which this page was made for, or to this page. */
export function linkBase() {
  return local.get(LINKS) || siteOf()?.address || `${location.origin}${location.pathname}`;
}

/** Whether an address can be opened on other machines. @param {string} address */
function isPublic(address) { return !/^(localhost|127\.|\[::1\])/.test(new URL(address).host) && !address.startsWith("file:"); }

/** The address of a moment. @param {any} program */
export async function linkTo(program) { return `${linkBase()}#${await packed(program)}`; }

/** An address for links as somebody writes it, or null if it is none. @param {string} text */
export function addressOf(text) {
  try {
    const address = new URL(text.trim());
    address.hash = address.search = "";
    return /^https?:$/.test(address.protocol) ? address.href : null;
  } catch { return null; }
}

/** Put text on the clipboard; says whether that was allowed. @param {string} text */
export async function copied(text) {
  try { await navigator.clipboard.writeText(text); return true; }
  catch { return false; }
}

/** The dialog with everything that can be made of a run.
 * @param {{open: () => void, say: (message: any) => void, state: () => any, program: () => any, language: () => any, output: () => string, tell: (words: string) => void}} studio */
export function startSharing(studio) {
  const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
  const name = () => (studio.state().name || "program").replace(/\.\w+$/, "").replace(/[\p{C}\p{Z}/\\:*?"<>|]+/gu, "-").slice(0, 100);  // strangers name programs
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
  const video = videoKind();
  $("film-kind").lastElementChild.textContent = video ? video.kind.toUpperCase() : "video: planewalk film FILE -o film.mp4";
  $("film-kind").lastElementChild.disabled = !video;
  let kind = "html";
  /** @param {string} page */
  async function moving(page) {
    try {
      const film = await reelOf(page, kind);
      download(`${name()}.${film.name}`, film.parts, film.type);
      studio.tell(`${name()}.${film.name} is saved`);
    } catch (error) { studio.tell(`this film cannot be made here: ${/** @type {Error} */ (error).message}; planewalk film makes it`); }
  }
  $("film").onclick = () => {
    kind = $("film-kind").value;
    studio.tell("the film is being made …");
    studio.say({ do: "film", first: Number($("film-first").value), last: Number($("film-last").value), every: Number($("film-every").value) });
  };
  $("share").onclick = async () => {
    const link = await linkTo(studio.program());
    if (!embedded) history.replaceState(null, "", new URL(link).hash);
    const there = isPublic(link) ? "" : "; it opens on this machine alone: Export has the address of a site for links";
    if (await copied(link)) studio.tell(`the link is copied; it holds the program, its input and this moment of its run${there}`);
    else if (embedded) open(link, "_blank", "noopener");
    else studio.tell(`the link stands in the address bar${there}`);
  };
  $("links").onchange = () => {
    const text = $("links").value, address = addressOf(text);
    if (text.trim() && !address) return studio.tell("links lead to an address such as http://…/, where planewalk site was put");
    local.set(LINKS, address ?? "");
    studio.tell(`links lead to ${linkBase()}`);
  };
  $("links").placeholder = siteOf()?.address || `${location.origin}${location.pathname}`;
  $("links").value = local.get(LINKS) ?? "";
  $("save").onclick = save;
  async function save() {
    const language = studio.language(), parts = bytesOf(studio.state().text.replace(/\n?$/, "\n"));
    if (!language?.coloured && await written(parts)) studio.tell(`${studio.state().name} is saved`);
    else download(`${name()}${language?.coloured ? ".txt" : language?.suffix ?? ".txt"}`, parts, "application/octet-stream");
  }
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    if (embedded) return;
    if (event.key === "s") save();
    else if (event.key === "o") studio.open();
    else return;
    event.preventDefault();
  });
  return {
    link: () => linkTo(studio.program()),
    /** @param {any} message */
    hear(message) {
      if (!message.film) return;
      if (kind !== "html") { moving(message.film); return; }
      download(`${name()}.html`, [message.film], "text/html");
      studio.tell("the film is saved: one file that plays without a server");
    },
  };
}
