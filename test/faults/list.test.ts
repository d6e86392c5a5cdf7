import { describe, expect, it } from 'vitest';
import { inspectToolSet } from '../../src/index.ts';
import { readOnly } from '../../src/middleware/read-only.ts';
import { executeOptions } from '../support/model.ts';
import { READ, WRITE } from './http-server.ts';
import { HIDDEN, LONG_DESCRIPTION, ODD_NAMES } from './list-switches.ts';
import { AMPLE, failure, find, RIGHT, type Trial, trial } from './trial.ts';

const SAFE = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const PLAIN = [`s_${READ}`, `s_${WRITE}`];

const providerOf = (tools: object) => inspectToolSet(tools).provider;

describe('switches of the list', () => {
  it.each(['no-tools', 'no-tools-key', 'tools-is-no-list'] as const)(
    'B14 %s: an empty record, and a word about it',
    async (name) => {
      await trial({ switches: [name] }, async ({ set, warnings }) => {
        expect(Object.keys(await set())).toEqual([]);
        expect(warnings.map(({ kind }) => kind)).toContain('no_tools');
      });
    },
  );

  it('I1 three-pages: all of them', async () => {
    await trial({ switches: ['three-pages'] }, async ({ server, set, call }) => {
      const tools = await set();
      expect(Object.keys(tools)).toEqual(['s_read', 's_second', 's_third', 's_write']);
      expect(server.count('tools/list')).toBe(3);
      expect(await call(tools, 'third')).toBe('third done');
    });
  });

  it.each([
    ['empty-page', 2],
    ['cursor-null', 1],
    ['cursor-empty', 1],
  ] as const)('I1 %s: ends where it should', async (name, pages) => {
    await trial({ switches: [name] }, async ({ server, set }) => {
      expect(Object.keys(await set())).toEqual(PLAIN);
      expect(server.count('tools/list')).toBe(pages);
    });
  });

  it.each([
    ['cursor-frozen', 2],
    ['cursor-circle', 3],
  ] as const)('I2 %s: stops at the cursor that comes again', async (name, pages) => {
    await trial({ switches: [name] }, async ({ server, set }) => {
      const { servers } = inspectToolSet(await set());
      expect(servers.s).toMatchObject({ state: 'failed', error: { code: 'bad_response' } });
      expect(server.count('tools/list')).toBeLessThanOrEqual(pages);
    });
  });

  it('I2 cursor-endless: stops at a number of pages, or at the budget', async () => {
    await trial({ switches: ['cursor-endless'] }, async ({ set }) => {
      const { servers } = inspectToolSet(await set());
      expect(servers.s?.state).toBe('failed');
      expect(['bad_response', 'timeout']).toContain(servers.s?.error?.code);
    });
  });

  it('K3 tools-500: all of them, each callable', async () => {
    await trial({ switches: ['tools-500'] }, async ({ set, call }) => {
      const tools = await set();
      expect(Object.keys(tools)).toHaveLength(502);
      expect(await call(tools, 'tool_499')).toBe('tool_499 done');
    });
  });

  it('I10 shuffled: the same record, whatever the order', async () => {
    const shots: string[] = [];
    for (const name of ['shuffled', 'shuffled-again'] as const) {
      await trial({ switches: [name] }, async ({ set }) => void shots.push(JSON.stringify(await set())));
    }
    expect(shots[0]).toBe(shots[1]);
  });

  it('E3 duplicate-name: the first one stands, and the second is reported', async () => {
    await trial({ switches: ['duplicate-name'] }, async ({ set, call, warnings }) => {
      const tools = await set();
      expect(Object.keys(tools)).toEqual(PLAIN);
      expect(find(tools, WRITE).description).toBeUndefined();
      expect(inspectToolSet(tools).notes).toMatchObject([{ originalName: WRITE, what: 'dropped' }]);
      expect(warnings).toHaveLength(1);
      expect(await call(tools)).toBe(RIGHT);
    });
  });

  it.each(Object.entries(ODD_NAMES))(
    'E1 E2 E4 E5 E7 %s: safe, never the same, and called by its own name',
    async (name, originals) => {
      await trial({ switches: [name as keyof typeof ODD_NAMES] }, async ({ server, set, call }) => {
        const tools = await set();
        const names = Object.keys(tools);
        expect(names).toHaveLength(originals.length + 2);
        for (const each of names) expect(each).toMatch(SAFE);
        for (const original of originals) {
          server.executed.length = 0;
          expect(await call(tools, original)).toBe(`${original} done`);
          expect(server.executed).toEqual([original]);
        }
      });
    },
  );

  it.each(Object.entries(ODD_NAMES))('E1 E2 %s: the same under `toolName: original`', async (name, originals) => {
    await trial({ switches: [name as keyof typeof ODD_NAMES] }, async ({ set, call }) => {
      const tools = await set({ toolName: 'original' });
      for (const each of Object.keys(tools)) expect(each).toMatch(SAFE);
      for (const original of originals) expect(await call(tools, original)).toBe(`${original} done`);
    });
  });

  it.each([
    ['E9', 'long-description', 'long', LONG_DESCRIPTION.slice(0, 500)],
    ['N4', 'hidden-unicode', 'hidden', 'Reads a file.'],
    ['E9', 'lone-surrogate', 'half', 'half \ufffd of it'],
  ] as const)('%s %s: the tool is there and its text is well-formed', async (_ids, name, tool, text) => {
    await trial({ switches: [name] }, async ({ set, call }) => {
      const tools = await set();
      const { description = '' } = find(tools, tool);
      expect(String(description)).toContain(text);
      expect(JSON.stringify(description)).not.toMatch(/\\ud[89a-f]/i);
      expect(HIDDEN).toHaveLength(12);
      expect(await call(tools, tool)).toBe(`${tool} done`);
    });
  });

  it('I3 schema-changes: a set that was given out stays, the next one has the new schema', async () => {
    await changing('schema-changes', async ({ tools, next }) => {
      expect(JSON.stringify(find(tools, 'shape').inputSchema)).toContain('"a"');
      expect(JSON.stringify(find(await next(), 'shape').inputSchema)).toContain('"b"');
    });
  });

  it('I3 tool-goes: a run that still holds it is told, and nothing is executed', async () => {
    await changing('tool-goes', async ({ server, tools, next, caller }) => {
      expect(Object.keys(await next())).not.toContain('s_passing');
      server.executed.length = 0;
      const error = await failure(find(tools, 'passing').execute?.({}, executeOptions(caller.signal)));
      expect(error).toMatchObject({ code: 'tool_not_found', server: 's', tool: 'passing' });
      expect(server.executed).toEqual([]);
    });
  });

  it('N8 hints-flip: what was read-only and is no more is refused at the call', async () => {
    await changing(
      'hints-flip',
      async ({ server, tools, next, call }) => {
        expect(Object.keys(tools)).toContain('s_flips');
        expect(Object.keys(await next())).not.toContain('s_flips');
        expect(await call(tools, 'flips')).toBe('not_allowed');
        expect(server.executed).not.toContain('flips');
      },
      READ,
    );
  });

  it('N8 hints-contradict: only what says clearly that it reads is let through', async () => {
    await trial({ switches: ['hints-contradict'] }, async ({ set }) => {
      const names = Object.keys(await set({ middleware: [readOnly()] }));
      expect(names).toContain('s_read');
      expect(names).not.toContain('s_write');
      expect(names).not.toContain('s_bare');
      expect(names).not.toContain('s_text_hint');
      expect(names).not.toContain('s_no_object');
      expect(names).not.toContain('s_both');
    });
  });

  it('D5 unknown-fields: what is odd is left out, `_meta` is kept', async () => {
    await trial({ switches: ['unknown-fields'] }, async ({ set, call }) => {
      let meta: unknown;
      const tools = await set({
        filter: ({ originalName, meta: own }) => {
          if (originalName === 'extra') meta = own;
          return true;
        },
      });
      expect(meta).toEqual({ 'ui/resource': 'ui://x' });
      expect(await call(tools, 'extra')).toBe('extra done');
    });
  });

  it('D5 broken-entries: each costs itself only, and is reported', async () => {
    await trial({ switches: ['broken-entries'] }, async ({ set, call }) => {
      const tools = await set();
      expect(Object.keys(tools)).toEqual(PLAIN);
      expect(inspectToolSet(tools).notes.filter(({ what }) => what === 'dropped')).toHaveLength(7);
      expect(await call(tools)).toBe(RIGHT);
    });
  });

  it('A6 A12 list-error: the server is reported, the record is empty and not silent', async () => {
    await trial({ switches: ['list-error'] }, async ({ set, warnings }) => {
      const tools = await set();
      expect(inspectToolSet(tools).servers.s).toMatchObject({
        state: 'failed',
        error: { code: 'protocol_error', message: expect.stringContaining('the registry is locked') },
      });
      expect(warnings.map(({ kind }) => kind)).toEqual(['server_failed', 'no_tools']);
    });
  });

  it('A4 a server that misbehaves in its list does not cost the others theirs', async () => {
    for (const name of ['list-error', 'cursor-frozen', 'broken-entries', 'tools-is-no-list'] as const) {
      await trial({ switches: [name] }, async ({ server, other, set, call }) => {
        const tools = await set({ servers: { bad: { url: server.url }, good: { url: other.url } } });
        expect(Object.keys(tools)).toEqual(expect.arrayContaining(['good_read', 'good_write']));
        expect(await call({ good_write: tools.good_write } as never)).toBe(RIGHT);
        expect(other.executed).toEqual([WRITE]);
      });
    }
  });
});

interface Changing extends Trial {
  readonly tools: Awaited<ReturnType<Trial['set']>>;
  /** The record of the next `tools()`, after the server said that its list has changed. */
  next(): Promise<Awaited<ReturnType<Trial['set']>>>;
}

/** The server tells of a change in the middle of a call. */
async function changing(
  name: 'schema-changes' | 'tool-goes' | 'hints-flip',
  work: (changing: Changing) => Promise<void>,
  tells: string = WRITE,
): Promise<void> {
  await trial({ switches: [name, 'list-changed-burst', 'list-changed-declared'] }, async (each) => {
    const middleware = name === 'hints-flip' ? [readOnly()] : [];
    const tools = await each.set({ middleware, timeouts: AMPLE });
    await work({
      ...each,
      tools,
      async next() {
        expect(await each.call(tools, tells)).toBe(`${tells} done`);
        return providerOf(tools).tools();
      },
    });
  });
}
