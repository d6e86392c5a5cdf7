/** Reads JSON that may have comments and trailing commas, and says at which line and column it is broken. */

import stripJsonComments from 'strip-json-comments';

export type JsonReading =
  | { readonly value: unknown }
  | { readonly line: number; readonly column: number; readonly problem: string };

/**
 * Never throws. The engine's own message is not used: it may quote the text, in which secrets may be, and only some engines say where.
 */
export function readJson(text: string): JsonReading {
  const stripped = stripJsonComments(text.replace(/^\uFEFF/, ''), { trailingCommas: true });
  try {
    return { value: JSON.parse(stripped) };
  } catch {
    const { offset, problem } = locate(stripped);
    const before = stripped.slice(0, offset).split(/\r\n|\n|\r/);
    return { line: before.length, column: (before.at(-1) ?? '').length + 1, problem };
  }
}

interface Fault {
  readonly offset: number;
  readonly problem: string;
}

const STRING = String.raw`"(?:[^"\\\r\n\t]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"`;
const SCALAR = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null`;
const TOKEN = new RegExp(String.raw`[ \t\r\n]*(?:(${STRING})|(${SCALAR})|([{}\[\],:]))`, 'y');

/** What may come next; with `first`, the list or object may also close. */
type Expected = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'separator' | 'end';

const PROBLEMS: Readonly<Record<Expected, string>> = {
  value: 'expected a value',
  'first value': 'expected a value or a closing bracket',
  key: 'expected a name in double quotes',
  'first key': 'expected a name in double quotes or a closing brace',
  colon: 'expected a colon',
  separator: 'expected a comma or a closing bracket',
  end: 'expected nothing more',
};

/** Walks the tokens up to the first that cannot be where it is. */
function locate(text: string): Fault {
  const open: string[] = [];
  let expected: Expected = 'value';
  TOKEN.lastIndex = 0;
  for (;;) {
    const start = TOKEN.lastIndex;
    const offset = start + (text.slice(start).match(/^[ \t\r\n]*/)?.[0].length ?? 0);
    const match = TOKEN.exec(text);
    if (match === null) return { offset, problem: unreadable(text, offset, expected) };
    const next = step(expected, match[1] === undefined ? (match[3] ?? 'scalar') : 'string', open);
    if (next === undefined) return { offset, problem: PROBLEMS[expected] };
    expected = next;
  }
}

/** What may come after this token, or nothing when it may not stand here. Keeps `open`, the closing brackets that are due. */
function step(expected: Expected, token: string, open: string[]): Expected | undefined {
  const done = (): Expected => (open.length === 0 ? 'end' : 'separator');
  if (token === '}' || token === ']') {
    const mayClose = expected === 'separator' || expected === (token === '}' ? 'first key' : 'first value');
    if (!mayClose || open.at(-1) !== token) return undefined;
    open.pop();
    return done();
  }
  if (expected === 'key' || expected === 'first key') return token === 'string' ? 'colon' : undefined;
  if (expected === 'colon') return token === ':' ? 'value' : undefined;
  if (expected === 'separator') return token !== ',' ? undefined : open.at(-1) === '}' ? 'key' : 'value';
  if (expected === 'end' || token === ',' || token === ':') return undefined;
  if (token === 'string' || token === 'scalar') return done();
  open.push(token === '{' ? '}' : ']');
  return token === '{' ? 'first key' : 'first value';
}

function unreadable(text: string, offset: number, expected: Expected): string {
  if (offset >= text.length) return expected === 'end' ? 'there is a control character in a string' : 'the text ends too early';
  if (text[offset] === '"') return 'this string does not end, or has a line break or a wrong escape in it';
  if (text[offset] === "'") return 'strings are written in double quotes';
  if (text.startsWith('/*', offset)) return 'this comment does not end';
  return PROBLEMS[expected];
}
