import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paramHeaderProblem, paramHeaders } from '../../src/tools/param-headers.ts';

const schema = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const marked = (type: string, header: unknown) => ({ type, 'x-mcp-header': header });
const decoded = (value: string | undefined) => {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value ?? '')?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8');
};

describe('Mcp-Param headers', () => {
  it('L4J-42 B10 repeats what is declared, and only that', () => {
    const declared = schema({
      region: marked('string', 'Region'),
      priority: marked('integer', 'Priority'),
      debug: marked('boolean', 'Debug'),
      verbose: marked('boolean', 'Verbose'),
      query: { type: 'string' },
      deep: schema({ tenant: marked('string', 'Tenant') }),
    });
    const input = { region: 'us west', priority: 42, debug: true, verbose: null, query: 'SELECT', deep: { tenant: 'a' } };
    expect(paramHeaderProblem(declared)).toBeUndefined();
    expect(paramHeaders(declared, input)).toEqual({
      'Mcp-Param-Region': 'us west',
      'Mcp-Param-Priority': '42',
      'Mcp-Param-Debug': 'true',
      'Mcp-Param-Tenant': 'a',
    });
    expect(paramHeaders(declared, { query: 'SELECT' })).toBeUndefined();
    expect(paramHeaders(schema({ query: { type: 'string' } }), { query: 'x' })).toBeUndefined();
  });

  it.each(['Hello, 世界', ' padded ', 'line1\nline2', 'a\r\nb', '\tindented', '', '=?base64?eA==?='])(
    'encodes what HTTP would change: %j',
    (text) => {
      const value = paramHeaders(schema({ it: marked('string', 'It') }), { it: text })?.['Mcp-Param-It'];
      expect(value).toMatch(/^=\?base64\?.*\?=$/);
      expect(decoded(value)).toBe(text);
    },
  );

  it.each([
    ['an empty name', schema({ a: marked('string', '') })],
    ['no name', schema({ a: marked('string', 7) })],
    ['a space', schema({ a: marked('string', 'My Region') })],
    ['a colon', schema({ a: marked('string', 'Region:Primary') })],
    ['another alphabet', schema({ a: marked('string', 'Région') })],
    ['a control character', schema({ a: marked('string', 'Region\t1') })],
    ['an object', schema({ a: marked('object', 'A') })],
    ['an array', schema({ a: { ...marked('array', 'A'), items: { type: 'string' } } })],
    ['null', schema({ a: marked('null', 'A') })],
    ['a number', schema({ a: marked('number', 'A') })],
    ['no type', schema({ a: { 'x-mcp-header': 'A' } })],
    ['one name twice', schema({ a: marked('string', 'Region'), b: marked('string', 'Region') })],
    ['one name in two cases', schema({ a: marked('string', 'MyField'), b: marked('string', 'myfield') })],
    ['the root', { ...schema({}), 'x-mcp-header': 'A' }],
    ['items', schema({ a: { type: 'array', items: marked('string', 'A') } })],
    ['a branch', schema({}, { anyOf: [schema({ a: marked('string', 'A') })] })],
    ['a definition', schema({ a: { $ref: '#/$defs/a' } }, { $defs: { a: marked('string', 'A') } })],
    ['a keyword nobody knows', schema({}, { 'x-more': { a: marked('string', 'A') } })],
  ])('a declaration on %s makes the tool invalid, and nothing is sent for it', (_, wrong) => {
    expect(paramHeaderProblem(wrong)).toMatch(/x-mcp-header/);
    expect(paramHeaders(wrong, { a: 'x', b: 'y' })).toBeUndefined();
  });

  it('what only looks like a declaration is none', () => {
    const innocent = schema({
      'x-mcp-header': { type: 'string' },
      default: { type: 'string', default: { 'x-mcp-header': 'A' }, examples: [{ 'x-mcp-header': 'B' }] },
    });
    expect(paramHeaderProblem(innocent)).toBeUndefined();
    expect(paramHeaders(innocent, { 'x-mcp-header': 'x' })).toBeUndefined();
  });

  it('an inherited property is no argument', () => {
    expect(paramHeaders(schema({ constructor: marked('string', 'C') }), {})).toBeUndefined();
  });

  it('N9 never throws, whatever the schema and the input are', () => {
    const key = fc.oneof(
      fc.constantFrom('type', 'properties', 'items', '$defs', 'anyOf', 'x-mcp-header', 'default', '__proto__'),
      fc.string(),
    );
    const value = fc.anything({ key, maxDepth: 6 });
    fc.assert(
      fc.property(value, value, (wrong, input) => {
        const problem = paramHeaderProblem(wrong as never);
        const headers = paramHeaders(wrong as never, input) ?? {};
        expect(problem === undefined || Object.keys(headers).length === 0).toBe(true);
        for (const [name, text] of Object.entries(headers)) new Headers().set(name, text);
      }),
      { numRuns: 2_000 },
    );
    let deep: object = marked('string', 'Deep');
    for (let depth = 0; depth < 50_000; depth++) deep = schema({ a: deep });
    expect(paramHeaderProblem(deep as never)).toBeUndefined();
  });

  it('every text arrives as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const sent = paramHeaders(schema({ it: marked('string', 'It') }), { it: text })?.['Mcp-Param-It'] ?? '';
        const carried = new Headers({ it: sent }).get('it') ?? '';
        expect(decoded(carried)).toBe(text);
      }),
    );
  });
});
