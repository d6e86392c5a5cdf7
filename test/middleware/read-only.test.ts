import { describe, expect, test } from 'vitest';
import { readOnly } from '../../src/middleware/index.ts';
import type { McpMiddleware, McpRequest, ToolAnnotations, ToolCall, ToolDefinition } from '../../src/types.ts';
import { call, callThrough, listThrough, OK, request, requestThrough, tool } from './fake.ts';

const READS: ToolAnnotations = { readOnlyHint: true };
const names = (tools: readonly ToolDefinition[]) => tools.map(({ server, originalName }) => `${server}/${originalName}`);

async function kept(middleware: McpMiddleware, ...tools: ToolDefinition[]): Promise<string[]> {
  return names(await listThrough([middleware], tools));
}

/** Makes the call and says what became of it, and how many requests were sent. */
async function attempt(middleware: McpMiddleware, definition: ToolDefinition) {
  let sent = 0;
  const run = callThrough([middleware], async () => {
    sent++;
    return OK;
  });
  const error = await run(call(definition)).then(
    () => undefined,
    (reason) => reason,
  );
  return { error, sent };
}

/** Hidden at listing and refused at call time; gives the refusal's text. */
async function refused(middleware: McpMiddleware, definition: ToolDefinition): Promise<string> {
  expect(await kept(middleware, definition)).toEqual([]);
  const { error, sent } = await attempt(middleware, definition);
  expect(error).toMatchObject({ code: 'not_allowed' });
  expect(sent).toBe(0);
  return error.message;
}

async function permitted(middleware: McpMiddleware, definition: ToolDefinition): Promise<void> {
  expect(await kept(middleware, definition)).toEqual(names([definition]));
  expect(await attempt(middleware, definition)).toEqual({ error: undefined, sent: 1 });
}

describe('N8 read-only filtering', () => {
  test('N8 a tool without annotations is hidden, and refused with the rule and the remedy in the text', async () => {
    expect(await refused(readOnly(), tool())).toBe(
      'MCP server "files", tool "read_file": refused by readOnly, because it has no readOnlyHint. Nothing was sent. ' +
        'Use a read-only tool instead. To permit it, the application lists "files/read_file" in the allow option.',
    );
  });

  test.each([
    ['an empty object', {}, 'it has no readOnlyHint'],
    ['null', { readOnlyHint: null }, 'it has no readOnlyHint'],
    ['false', { readOnlyHint: false }, 'its readOnlyHint is false'],
    ['the text "true"', { readOnlyHint: 'true' }, 'its readOnlyHint is neither true nor false'],
    ['the number 1', { readOnlyHint: 1 }, 'its readOnlyHint is neither true nor false'],
    ['an object', { readOnlyHint: {} }, 'its readOnlyHint is neither true nor false'],
    ['destructive as well', { readOnlyHint: true, destructiveHint: true }, 'its hints contradict each other'],
    ['destructive as a text', { readOnlyHint: true, destructiveHint: 'yes' }, 'its hints contradict each other'],
    ['only not destructive', { destructiveHint: false, idempotentHint: true }, 'it has no readOnlyHint'],
  ])('N8 annotations that are %s do not do', async (_, annotations, rule) => {
    expect(await refused(readOnly(), tool({ annotations: annotations as ToolAnnotations }))).toContain(rule);
  });

  test.each([
    ['plain', READS],
    ['with the other hints', { readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: true }],
    ['with nulls for what is not said', { readOnlyHint: true, destructiveHint: null } as unknown as ToolAnnotations],
  ])('N8 readOnlyHint: true is kept: %s', async (_, annotations) => {
    await permitted(readOnly(), tool({ annotations }));
  });

  test('N8 the hint decides, not the name', async () => {
    await permitted(readOnly(), tool({ originalName: 'delete_everything', annotations: READS }));
    await refused(readOnly(), tool({ originalName: 'read_only_get' }));
  });

  test('N8 a hint that flips between listing and call is judged as it is at the call', async () => {
    const middleware = readOnly();
    const listed = tool({ annotations: READS });
    expect(await kept(middleware, listed)).toHaveLength(1);
    const { error, sent } = await attempt(middleware, { ...listed, annotations: { readOnlyHint: false } });
    expect(error).toMatchObject({ code: 'not_allowed', server: 'files', tool: 'read_file' });
    expect(sent).toBe(0);
  });

  test('N8 what a middleware further in adds or changes is judged too', async () => {
    const meddling: McpMiddleware = {
      name: 'meddling',
      list: async (tools, next) => [
        ...(await next(tools)).map((one) => ({ ...one, annotations: { readOnlyHint: false } })),
        tool({ originalName: 'added', kind: 'added' }),
      ],
    };
    expect(await listThrough([readOnly(), meddling], [tool({ annotations: READS })])).toEqual([]);
    let seen: string[] = [];
    const looking: McpMiddleware = {
      name: 'looking',
      async list(tools, next) {
        seen = names(tools);
        return next(tools);
      },
    };
    await listThrough([readOnly(), looking], [tool({ annotations: READS }), tool({ originalName: 'write_file' })]);
    expect(seen).toEqual(['files/read_file']);
  });

  test('N8 resource tools need their own hint, but no trust', async () => {
    const list = tool({ server: '*', originalName: 'list_resources', kind: 'resource', annotations: READS });
    await permitted(readOnly({ trust: [] }), list);
    await refused(readOnly(), { ...list, annotations: undefined });
    const text = await refused(readOnly({ deny: ['*/list_resources'] }), list);
    expect(text).toContain('it matches the deny pattern "*/list_resources"');
    expect(text).not.toContain('MCP server "*"');
  });

  test('N8 a lying kind gains nothing', async () => {
    for (const kind of ['resource', 'prompt', 'added'] as const) {
      await refused(readOnly({ trust: ['docs'] }), tool({ kind, annotations: READS }));
      await refused(readOnly(), tool({ kind }));
    }
    await refused(readOnly({ trust: ['docs'] }), tool({ server: '*', kind: 'tool', annotations: READS }));
  });
});

