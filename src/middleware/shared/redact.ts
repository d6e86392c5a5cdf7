/** Makes what is recorded on request fit to be read by others than the two who exchanged it. */

const TELLING =
  /^(?:pass|pw|pin|otp|totp|cvv|cvc|pat|sid|dsn|auth|key)$|(?:encryption|signing|license|ssh|secret|master)[-_. ]?key|pass(?:word|phrase|wd|code)|pwd|secret|token|bearer|jwt|api[-_. ]?key|access[-_. ]?key|private[-_. ]?key|signature|auth(?:$|[-_. ]|ori[sz]ation)|credential|cookie|session[-_. ]?id|connection[-_. ]?string/i;

/**
 * JSON in which every value with a telling name is left out, however deep, also in JSON that stands in a text, in queries of URLs and in
 * lists of names and values; with it credentials that are written as such. `[unreadable]` for what is no JSON. It goes by names: a
 * secret under a name that says nothing is not found.
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
  if (Array.isArray(value))
    return value.map((item, index) => (isName(value[index - 1]) && typeof item === 'string' ? '[redacted]' : item));
  return withoutTellingValue(value);
}

/** As raw headers are listed: a name, then its value. */
function isName(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 64 && /^[\w.-]+$/.test(value) && TELLING.test(value);
}

/** As lists of headers and of environment variables are written: `{ name, value }`, however it is spelled. */
function withoutTellingValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const telling = entries.some(([key, text]) => /^(?:name|key)$/i.test(key) && typeof text === 'string' && TELLING.test(text));
  if (!telling) return value;
  return Object.fromEntries(entries.map(([key, text]) => [key, /^value$/i.test(key) ? '[redacted]' : text]));
}

/** A text without the credentials that are written in it as such. */
export function redactedText(text: string): string {
  if (/^\s*[[{"]/.test(text)) {
    try {
      return JSON.stringify(JSON.parse(text), hide);
    } catch {
      // A text after all.
    }
  }
  return (
    redactedJson(text)
      .replace(/\b(bearer|basic|token)\s+["']?[\w.~+/=-]{6,}["']?/gi, '$1 [redacted]')
      // Lines of headers, of environment files and of YAML.
      .replace(/^([ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*[:=][ \t]*)\S[^\n]*$/gm, (all, before: string, name: string) =>
        TELLING.test(name) ? `${before}[redacted]` : all,
      )
      // Forms.
      .replace(/(^|&)([\w.%~-]+)=[^&\s"]+/g, (all, before: string, name: string) =>
        TELLING.test(decoded(name)) ? `${before}${name}=[redacted]` : all,
      )
      .replace(/:\/\/[^/?#\s"]+@/g, '://[redacted]@')
      .replace(/([?&#;])([\w.%~-]+)=[^&#;\s"]+/g, (all, before: string, name: string) =>
        TELLING.test(decoded(name)) || /^(?:key|sig|code)$/i.test(decoded(name)) ? `${before}${name}=[redacted]` : all,
      )
  );
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** JSON that stands in other text: fenced, line by line, or written as a text inside JSON, with its quotes escaped. */
function redactedJson(text: string): string {
  let result = '';
  let rest = 0;
  for (const found of text.matchAll(/((?<!\\)\\{0,31}["'])([\w.-]{1,64})\1\s*[:,]\s*(?=\S)/g)) {
    const [before, quote = '', name = ''] = found;
    if (found.index < rest || !TELLING.test(name)) continue;
    const start = found.index + before.length;
    result += `${text.slice(rest, start)}${quote}[redacted]${quote}`;
    rest = endOfValue(text, start);
  }
  return result + text.slice(rest);
}

/** Where a value ends that begins there: a text with its quotes, what is between brackets, or a word. */
function endOfValue(text: string, start: number): number {
  if (quoteAt(text, start) !== '') return endOfText(text, start);
  if (!/[[{]/.test(text[start] ?? '')) return start + (/^[^\s,;}\]]*/.exec(text.slice(start))?.[0].length ?? 0);
  let depth = 0;
  for (let index = start; index < text.length; ) {
    const end = endOfText(text, index);
    if ('[{'.includes(text[index] ?? '')) depth++;
    if (']}'.includes(text[index] ?? '') && --depth === 0) return end;
    index = end;
  }
  return text.length;
}

/** The quote that stands there, with what escapes it; nothing where none does. */
function quoteAt(text: string, at: number): string {
  QUOTE.lastIndex = at;
  return QUOTE.exec(text)?.[0] ?? '';
}

const QUOTE = /\\{0,31}["']/y;

/** Behind the text in quotes that begins there, whose last quote is escaped as often as its first; else behind one character. */
function endOfText(text: string, start: number): number {
  const quote = quoteAt(text, start);
  if (quote === '') return start + 1;
  for (let at = text.indexOf(quote, start + quote.length); at >= 0; at = text.indexOf(quote, at + 1))
    if (text[at - 1] !== '\\') return at + quote.length;
  return text.length;
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
