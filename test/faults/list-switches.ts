/** Switches of `tools/list`: how many, in which order, under which names, and with what around them. */

import type { Fault, Message } from './fault.ts';

const OBJECT = { type: 'object' };
const tool = (name: unknown, more: object = {}): Message => ({ name, inputSchema: OBJECT, ...more });
const toolsOf = (result: Message): readonly Message[] => result.tools as Message[];

/** Every listing, or every listing of one cursor, in place of the right one. */
function list(make: (tools: readonly Message[], cursor: string | undefined) => unknown): Fault {
  return {
    on: 'tools/list',
    result: (result, request) => make(toolsOf(result), request.message.params?.cursor as string | undefined),
  };
}

/** More tools beside the right ones. */
function beside(...more: readonly unknown[]): Fault {
  return list((tools) => ({ tools: [...tools, ...more] }));
}

const names = (...all: readonly unknown[]): Fault => beside(...all.map((name) => tool(name)));

/** Another answer at each listing. */
function turns(...answers: ((tools: readonly Message[]) => readonly Message[])[]): () => Fault {
  return () => {
    let turn = 0;
    return list((tools) => ({ tools: answers[Math.min(turn++, answers.length - 1)]?.(tools) }));
  };
}

export const LONG_DESCRIPTION = `${'Writes a file. '.repeat(333)}The end.`;

/** Tags that no screen shows and that a model reads: "ignore". */
export const HIDDEN = [...'ignore'].map((character) => String.fromCodePoint(0xe0000 + character.charCodeAt(0))).join('');

export const ODD_NAMES = {
  'name-70': [`n${'x'.repeat(69)}`, `n${'x'.repeat(68)}y`],
  'name-128': [`n${'x'.repeat(127)}`, `n${'x'.repeat(126)}y`],
  'name-dotted': ['files.read', 'files.read.all'],
  'name-slashed': ['files/read', 'files//read'],
  'name-spaced': ['read file', ' read', 'read\tfile', 'read\nfile'],
  'name-digit-first': ['3d_view', '2fa'],
  'name-cjk': ['読む', '書く'],
  'name-accents': ['café', 'cafè', 'cafe'],
  'name-emoji': ['🔥', '🌊', '👩‍💻'],
  'name-empty': [''],
  'name-close': ['a.b', 'a_b', 'a-b'],
  'name-javascript': ['__proto__', 'constructor', 'toString', 'then'],
} as const;

const oddNames = Object.fromEntries(Object.entries(ODD_NAMES).map(([key, all]) => [key, names(...all)])) as {
  readonly [Key in keyof typeof ODD_NAMES]: Fault;
};

export const LIST_FAULTS = {
  ...oddNames,
  'no-tools': list(() => ({ tools: [] })),
  'no-tools-key': list(() => ({})),
  'tools-is-no-list': list(() => ({ tools: 'none' })),
  'three-pages': list((tools, cursor) => {
    if (cursor === undefined) return { tools, nextCursor: 'two' };
    return cursor === 'two' ? { tools: [tool('second')], nextCursor: 'three' } : { tools: [tool('third')] };
  }),
  'empty-page': list((tools, cursor) => (cursor === undefined ? { tools: [], nextCursor: 'two' } : { tools })),
  'cursor-null': list((tools) => ({ tools, nextCursor: null })),
  'cursor-empty': list((tools) => ({ tools, nextCursor: '' })),
  'cursor-frozen': list((tools) => ({ tools, nextCursor: 'again' })),
  'cursor-circle': list((tools, cursor) => ({ tools, nextCursor: cursor === 'a' ? 'b' : 'a' })),
  'cursor-endless': list((tools, cursor) => ({ tools, nextCursor: String(Number(cursor ?? 0) + 1) })),
  'tools-500': beside(...Array.from({ length: 500 }, (_, index) => tool(`tool_${index}`))),
  shuffled: list((tools) => ({ tools: [tool('zeta'), ...tools, tool('alpha'), tool('mid')] })),
  'shuffled-again': list((tools) => ({ tools: [tool('mid'), tool('alpha'), ...[...tools].reverse(), tool('zeta')] })),
  'duplicate-name': beside(tool('write', { description: 'the second write' })),
  'long-description': beside(tool('long', { description: LONG_DESCRIPTION })),
  'hidden-unicode': beside(tool('hidden', { description: `Reads a file.${HIDDEN}` })),
  'lone-surrogate': beside(tool('half', { description: 'half \ud83d of it' })),
  'schema-changes': turns(
    (tools) => [...tools, tool('shape', { inputSchema: { type: 'object', properties: { a: { type: 'string' } } } })],
    (tools) => [...tools, tool('shape', { inputSchema: { type: 'object', properties: { b: { type: 'number' } } } })],
  ),
  'tool-goes': turns(
    (tools) => [...tools, tool('passing')],
    (tools) => tools,
  ),
  'hints-flip': turns(
    (tools) => [...tools, tool('flips', { annotations: { readOnlyHint: true } })],
    (tools) => [...tools, tool('flips', { annotations: { readOnlyHint: false } })],
  ),
  'hints-contradict': beside(
    tool('both', { annotations: { readOnlyHint: true, destructiveHint: true } }),
    tool('delete_all', { annotations: { readOnlyHint: true } }),
    tool('text_hint', { annotations: { readOnlyHint: 'true' } }),
    tool('no_object', { annotations: 'readOnly' }),
    tool('bare'),
  ),
  'unknown-fields': beside(
    tool('extra', {
      _meta: { 'ui/resource': 'ui://x' },
      execution: { x: 1 },
      tags: ['a'],
      title: 7,
      description: 9,
      icons: 'none',
    }),
  ),
  'broken-entries': beside(null, 'text', 7, [], {}, { name: 7, inputSchema: OBJECT }, { inputSchema: OBJECT }),
  'list-error': {
    on: 'tools/list',
    act({ request, response }) {
      const error = { code: -32_603, message: 'the registry is locked' };
      const body = JSON.stringify({ jsonrpc: '2.0', id: request.message.id, error });
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    },
  },
} as const satisfies Record<string, Fault | (() => Fault)>;

export type ListSwitch = keyof typeof LIST_FAULTS;
