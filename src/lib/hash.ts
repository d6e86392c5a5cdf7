/** A short, stable fingerprint of a text: for names, never for secrets or trust. */

/** FNV-1a, 32 bits, as up to seven characters of `[0-9a-z]`. */
export function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}
