/** How a secret may be spelled where it is quoted. */

/** The text itself, percent-encoded, and as part of a JSON text. */
export function spellings(secret: string): readonly string[] {
  return [...new Set([secret, encode(secret), JSON.stringify(secret).slice(1, -1)])];
}

function encode(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}
