import { describe, expect, test } from 'vitest';
import { one, oneIssue, warningsOf } from './support.ts';

describe('TNX-03 server fields', () => {
  test.each([
    ['type', { type: 'stdio', command: 'x' }, { command: 'x', args: [] }],
    ['type local', { type: 'local', command: 'x' }, { command: 'x', args: [] }],
    ['type remote', { type: 'remote', url: 'https://a.example/' }, { url: 'https://a.example/' }],
    ['type streamable-http', { type: 'streamable-http', url: 'https://a.example/' }, { url: 'https://a.example/' }],
    ['transport for type', { transport: 'http', url: 'https://a.example/' }, { url: 'https://a.example/' }],
    ['L4J-54 sse', { type: 'sse', url: 'https://a.example/' }, { url: 'https://a.example/', transport: 'sse' }],
    ['stream', { stream: true, url: 'https://a.example/' }, { url: 'https://a.example/', stream: true }],
    ['environment', { command: 'x', environment: { A: 'b' } }, { command: 'x', args: [], env: { A: 'b' } }],
    ['cwd', { command: 'x', cwd: './here' }, { command: 'x', args: [], cwd: './here' }],
    ['enabled: true', { command: 'x', enabled: true }, { command: 'x', args: [] }],
    ['enabled: false', { command: 'x', enabled: false }, { command: 'x', args: [], enabled: false }],
    ['disabled', { command: 'x', disabled: true }, { command: 'x', args: [], enabled: false }],
    ['timeout', { command: 'x', timeout: 5000 }, { command: 'x', args: [], timeouts: { request: 5000 } }],
    ['timeout 0', { command: 'x', timeout: 0 }, { command: 'x', args: [], timeouts: { request: 0 } }],
    [
      'a long timeout',
      { command: 'x', timeout: 900_000 },
      { command: 'x', args: [], timeouts: { request: 900_000, total: 900_000 } },
    ],
    [
      'timeout of opencode 2',
      { command: 'x', timeout: { startup: 1, request: 2 } },
      { command: 'x', args: [], timeouts: { connect: 1, request: 2 } },
    ],
    [
      'timeouts over timeout',
      { command: 'x', timeout: 5000, timeouts: { request: 1 } },
      { command: 'x', args: [], timeouts: { request: 1 } },
    ],
    ['tools, a list', { command: 'x', tools: ['a*'] }, { command: 'x', args: [], tools: { allow: ['a*'] } }],
    ['tools, allow and deny', { command: 'x', tools: { deny: ['a'] } }, { command: 'x', args: [], tools: { deny: ['a'] } }],
    [
      'tools, a tool called deny',
      { command: 'x', tools: { deny: true } },
      { command: 'x', args: [], tools: { allow: ['deny'] } },
    ],
    ['tools, empty', { command: 'x', tools: {} }, { command: 'x', args: [] }],
    [
      'redirect',
      { url: 'https://a.example', redirect: 'refuse', maxResponseBytes: 1 },
      { url: 'https://a.example', redirect: 'refuse', maxResponseBytes: 1 },
    ],
    [
      'share, listTtl, protocol',
      { command: 'x', share: false, listTtl: 0, protocol: '2025-06-18' },
      { command: 'x', args: [], share: false, listTtl: 0, protocol: '2025-06-18' },
    ],
  ])('TNX-03 %s', (_, entry, expected) => {
    expect(one(entry)).toEqual(expected);
  });

  test.each([
    ['command', { command: 1 }, /^mcpServers\.docs\.command: must be a string or a list, not a number/],
    ['command word', { command: ['x', 1] }, /^mcpServers\.docs\.command\[1\]: must be a string, not a number/],
    ['args', { command: 'x', args: '-y' }, /^mcpServers\.docs\.args: must be a list, not a string/],
    ['args element', { command: 'x', args: ['a', 8080] }, /^mcpServers\.docs\.args\[1\]: must be a string, not a number/],
    ['env', { command: 'x', env: ['A=b'] }, /^mcpServers\.docs\.env: must be an object, not a list/],
    ['env value', { command: 'x', env: { A: 1 } }, /^mcpServers\.docs\.env\.A: must be a string/],
    [
      'environment value',
      { command: 'x', environment: { A: null } },
      /^mcpServers\.docs\.environment\.A: must be a string, not null/,
    ],
    ['cwd', { command: 'x', cwd: 1 }, /^mcpServers\.docs\.cwd: must be a string/],
    ['url', { url: {} }, /^mcpServers\.docs\.url: must be a string, not an object/],
    [
      'headers',
      { url: 'https://a.example', headers: ['Authorization: x'] },
      /^mcpServers\.docs\.headers: must be an object, not a list/,
    ],
    [
      'header with a dot',
      { url: 'https://a.example', headers: { 'a.b': 1 } },
      /^mcpServers\.docs\.headers\["a\.b"\]: must be a string/,
    ],
    ['enabled', { command: 'x', enabled: 'no' }, /^mcpServers\.docs\.enabled: must be true or false, not a string/],
    ['disabled', { command: 'x', disabled: 1 }, /^mcpServers\.docs\.disabled: must be true or false/],
    [
      'timeout',
      { command: 'x', timeout: '5s' },
      /^mcpServers\.docs\.timeout: must be a number of milliseconds .* or an object, not a string/,
    ],
    ['negative timeout', { command: 'x', timeout: -1 }, /^mcpServers\.docs\.timeout: must be a number of milliseconds/],
    ['tools', { command: 'x', tools: 'search' }, /^mcpServers\.docs\.tools: must be an object such as/],
    ['tools value', { command: 'x', tools: { a: 'yes' } }, /^mcpServers\.docs\.tools\.a: must be true or false, not a string/],
    [
      'timeouts',
      { command: 'x', timeouts: { conect: 1 } },
      /^mcpServers\.docs\.timeouts\.conect: is not known here\. Did you mean "connect"\?/,
    ],
    ['type', { type: 'docker', command: 'x' }, /^mcpServers\.docs\.type: is not a known type/],
    [
      'type against kind',
      { type: 'stdio', url: 'https://a.example' },
      /^mcpServers\.docs\.type: does not fit: .* a command, .* a url/,
    ],
    ['both', { command: 'x', url: 'https://a.example' }, /^mcpServers\.docs: has both command and url/],
    ['contradiction', { command: 'x', enabled: true, disabled: true }, /^mcpServers\.docs\.disabled: contradicts/],
    ['env twice', { command: 'x', env: {}, environment: {} }, /^mcpServers\.docs\.environment: says the same/],
    ['an empty command', { command: [] }, /^mcpServers\.docs\.command: is empty/],
    ['url without scheme', { url: 'docs.example.com/mcp' }, /^mcpServers\.docs\.url: must be a full http:\/\/ or https:\/\/ URL/],
    ['url with a port only', { url: 'localhost:3000/mcp' }, /^mcpServers\.docs\.url: must be a full http/],
    ['url with a password', { url: 'https://a:b@c.example' }, /^mcpServers\.docs\.url: has a user name or password/],
    ['url of a WebSocket', { url: 'wss://c.example' }, /^mcpServers\.docs\.url: is a WebSocket address/],
    [
      'a header with a line break',
      { url: 'https://a.example', headers: { a: 'b\nc' } },
      /^mcpServers\.docs\.headers\.a: cannot be sent/,
    ],
  ])('TNX-03 a wrong %s is an error with its path', (_, entry, expected) => {
    expect(oneIssue(entry)).toEqual([expect.stringMatching(expected)]);
  });

  test('TNX-03 an unknown field is a warning, with a suggestion where there is one', () => {
    expect(warningsOf({ url: 'https://a.example', autoApprove: [] })).toEqual([
      'mcpServers.docs.autoApprove is not a known field and is ignored.',
    ]);
    expect(warningsOf({ url: 'https://a.example', tols: { a: false } })).toEqual([
      'mcpServers.docs.tols is not a known field and is ignored. Did you mean "tools"?',
    ]);
  });

  test('TNX-03 a field of the other kind of server is a warning, and so is a timeout that must be seconds', () => {
    expect(warningsOf({ url: 'https://a.example', args: ['x'], timeout: 60 })).toEqual([
      expect.stringContaining('mcpServers.docs.args means nothing'),
      expect.stringMatching(/mcpServers\.docs\.timeout .*60000/),
    ]);
  });

  test('TNX-03 a disabled server of legacy SSE, or without a whole address, is no error', () => {
    expect(one({ url: 'a.example', disabled: true })).toEqual({ url: 'a.example', enabled: false });
    expect(one({ type: 'sse', url: 'https://a.example', disabled: true })).toEqual({
      url: 'https://a.example',
      transport: 'sse',
      enabled: false,
    });
  });
});