describe('options', () => {
  test('trust says whose hints are believed', async () => {
    const middleware = readOnly({ trust: ['docs', 'internal-*'] });
    await permitted(middleware, tool({ server: 'docs', annotations: READS }));
    await permitted(middleware, tool({ server: 'internal-a', annotations: READS }));
    expect(await refused(middleware, tool({ server: 'docs2', annotations: READS }))).toContain('its server is not in trust');
  });

  test('N8 allow and deny go by server and original name; deny wins, and allow overrides hints and trust', async () => {
    const middleware = readOnly({ trust: [], allow: ['files/*'], deny: ['files/delete_*'] });
    await permitted(middleware, tool({ annotations: { readOnlyHint: false } }));
    await refused(middleware, tool({ originalName: 'delete_file', annotations: READS }));
    await refused(middleware, tool({ server: 'other', name: 'files/read_file', annotations: READS }));
    const text = await refused(middleware, tool({ originalName: 'delete_file' }));
    expect(text).toContain('it matches the deny pattern "files/delete_*"');
    expect(text).not.toContain('allow');
  });

  test('a star never reaches from the server into the name of the tool', async () => {
    await refused(readOnly({ allow: ['*/read_*'] }), tool({ server: 'evil', originalName: 'delete/read_x' }));
    await permitted(readOnly({ allow: ['*/read_*'] }), tool({ server: 'io.github/user', originalName: 'read_x' }));
    await permitted(readOnly({ allow: ['io.github/user/a/b'] }), tool({ server: 'io.github/user', originalName: 'a/b' }));
    await refused(readOnly({ deny: ['files/a/*'] }), tool({ originalName: 'a/b', annotations: READS }));
  });

  test.each([
    [{ alow: [] }, 'alow: is not known here. Did you mean "allow"?'],
    [{ zzz: [] }, 'zzz: is not known here. Known here: trust, allow, deny, prompts.'],
    [{ deny: ['write_file'] }, 'deny: must be a list of patterns of the form server/tool'],
    [{ allow: 'files/*' }, 'allow: must be a list of patterns'],
    [{ trust: [1] }, 'trust: must be a list of server keys or globs'],
    [{ prompts: 'yes' }, 'prompts: must be true or false'],
    [null, 'must be an object, not null'],
  ])('bad options throw at once: %j', (options, text) => {
    expect(() => readOnly(options as never)).toThrow(
      expect.objectContaining({ code: 'config_invalid', message: expect.stringContaining(text) }),
    );
  });

  test('N8 prompt tools are hidden unless the option says otherwise: no hint of MCP speaks of what fetching one does', async () => {
    const prompt = tool({ kind: 'prompt', originalName: 'review', annotations: READS });
    expect(await refused(readOnly(), prompt)).toContain('it fetches a prompt, and the option prompts is not true');
    await refused(readOnly({ prompts: false }), { ...prompt, server: '*' });
    await permitted(readOnly({ allow: ['files/review'] }), prompt);
    const kept = readOnly({ prompts: true });
    await permitted(kept, prompt);
    await permitted(kept, { ...prompt, annotations: undefined });
    await permitted(readOnly({ prompts: true, trust: [] }), { ...prompt, server: '*' });
    await refused(readOnly({ prompts: true, trust: [] }), prompt);
    await refused(readOnly({ prompts: true, deny: ['files/*'] }), prompt);
    await refused(kept, { ...prompt, annotations: { readOnlyHint: false } });
    await refused(kept, { ...prompt, annotations: { destructiveHint: true } });
    await refused(kept, { ...prompt, kind: 'tool', annotations: undefined });
  });

  test('N8 says which rule hides a tool', () => {
    const middleware = readOnly({ deny: ['files/x*'] });
    expect(middleware.explain(tool())).toBe('it has no readOnlyHint');
    expect(middleware.explain(tool({ originalName: 'xx' }))).toBe('it matches the deny pattern "files/x*"');
    expect(middleware.explain(tool({ annotations: READS }))).toBeUndefined();
  });

  test('later changes to the arrays change nothing', async () => {
    const allow: string[] = [];
    const middleware = readOnly({ allow });
    allow.push('*/*');
    await refused(middleware, tool());
  });
});

