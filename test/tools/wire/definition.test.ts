/** The tool itself as each provider is told of it, and the arguments as they come back. */

import { expect, test } from 'vitest';
import { FORMATS, type Provider, send } from './providers.ts';
import { RESULTS } from './results.ts';

const SCHEMA = { type: 'object', properties: { q: { type: 'string' } } } as const;

test.each(Object.keys(FORMATS) as Provider[])('CARD-04 name, description and arguments arrive: %s', async (provider) => {
  const { body, schema, inputs } = await send(provider, RESULTS.text, undefined, SCHEMA);
  expect(body).toContain('"name":"find"');
  expect(body).toContain('"description":"Finds."');
  expect(schema).toEqual(SCHEMA);
  expect(inputs).toEqual([{ q: 'x' }]);
});
