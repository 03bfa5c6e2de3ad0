// @ts-check
// Bytes as text, as hex and as base64, and back: pure functions.

/** Bytes for people. @param {Uint8Array} bytes @param {boolean} hex */
export function bytesShown(bytes, hex) {
  if (hex) return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  return new TextDecoder().decode(bytes);
}

/** @param {string} base64 */
export function fromBase64(base64) {
  return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
}

/** The byte that the character at an offset of a shown text begins with. @param {Uint8Array} bytes @param {number} offset @param {boolean} hex */
export function byteAt(bytes, offset, hex) {
  if (hex) return Math.min(Math.floor(offset / 3), bytes.length - 1);
  const whole = bytesShown(bytes, false);
  const before = new TextEncoder().encode(whole.slice(0, offset)).length;
  return Math.min(before, bytes.length - 1);
}

/** Bytes that somebody has written as hex or text; null if they are neither. @param {string} text @param {boolean} hex */
export function typedBytes(text, hex) {
  if (!hex) return new TextEncoder().encode(text);
  const digits = text.replace(/\s+/g, "");
  if (digits.length % 2 || /[^0-9a-f]/i.test(digits)) return null;
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** @param {Uint8Array} bytes */
export function toBase64(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