describe('the request hook', () => {
  const reads = tool({ annotations: READS });

  async function send(input: McpRequest, ...further: McpMiddleware[]) {
    const sent: McpRequest[] = [];
    const run = requestThrough([readOnly(), ...further], async (final) => {
      sent.push(final);
      return {};
    });
    const code = await run(input).then(
      () => 'sent',
      (error) => error.code,
    );
    return [code, sent.length];
  }

  test('N8 no tools/call leaves for a tool that was not judged', async () => {
    expect(await send(request({ call: call(reads) }))).toEqual(['sent', 1]);
    expect(await send(request({ call: undefined }))).toEqual(['not_allowed', 0]);
    expect(await send(request({ call: call(tool()) }))).toEqual(['not_allowed', 0]);
    expect(await send(request({ call: call(reads), params: { name: 'write_file' } }))).toEqual(['not_allowed', 0]);
    expect(await send(request({ call: call(reads), server: 'other' }))).toEqual(['not_allowed', 0]);
  });

  test('N8 a call hook further in cannot put another tool in', async () => {
    const swapping: McpMiddleware = {
      name: 'swapping',
      call: (input, next) => next({ ...input, tool: tool({ originalName: 'write_file' }) }),
    };
    const middleware = [readOnly(), swapping];
    let sent = 0;
    const send = requestThrough(middleware, async () => {
      sent++;
      return OK;
    });
    const run = callThrough(middleware, async (input: ToolCall) => (await send(request({ call: input }))) as typeof OK);
    await expect(run(call(reads))).rejects.toMatchObject({ code: 'not_allowed', tool: 'write_file' });
    expect(sent).toBe(0);
  });

  test('other requests pass', async () => {
    for (const method of [
      'initialize',
      'server/discover',
      'ping',
      'tools/list',
      'resources/read',
      'prompts/get',
      'completion/complete',
    ]) {
      expect(await send(request({ method, params: {}, call: undefined }))).toEqual(['sent', 1]);
    }
  });
});
