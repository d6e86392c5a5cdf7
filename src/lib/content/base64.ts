/** Base64 as servers really send it: checked and measured without being decoded, and decoded where it is text. */

/** Base64 in its standard form, or `undefined` for what is none. Line breaks, the URL alphabet, missing padding and a `data:` prefix are mended. */
export function readBase64(raw: unknown): string | undefined {
  if (typeof raw !== 'string') return undefined;
  if (isStandard(raw)) return raw;
  const bare = raw
    .slice(/^data:[^,]{0,200},/.exec(raw)?.[0].length ?? 0)
    .replace(/\s+/g, '')
    .replace(/-/g, '+')
    .replace(/_/g, '/')
    .replace(/={1,2}$/, '');
  const padded = bare + '='.repeat((4 - (bare.length % 4)) % 4);
  return isStandard(padded) ? padded : undefined;
}

/** How many bytes standard base64 stands for; `undefined` for what is none. */
export function measureBase64(raw: unknown): number | undefined {
  const data = readBase64(raw);
  if (data === undefined) return undefined;
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return (data.length / 4) * 3 - padding;
}

/** The text in standard base64, or `undefined` where the bytes are none in that charset. */
export function decodeText(data: string, charset = 'utf-8'): string | undefined {
  try {
    const binary = atob(data);
    const bytes = new Uint8Array(binary.length);
    for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** One search for the first foreign character: a pattern over the whole of a large text would exhaust the engine's stack. */
function isStandard(data: string): boolean {
  if (data.length % 4 !== 0) return false;
  const end = data.search(/[^A-Za-z0-9+/]/);
  return end === -1 || ['=', '=='].includes(data.slice(end, end + 3));
}
