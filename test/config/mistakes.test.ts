// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a config's variables are written like that

import { describe, expect, test } from 'vitest';
import { parseMcpConfig } from '../../src/config/parse.ts';
import { issuesOf, noWarning, oneIssue } from './support.ts';

describe('TNX-05 every error at once, with path and suggestion', () => {
  test('TNX-05 one error lists them all', () => {
    const config = {
      mcpServers: {
        a: { commnd: 'node' },
        b: { urls: 'https://b.example' },
        c: { url: 'b.example', headers: { K: '${TOKEN}' }, timeout: 'x' },
        'my server': 5,
        '*': { command: 'x' },
      },
    };
    expect(issuesOf(() => parseMcpConfig(config, { onWarning: noWarning }))).toEqual([
      expect.stringMatching(/^mcpServers\.a: needs a command .* It has "commnd": did you mean "command"\?/),
      expect.stringMatching(/^mcpServers\.b: needs .* It has "urls": did you mean "url"\?/),
      expect.stringMatching(/^mcpServers\.c\.timeout: /),
      expect.stringMatching(/^mcpServers\.c\.headers\.K: /),
      expect.stringMatching(/^mcpServers\.c\.url: /),
      expect.stringMatching(/^mcpServers\["my server"\]: must be an object with a url or a command; it is a number/),
      expect.stringMatching(/^mcpServers\["\*"\]: /),
    ]);
  });

  test.each([
    ['commnd', 'command'],
    ['Command', 'command'],
    ['cmd', 'command'],
    ['ulr', 'url'],
    ['URL', 'url'],
    ['serverUrl', 'url'],
    ['httpUrl', 'url'],
  ])('TNX-05 %s → did you mean %s', (slip, meant) => {
    expect(oneIssue({ [slip]: 'x' })).toEqual([expect.stringContaining(`did you mean "${meant}"?`)]);
  });

  test.each([
    ['mcpServer', 'mcpServers'],
    ['mcpservers', 'mcpServers'],
    ['mcp-servers', 'mcpServers'],
    ['mcp_servers', 'mcpServers'],
    ['server', 'servers'],
    ['sevrers', 'servers'],
  ])('TNX-05 the block %s → did you mean %s', (slip, meant) => {
    const config = { theme: 'dark', [slip]: { docs: { url: 'https://a.example' } } };
    expect(issuesOf(() => parseMcpConfig(config))).toEqual([`${slip}: is not known here. Did you mean "${meant}"?`]);
  });

  test('TNX-05 a misspelled block beside a good one is a warning', () => {
    const messages: string[] = [];
    const config = { mcpServers: {}, mcpServer: { a: { command: 'x' } }, preferences: {} };
    parseMcpConfig(config, { onWarning: (warning) => messages.push(warning.message) });
    expect(messages).toEqual(['mcpServer is ignored, since the servers are under "mcpServers".']);
  });

  test('TNX-05 two blocks, a block of the wrong type, no block', () => {
    expect(issuesOf(() => parseMcpConfig({ mcpServers: {}, servers: {} }))).toEqual([
      expect.stringMatching(/^servers: stands beside "mcpServers"/),
    ]);
    expect(issuesOf(() => parseMcpConfig({ mcpServers: [] }))).toEqual([
      expect.stringMatching(/^mcpServers: must be an object .* a list/),
    ]);
    expect(issuesOf(() => parseMcpConfig({ theme: 'dark' }))).toEqual([
      expect.stringMatching(/no servers: they go under "mcpServers"/),
    ]);
    expect(issuesOf(() => parseMcpConfig('[]'))).toEqual([expect.stringMatching(/must be an object .* a list/)]);
    expect(issuesOf(() => parseMcpConfig(undefined as never))).toEqual([expect.stringMatching(/must be an object .* missing/)]);
  });

  test.each([
    ['{\n  "a": x\n}', 2, 8, 'expected a value'],
    ['{\n  "a": "Bearer sesame" "b": 1\n}', 2, 24, 'expected a comma'],
    ['{ "a": 1', 1, 9, 'ends too early'],
    ["{ 'a': 1 }", 1, 3, 'double quotes'],
    ['{ "a" 1 }', 1, 7, 'expected a colon'],
    ['// note\r\n{ "a": [1 2] }', 2, 11, 'expected a comma'],
    ['{ "a": "x\ny" }', 1, 8, 'this string does not end'],
    ['{ "a": 1 } }', 1, 12, 'expected nothing more'],
    ['{ "a": [1} }', 1, 10, 'expected a comma or a closing bracket'],
    ['{ "a": tru }', 1, 8, 'expected a value'],
    ['{ /* open', 1, 3, 'this comment does not end'],
    ['{ "a": 1,, }', 1, 10, 'expected a name'],
    ['', 1, 1, 'ends too early'],
  ])('TNX-05 broken JSON is told with line and column: %j', (text, line, column, problem) => {
    const [issue, ...more] = issuesOf(() => parseMcpConfig(text));
    expect(more).toEqual([]);
    expect(issue).toContain(
      `line ${line}, column ${column}: ${problem === 'double quotes' ? 'strings are written in double quotes' : ''}`,
    );
    expect(issue).toContain(problem);
    expect(issue).not.toContain('sesame');
  });

  test('TNX-05 a path instead of text is told so', () => {
    expect(issuesOf(() => parseMcpConfig('./mcp.json'))).toEqual([expect.stringContaining('loadMcpConfig()')]);
  });
});
