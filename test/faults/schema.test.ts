import { asSchema } from 'ai';
import { describe, expect, it } from 'vitest';
import { inspectToolSet } from '../../src/index.ts';
import { SCHEMA_FAULTS, type SchemaSwitch, UNUSABLE } from './schema-switches.ts';
import { find, RIGHT, trial } from './trial.ts';

const ALL = Object.keys(SCHEMA_FAULTS) as SchemaSwitch[];

/** Ids of the catalogue by the beginning of a switch's name; the longest that fits. */
const IDS: Readonly<Record<string, string>> = {
  schema: 'D1',
  'schema-root': 'D2 D3',
  'schema-ref': 'D6',
  'schema-ref-remote': 'N9',
  'schema-type': 'D8 D11',
  'schema-enum': 'D10',
  'schema-array': 'D12',
  'schema-1000': 'N9',
  output: 'D4 D5',
};

/** Of those whose schemas ask for some. */
const INPUTS: Partial<Record<SchemaSwitch, Readonly<Record<string, unknown>>>> = {
  'schema-root-anyof': { a: 'x' },
  'schema-root-oneof': { b: 'x' },
  'schema-root-allof': { a: 'x', b: 'x' },
  'schema-root-required-anyof': { b: 1 },
  'schema-keyword-names': { type: 'x', $ref: 'y' },
};

function idsOf(name: string): string {
  const [longest = ''] = Object.keys(IDS)
    .filter((start) => name.startsWith(start))
    .sort((a, b) => b.length - a.length);
  return IDS[longest] ?? '';
}

const rows = (names: readonly SchemaSwitch[]): [string, SchemaSwitch][] => names.map((name) => [idsOf(name), name]);

describe('switches of schemas', () => {
  it.each(rows(ALL.filter((name) => !UNUSABLE.has(name))))(
    '%s %s: the tool is offered with an object at the root, and can be called',
    async (_ids, name) => {
      await trial({ switches: [name] }, async ({ server, other, set, call }) => {
        const tools = await set();
        const schema = await asSchema(find(tools, 'odd').inputSchema).jsonSchema;
        expect(schema.type).toBe('object');
        expect(schema).toHaveProperty('properties');
        JSON.stringify(schema);
        expect(await call(tools, 'odd', INPUTS[name])).toBe('odd done');
        expect(await call(tools)).toBe(RIGHT);
        expect(server.executed).toEqual(['odd', 'write']);
        expect(other.requests).toEqual([]);
      });
    },
  );

  it.each(rows(ALL.filter((name) => UNUSABLE.has(name))))(
    '%s %s: the tool is left out by name, the others stay',
    async (_ids, name) => {
      await trial({ switches: [name] }, async ({ set, call, warnings }) => {
        const tools = await set();
        expect(Object.keys(tools)).toEqual(['s_read', 's_write']);
        expect(inspectToolSet(tools).notes).toMatchObject([{ originalName: 'odd', what: 'dropped' }]);
        expect(warnings.map(({ message }) => message).join()).toContain('odd');
        expect(await call(tools)).toBe(RIGHT);
      });
    },
  );

  it('D1 properties are added at the root and below, and what has some keeps them', async () => {
    await trial({ switches: ['schema-nested-no-properties'] }, async ({ set }) => {
      const schema = await asSchema(find(await set(), 'odd').inputSchema).jsonSchema;
      expect(schema).toEqual({ type: 'object', properties: { value: { type: 'object', properties: {} } } });
    });
  });

  it('D1 keyword-named properties stay what they are', async () => {
    await trial({ switches: ['schema-keyword-names'] }, async ({ set }) => {
      const schema = await asSchema(find(await set(), 'odd').inputSchema).jsonSchema;
      expect(Object.keys(schema.properties ?? {})).toEqual(['type', 'properties', '$ref', 'items']);
    });
  });
});
