/** Makes what is recorded on request fit to be read by others than the two who exchanged it. */

const TELLING =
  /pass(?:word|phrase|wd)|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|authori[sz]ation|credential|cookie/i;

/** JSON in which every value with a telling name is left out, however deep; `[unreadable]` for what is no JSON. */
export function redacted(value: unknown): string {
  try {
    return JSON.stringify(value, (key, inner: unknown) => (TELLING.test(key) ? '[redacted]' : inner)) ?? 'null';
  } catch {
    return '[unreadable]';
  }
}

/** A URI without its user, query and fragment. */
export function withoutSecrets(uri: string): string {
  const [plain = ''] = uri.split(/[?#]/, 1);
  const scheme = plain.indexOf('://');
  if (scheme < 0) return plain;
  const authority = scheme + 3;
  const slash = plain.indexOf('/', authority);
  const at = plain.lastIndexOf('@', slash < 0 ? plain.length : slash);
  return at < authority ? plain : plain.slice(0, authority) + plain.slice(at + 1);
}
