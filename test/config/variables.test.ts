// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a config's variables are written like that

import { describe, expect, test } from 'vitest';
import { one, oneIssue } from './support.ts';

describe('TNX-04 variables', () => {
  const env = { A: 'a', EMPTY: '', NESTED: '${A}' };

  test.each([
    ['${A}', 'a'],
    ['x-${A}-${A}', 'x-a-a'],
    ['${EMPTY}', ''],
    ['${NESTED}', '${A}'],
    ['${B:-b}', 'b'],
    ['${B:-}', ''],
    ['${A:-b}', 'a'],
    ['${EMPTY:-b}', 'b'],
    ['${B:-${A}}', 'a'],
    ['${B:-${C:-c}}!', 'c!'],
    ['${B:-{"x":{}}}', '{"x":{}}'],
    ['${B:-{}', '{'],
    ['${env:A}', 'a'],
    ['{env:A}', 'a'],
    ['$A ${ A } ${} ${1} ${A', '$A ${ A } ${} ${1} ${A'],
    ['${A:-', '${A:-'],
  ])('TNX-04 %s → %s', (text, expected) => {
    expect(one({ command: 'x', args: [text] }, env)).toEqual({ command: 'x', args: [expected] });
  });

  test('TNX-04 in every string of a server', () => {
    expect(one({ command: ['${A}', '${A}'], args: ['${A}'], env: { K: '${A}' }, cwd: '${A}' }, env)).toEqual({
      command: 'a',
      args: ['a', 'a'],
      env: { K: 'a' },
      cwd: 'a',
    });
    expect(one({ url: 'https://${A}.example', headers: { K: '${A}' } }, env)).toEqual({
      url: 'https://a.example',
      headers: { K: 'a' },
    });
  });

  test('TNX-04 a missing one is an error that names the variable and the path, one for each place', () => {
    expect(oneIssue({ url: 'https://${HOST}/${HOST_PATH}', headers: { Authorization: 'Bearer sec ${TOKEN}' } }, env)).toEqual([
      expect.stringMatching(
        /^mcpServers\.docs\.headers\.Authorization: needs the environment variable TOKEN, which is not set\. .*\$\{TOKEN:-/,
      ),
      expect.stringMatching(/^mcpServers\.docs\.url: needs the environment variable HOST,/),
      expect.stringMatching(/^mcpServers\.docs\.url: needs the environment variable HOST_PATH,/),
    ]);
    expect(
      oneIssue({ command: ['a', '${X}'], args: ['${Y}'], env: { K: '${Z}' }, cwd: '${W}' }).map((line) => line.split(':')[0]),
    ).toEqual(['mcpServers.docs.env.K', 'mcpServers.docs.cwd', 'mcpServers.docs.command[1]', 'mcpServers.docs.args[0]']);
  });

  test('TNX-04 without env nothing is looked up, and nothing is inherited from Object', () => {
    process.env.TNX_04 = 'set';
    expect(oneIssue({ command: '${TNX_04}' })).toHaveLength(1);
    expect(oneIssue({ command: '${constructor}' }, {})).toHaveLength(1);
    delete process.env.TNX_04;
  });

  test('TNX-04 a disabled server needs no variables', () => {
    expect(one({ url: 'https://${HOST}/', headers: { K: '${TOKEN}' }, enabled: false })).toEqual({
      url: 'https://${HOST}/',
      headers: { K: '${TOKEN}' },
      enabled: false,
    });
  });

  test('TNX-04 defaults that are nested without end are an error, not an overflow', () => {
    const text = `${'${B:-'.repeat(5_000)}x${'}'.repeat(5_000)}`;
    expect(oneIssue({ command: 'x', args: [text] })).toEqual([expect.stringContaining('too many deep')]);
  });
});
