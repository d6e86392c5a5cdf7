import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { bracesIn, readTemplate } from '../../src/resources/templates.ts';

const OPERATORS = ['', '+', '#', '.', '/', ';', '?', '&'] as const;
/** Characters that no operator of a template uses to part values. */
const value = fc.string({ unit: fc.constantFrom(...'abzAZ019-_~é日😀 %&=?@'), minLength: 1, maxLength: 8 });

/** An expression that a URI can be taken apart by again: reserved characters stand for themselves only where nothing follows. */
const expression = fc
  .tuple(fc.constantFrom(...OPERATORS), fc.integer({ min: 1, max: 3 }))
  .map(([operator, count]) => ({ operator, count: '+#.'.includes(operator || ' ') ? 1 : count }));

describe('URI templates', () => {
  test('what variables make is taken apart into the same variables', () => {
    fc.assert(
      fc.property(expression, fc.array(value, { minLength: 3, maxLength: 3 }), ({ operator, count }, values) => {
        // What is percent-encoded already stays so, which makes it another value.
        fc.pre(operator !== '+' && operator !== '#' ? true : !/%[0-9a-f]{2}/i.test(values.join(' ')));
        const names = ['one', 'two', 'three'].slice(0, count);
        const template = readTemplate(`x://host/a{${operator}${names.join(',')}}`);
        const variables = Object.fromEntries(names.map((name, index) => [name, values[index]]));
        const uri = template.expand(variables) ?? '';
        expect(template.match(uri)).toEqual(variables);
        expect(template.expand(template.match(uri) ?? {})).toBe(uri);
      }),
      { numRuns: 500 },
    );
  });

  test('any text is read without a throw, and what cannot be read takes what begins as it does', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}ab:/*+?&;,#=%1 é') }), fc.string(), (text, uri) => {
        const template = readTemplate(text);
        template.expand({ a: '1' });
        const matched = template.match(uri);
        expect(matched === undefined || typeof matched === 'object').toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(readTemplate('x://{a:3}/{a}').match('x://abc/abcdef')).toEqual({});
    expect(readTemplate('x://{a:3}/{a}').match('y://abc')).toBeUndefined();
    // Bytes that are no UTF-8 are still of the template.
    expect(readTemplate('x://{a}').match('x://caf%E9')).toEqual({});
  });

  it('the operators that the SDK’s own matcher cannot read', () => {
    expect(readTemplate('x://a{;p}').match('x://a;p=1')).toEqual({ p: '1' });
    expect(readTemplate('x://{a,b}').match('x://1,2')).toEqual({ a: '1', b: '2' });
    expect(readTemplate('x://a{/seg*}').match('x://a/b/c')).toEqual({ seg: ['b', 'c'] });
    expect(readTemplate('x://a{?m*}').match('x://a?b=1&c=2')).toEqual({});
    expect(readTemplate('x://a{?m*}').expand({ m: { b: '1', c: '2' } })).toBe('x://a?b=1&c=2');
  });

  it('a path’s variables are needed, a query’s are not; a plain variable takes no slash', () => {
    const template = readTemplate('x://{user}/posts{?limit,after}');
    expect(template).toMatchObject({ variables: ['user', 'limit', 'after'], required: ['user'] });
    expect(template.match('x://ann/posts')).toEqual({ user: 'ann' });
    expect(template.match('x://ann/b/posts')).toBeUndefined();
    expect(bracesIn('x://{user}/a{?b}')).toEqual(['{user}', '{?b}']);
  });

  it('a template with any number of variables is not made into a matcher that grows with them', () => {
    const names = Array.from({ length: 200 }, (_, index) => `v${index}`);
    expect(readTemplate(`x://a{?${names.join(',')}}`).match('x://a?v1=1')).toEqual({});
    expect(readTemplate(`x://a${names.map((name) => `{${name}}`).join('')}`).match('x://a1')).toEqual({});
  });
});
