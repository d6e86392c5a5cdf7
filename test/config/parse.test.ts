// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a config's variables are written like that

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkToolSetOptions } from '../../src/config/options.ts';
import { parseMcpConfig } from '../../src/config/parse.ts';
import type { McpWarning } from '../../src/report.ts';
import { issuesOf, noWarning, one } from './support.ts';

const fixture = (name: string): string => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');

describe('TNX-02 config text or object, wrapped or bare', () => {
  const docs = { url: 'https://docs.example.com/mcp' };

  test.each([
    ['mcpServers', { mcpServers: { docs } }],
    ['servers', { servers: { docs } }],
    ['mcp', { mcp: { docs } }],
    ['mcp.servers', { mcp: { servers: { docs } } }],
    ['a bare map', { docs }],
    ['a bare map with a schema', { $schema: 'https://example.com/schema.json', docs }],
  ])('TNX-02 %s', (_, config) => {
    expect(parseMcpConfig(config)).toEqual({ docs });
    expect(parseMcpConfig(JSON.stringify(config))).toEqual({ docs });
  });

  test('TNX-02 a server that is called like a wrapper is a server in a bare map', () => {
    expect(parseMcpConfig({ mcp: docs, servers: { command: 'x' } })).toEqual({ mcp: docs, servers: { command: 'x', args: [] } });
  });

  test('TNX-02 comments, trailing commas and a byte order mark are allowed', () => {
    const text = `\uFEFF{ // servers\n "mcpServers": { /* one */ "docs": { "url": "https://docs.example.com/mcp?a=//b", }, }, }`;
    expect(parseMcpConfig(text)).toEqual({ docs: { url: 'https://docs.example.com/mcp?a=//b' } });
  });

  test('TNX-02 a command is a string with args, or one list', () => {
    expect(one({ command: 'node', args: ['x.js'] })).toEqual({ command: 'node', args: ['x.js'] });
    expect(one({ command: ['node', 'x.js'] })).toEqual({ command: 'node', args: ['x.js'] });
    expect(one({ command: ['node', 'x.js'], args: ['--fast'] })).toEqual({ command: 'node', args: ['x.js', '--fast'] });
  });

  test('TNX-02 Claude Desktop', () => {
    expect(parseMcpConfig(fixture('claude-desktop.json'), { onWarning: noWarning })).toEqual({
      filesystem: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/Users/ada/Documents'] },
      github: {
        command: 'docker',
        args: ['run', '-i', '--rm', '-e', 'GITHUB_TOKEN', 'ghcr.io/github/github-mcp-server'],
        env: { GITHUB_TOKEN: 'ghp_example' },
      },
    });
  });

  test('TNX-02 Cursor', () => {
    const env = { DOCS_TOKEN: 't', HOME: '/home/ada', API_KEY: 'k' };
    expect(parseMcpConfig(fixture('cursor.json'), { env, onWarning: noWarning })).toEqual({
      docs: { url: 'https://docs.example.com/mcp', headers: { Authorization: 'Bearer t' } },
      local: { command: 'python', args: ['/home/ada/server.py'], env: { API_KEY: 'k' } },
    });
  });

  test('TNX-02 VS Code, whose inputs come from env', () => {
    expect(parseMcpConfig(fixture('.vscode/mcp.json'), { env: { 'perplexity-key': 'k' }, onWarning: noWarning })).toEqual({
      github: { url: 'https://api.githubcopilot.com/mcp/' },
      perplexity: { command: 'npx', args: ['-y', 'server-perplexity-ask'], env: { PERPLEXITY_API_KEY: 'k' } },
    });
    expect(issuesOf(() => parseMcpConfig(fixture('.vscode/mcp.json')))).toEqual([
      expect.stringMatching(/^servers\.perplexity\.env\.PERPLEXITY_API_KEY: .*perplexity-key.*`env`/),
    ]);
  });

  test('TNX-02 opencode', () => {
    expect(parseMcpConfig(fixture('opencode.jsonc'), { onWarning: noWarning })).toEqual({
      everything: {
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-everything'],
        env: { LOG_LEVEL: 'info' },
        timeouts: { request: 5000 },
      },
      jira: { url: 'https://jira.example.com/mcp', headers: { Authorization: 'Bearer {env:JIRA_TOKEN}' }, enabled: false },
    });
  });

  test('TNX-02 toolnexus', () => {
    const env = { REMOTE_KEY: 'k', TENANT: 'acme' };
    expect(parseMcpConfig(fixture('toolnexus.json'), { env, onWarning: noWarning })).toEqual({
      progress: {
        command: 'node',
        args: ['examples/mcp-progress-server.mjs'],
        env: { MODE: 'fast' },
        cwd: 'servers',
        tools: { allow: ['search'], deny: ['erase'] },
      },
      remote: {
        url: 'https://tools.example.com/mcp?key=k',
        headers: { 'X-Tenant': 'acme' },
        timeouts: { request: 120_000 },
        tools: { deny: ['erase'] },
      },
      old: { command: 'old-server', args: ['${NOT_SET}'], enabled: false },
    });
  });

  test('TNX-01 HTTP servers go into `servers` as they are, disabled ones with unset variables too', () => {
    const entry = {
      type: 'http',
      url: '${BASE:-https://a.example}/mcp',
      headers: { a: 'b' },
      timeout: 5_000,
      tools: { x: true },
      required: true,
    };
    const servers = parseMcpConfig({ a: entry, b: { type: 'remote', url: '${UNSET}/mcp', disabled: true } }, { httpOnly: true });
    expect(() => checkToolSetOptions({ servers })).not.toThrow();
    expect(servers.a).toEqual({
      url: 'https://a.example/mcp',
      headers: { a: 'b' },
      timeouts: { request: 5_000 },
      tools: { allow: ['x'] },
      required: true,
    });
  });

  test('TNX-01 with httpOnly a command is an error, and a disabled one is left out with a warning', () => {
    const warnings: McpWarning[] = [];
    const config = { a: { command: 'x' }, b: { command: 'y', enabled: false }, c: { url: 'https://c.example' } };
    expect(issuesOf(() => parseMcpConfig(config, { httpOnly: true }))).toEqual([expect.stringMatching(/^a: .*loadMcpConfig/)]);
    const { a: _, ...rest } = config;
    const servers = parseMcpConfig(rest, { httpOnly: true, onWarning: (warning) => warnings.push(warning) });
    expect(Object.keys(servers)).toEqual(['c']);
    expect(warnings).toMatchObject([{ kind: 'setting_ignored', server: 'b' }]);
  });
});
