/** Makes what is recorded on request fit to be read by others than the two who exchanged it. */

const TELLING =
  /^(?:pass|pw|pin|otp|totp|cvv|cvc|pat|sid|dsn|auth|key)$|(?:encryption|signing|license|ssh|secret|master)[-_. ]?key|pass(?:word|phrase|wd|code)|pwd|secret|token|bearer|jwt|api[-_. ]?key|access[-_. ]?key|private[-_. ]?key|signature|auth(?:$|[-_. ]|ori[sz]ation)|credential|cookie|session[-_. ]?id|connection[-_. ]?string/i;

/**
 * JSON in which every value with a telling name is left out, however deep, also in JSON that stands in a text, in queries of URLs and in
 * lists of names and values; with it credentials that are written as such. `[unreadable]` for what is no JSON.
 */
export function redacted(value: unknown): string {
  try {
    return JSON.stringify(value, hide) ?? 'null';
  } catch {
    return '[unreadable]';
  }
}

function hide(key: string, value: unknown): unknown {
  if (TELLING.test(key)) return '[redacted]';
  if (typeof value === 'string') return redactedText(value);
  return isTellingPair(value) ? { ...value, value: '[redacted]' } : value;
}

/** As lists of headers and of environment variables are written. */
function isTellingPair(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || !('value' in value)) return false;
  const { name, key } = value as { readonly name?: unknown; readonly key?: unknown };
  return [name, key].some((text) => typeof text === 'string' && TELLING.test(text));
}

/** A text without the credentials that are written in it as such. */
export function redactedText(text: string): string {
  if (/^\s*[[{]/.test(text)) {
    try {
      return JSON.stringify(JSON.parse(text), hide);
    } catch {
      // A text after all.
    }
  }
  return (
    text
      .replace(/\b(bearer|basic|token)\s+["']?[\w.~+/=-]{6,}["']?/gi, '$1 [redacted]')
      // Lines of headers, of environment files and of YAML.
      .replace(/^([ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*[:=][ \t]*)\S[^\n]*$/gm, (all, before: string, name: string) =>
        TELLING.test(name) ? `${before}[redacted]` : all,
      )
      // Forms.
      .replace(/(^|&)([\w.%~-]+)=[^&\s"]+/g, (all, before: string, name: string) =>
        TELLING.test(name) ? `${before}${name}=[redacted]` : all,
      )
      .replace(/:\/\/[^/?#\s"@]+@/g, '://[redacted]@')
      .replace(/([?&#;])([\w.%~-]+)=[^&#;\s"]+/g, (all, before: string, name: string) =>
        TELLING.test(name) || /^(?:key|sig|code)$/i.test(name) ? `${before}${name}=[redacted]` : all,
      )
  );
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
