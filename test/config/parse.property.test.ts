// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a config's variables are written like that

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readJson } from '../../src/config/json.ts';
import { parseMcpConfig } from '../../src/config/parse.ts';
import { McpToolSetError } from '../../src/errors.ts';
import { allText } from './support.ts';

const SECRET = 'S3NTINEL-7f1c';

/** The text of everything that is told: the error or the warnings. Any other throw is the test's failure. */
function told(config: string | object, env?: Record<string, string>): string {
  const warnings: string[] = [];
  try {
    const servers = parseMcpConfig(config, { env, onWarning: (warning) => warnings.push(JSON.stringify(warning)) });
    for (const server of Object.values(servers)) expect('url' in server !== 'command' in server).toBe(true);
  } catch (error) {
    if (!McpToolSetError.is(error) || error.code !== 'config_invalid') throw error;
    warnings.push(allText(error));
  }
  return warnings.join('\n');
}

const word = fc.constantFrom(
  'mcpServers',
  'servers',
  'mcp',
  'url',
  'command',
  'args',
  'env',
  'headers',
  'type',
  'tools',
  'timeout',
  '__proto__',
);
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom('https://a.example', '${X}', '${X:-y}', 'stdio', 'http', true, false),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(word, fc.string()), tie('value'), { maxKeys: 4 }),
  ),
})).value;

test('TNX-05 any JSON gives servers or one config_invalid error', () => {
  fc.assert(
    fc.property(json, (value) => {
      told(JSON.stringify(value) ?? 'null');
      if (typeof value === 'object' && value !== null) told(value);
    }),
    { numRuns: 2_000 },
  );
});

test('TNX-05 any text gives servers or one config_invalid error, and broken JSON a place that exists', () => {
  const tokens = fc.array(
    fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '"', '1', '-', 'true', '\n', '//', '/*', '*/', ' ', '\\', '\u0001'),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        tokens.map((parts) => parts.join('')),
        fc.string(),
      ),
      (text) => {
        told(text);
        const reading = readJson(text);
        if ('value' in reading) return;
        const lines = text.split(/\r\n|\n|\r/);
        expect(reading.line).toBeLessThanOrEqual(lines.length);
        expect(reading.column).toBeLessThanOrEqual((lines[reading.line - 1] ?? '').length + 1);
        expect(reading.problem).not.toBe('');
      },
    ),
    { numRuns: 3_000 },
  );
});

const secret = fc
  .tuple(fc.string({ maxLength: 3 }), fc.constantFrom('', '\nx', '\u20ac', '${NOT_SET}', '${A:-x}'))
  .map(([before, after]) => `${before}${SECRET}${after}`);
const maybe = (value: unknown): fc.Arbitrary<unknown> => fc.constantFrom(value, 1, null, [value], { nested: value });

const entry = secret.chain((value) =>
  fc.record(
    {
      url: fc.constantFrom(
        `https://a.example/?k=${value}`,
        `ftp://a.example/?k=${value}`,
        `a.example?k=${value}`,
        `https://u:${value}@a.example`,
        [value],
      ),
      command: fc.constantFrom('node', ['node', 1], 5),
      headers: maybe({ Authorization: value, 'bad name': value }).map((headers) =>
        headers === 1 ? [`Authorization: ${value}`] : headers,
      ),
      env: maybe({ TOKEN: value }),
      environment: fc.constantFrom({ TOKEN: value }, { TOKEN: `\${T:-${value}` }),
      heders: fc.constant({ Authorization: value }),
      timeout: fc.constantFrom(1, 'x'),
      type: fc.constantFrom('stdio', 'http', 'sse', 'ftp'),
      disabled: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
);

test('TNX-04 no value of a header, an environment variable or a URL is ever told', () => {
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 3 }), fc.nat(), (entries, cut) => {
      const config = { mcpServers: Object.fromEntries(entries.map((one, index) => [`s${index}`, one])) };
      expect(told(config, { A: `${SECRET}\n`, T: SECRET })).not.toContain(SECRET);
      // And as text that breaks off anywhere.
      const text = JSON.stringify(config);
      expect(told(text.slice(0, cut % text.length))).not.toContain(SECRET);
    }),
    { numRuns: 1_000 },
  );
});
