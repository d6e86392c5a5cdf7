import fc from 'fast-check';
import { expect, it } from 'vitest';
import { withoutValues } from '../../src/lib/without-values.ts';

const value = fc.string({ minLength: 3, maxLength: 40, unit: fc.constantFrom('a', 'Z', '7', ' ', '"', '\n', 'é') });
const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

it('no value of three characters or more is left in a text, in whatever form it stands there', () => {
  fc.assert(
    fc.property(value, fc.constantFrom('', 'said: '), fc.boolean(), (secret, before, quoted) => {
      const form = oneLine(secret);
      fc.pre(form.length >= 3);
      const text = `${before}${oneLine(quoted ? JSON.stringify(secret) : secret)}.`;
      const left = withoutValues(text, { ARG: secret });
      expect(left).toContain('[ARG]');
      expect(left).not.toContain(form);
    }),
  );
});

it('nor the beginning of one where a long text was cut', () => {
  fc.assert(
    fc.property(fc.integer({ min: 3, max: 20 }), (kept) => {
      const secret = '0123456789'.repeat(3);
      const text = `${'x'.repeat(500 - kept)}${secret.slice(0, kept)} (-32602)`;
      expect(withoutValues(text, { ARG: secret })).toBe(`${'x'.repeat(500 - kept)}[ARG] (-32602)`);
    }),
  );
});

it('a text without them stays as it is, and so do shorter values', () => {
  expect(withoutValues('no such city (-32602)', { a: '', b: 'n', c: 'Utrecht' })).toBe('no such city (-32602)');
});
