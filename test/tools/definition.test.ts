import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readDefinition } from '../../src/tools/definition.ts';

describe('readDefinition', () => {
  test('L4J-16 everything that MCP says about a tool', () => {
    const icons = [{ src: 'https://example.com/i.png' }];
    const raw = {
      _meta: { 'example.com/ui': 'ui://x' },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      icons,
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object', properties: { n: { type: 'number' } } },
      description: 'Finds.',
      title: 'Find',
      name: 'find',
      execution: { taskSupport: 'optional' },
    };
    const definition = readDefinition(raw, 'docs');
    expect(definition).toEqual({
      name: 'find',
      server: 'docs',
      originalName: 'find',
      kind: 'tool',
      title: 'Find',
      description: 'Finds.',
      inputSchema: { type: 'object', properties: {} },
      outputSchema: raw.outputSchema,
      annotations: raw.annotations,
      icons,
      meta: raw._meta,
    });
    expect(Object.isFrozen(definition)).toBe(true);
    expect(Object.keys(definition).slice(0, 3)).toEqual(['name', 'server', 'originalName']);
  });

  test('L4J-16 the title of the annotations stands in for a title', () => {
    const read = (entry: object) => readDefinition({ name: 'x', ...entry }, 's');
    expect(read({ annotations: { title: 'From hints' } })).toMatchObject({ title: 'From hints' });
    expect(read({ title: 'Own', annotations: { title: 'From hints' } })).toMatchObject({ title: 'Own' });
  });

  test('N8 hints keep their raw values, for those who judge them', () => {
    const annotations = { readOnlyHint: 'true', destructiveHint: null };
    expect(readDefinition({ name: 'x', annotations }, 's')).toMatchObject({ annotations });
  });

  test('D5 optional fields of a wrong type are left out', () => {
    const raw = { name: 'x', title: 5, description: null, annotations: 'none', icons: {}, _meta: [], outputSchema: 'x' };
    expect(readDefinition(raw, 's')).toEqual({
      name: 'x',
      server: 's',
      originalName: 'x',
      kind: 'tool',
      inputSchema: { type: 'object', properties: {} },
    });
  });

  test('D4 an outputSchema that cannot be compiled is kept as it is', () => {
    const outputSchema = { $ref: '#/$defs/missing' };
    expect(readDefinition({ name: 'x', outputSchema }, 's')).toMatchObject({ outputSchema });
  });

  test.each([[null], ['x'], [5], [[]]])('%j is no entry', (raw) => {
    expect(readDefinition(raw, 's')).toEqual({ problem: 'the entry is not an object' });
  });

  test('what cannot become a tool says why and, where it can, who', () => {
    expect(readDefinition({ inputSchema: {} }, 's')).toEqual({ problem: 'it has no name' });
    expect(readDefinition({ name: 'x', inputSchema: { type: 'array' } }, 's')).toEqual({
      problem: expect.stringContaining('inputSchema'),
      name: 'x',
    });
  });

  test('D11 nothing that a server sends throws', () => {
    fc.assert(fc.property(fc.jsonValue(), (raw) => void readDefinition(raw, 's')));
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (inputSchema, annotations) => {
        readDefinition({ name: 'x', inputSchema, annotations }, 's');
      }),
    );
  });
});
