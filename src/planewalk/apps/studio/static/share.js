// @ts-check
// A program and a moment of its run in a link: compressed, in the fragment, sent to nobody.

const VERSION = "1";

/** @param {Uint8Array} bytes @param {any} through */
async function piped(bytes, through) {
  const stream = new Blob([/** @type {any} */ (bytes)]).stream().pipeThrough(through);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The fragment for some plain data. @param {any} data */
export async function packed(data) {
  const bytes = await piped(new TextEncoder().encode(JSON.stringify(data)), new CompressionStream("deflate-raw"));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return `${VERSION}.${btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")}`;
}

/** The data of a fragment, or an error that says what is wrong. @param {string} fragment */
export async function unpacked(fragment) {
  const [version, body] = fragment.replace(/^#/, "").split(".");
  if (version !== VERSION || !body) throw new Error(`this link is of another version (${version}) or was cut off`);
  const text = atob(body.replace(/-/g, "+").replace(/_/g, "/"));
  const bytes = Uint8Array.from(text, (sign) => sign.charCodeAt(0));
  const plain = await piped(bytes, new DecompressionStream("deflate-raw"));
  return JSON.parse(new TextDecoder().decode(plain));
}
