// @ts-check
// The studio in another page: a plane, a few buttons, and a way to the whole studio. It has no files, saves nothing and
// keeps nothing, whatever the page around it lays over it to be clicked.

/** Parts of the page that are taken away. */
const AWAY = ["files-open", "files", "language", "commands-open", "share", "rail", "palette", "gallery", "export", "text", "tour", "guide", "split", "file"];

/** @param {() => Promise<string>} link to what is seen */
export function startEmbedded(link) {
  const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
  document.body.classList.add("embedded");
  for (const id of AWAY) $(id).hidden = true;
  $("elsewhere").hidden = false;
  $("elsewhere").onpointerdown = $("elsewhere").onfocus = async () => { $("elsewhere").href = await link(); };
  $("elsewhere").href = location.pathname + location.hash;
}
