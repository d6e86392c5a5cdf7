// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a config's variables are written like that

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { checkToolSetOptions } from '../../src/config/options.ts';
import { stdio } from '../../src/node/stdio.ts';
import { hasSdkV1, sdkV1, sdkV1LeftOut } from '../support/sdk-v1.ts';
import { allText, errorOf, issuesOf } from './support.ts';

const url = 'https://docs.example.com/mcp';
const servers = { docs: { url } };
const issues = (options: unknown): string[] => issuesOf(() => checkToolSetOptions(options));
const serverIssues = (docs: unknown): string[] => issues({ servers: { docs } });

const everything = {
  servers: {
    text: { url },
    url: {
      url: new URL(url),
      headers: new Headers({ a: 'b' }),
      fetch,
      redirect: 'refuse',
      maxResponseBytes: 1,
      enabled: true,
      required: true,
      share: true,
      tools: { allow: ['a'], deny: ['b*'] },
      timeouts: { connect: 1, request: 0, total: 1, ready: 1, idle: 1 },
      listTtl: 0,
      protocol: 'auto',
    },
    pairs: { url, headers: [['a', 'b']] },
    function: { url, headers: () => ({}) },
    undefined: { url, headers: undefined, enabled: undefined, transport: undefined },
    child: stdio({ command: 'node' }),
    transport: { transport: new StreamableHTTPClientTransport(new URL(url)) },
    factory: { transport: () => new StreamableHTTPClientTransport(new URL(url)), required: false },
    client: { client: new Client({ name: 'a', version: '1' }) },
    off: { url: '${UNSET}/mcp', enabled: false },
  },
  filter: [() => true],
  toolName: 'original',
  resources: {
    listName: 'find',
    getName: 'read',
    listDescription: '',
    getDescription: 'x',
    serverDescription: 'x',
    uriDescription: 'x',
  },
  middleware: [
    { name: 'a', call: () => {} },
    { name: 'b', list: undefined, own: 1 },
  ],
  onServerError: 'throw',
  onWarning: false,
  principal: { id: 'u', headers: { a: 'b' }, attributes: { plan: 'pro' } },
  timeouts: { request: 5 },
  timeoutMessage: 'x',
  protocol: '2025-06-18',
  clientInfo: { name: 'app', version: '1', title: 'App' },
  fetch,
  signal: new AbortController().signal,
  now: Date.now,
  listTtl: 60_000,
  mapResult: (result: unknown) => result,
};

describe('options', () => {
  test.skipIf(!hasSdkV1)(`CARD-03 a client and a transport of the 1.x SDK are fine${sdkV1LeftOut}`, async () => {
    const v1 = await sdkV1();
    const client = new v1.Client({ name: 'a', version: '1' });
    const transport = new v1.StreamableHTTPClientTransport(new URL(url));
    expect(() => checkToolSetOptions({ servers: { client: { client }, transport: { transport } } })).not.toThrow();
  });

  test('every option in every form is fine', () => {
    expect(() => checkToolSetOptions(everything)).not.toThrow();
    expect(() =>
      checkToolSetOptions({ servers, filter: () => true, toolName: () => 'x', resources: false, onWarning: () => {} }),
    ).not.toThrow();
    expect(() => checkToolSetOptions({ servers, mapTool: (tool: unknown) => tool, toolName: undefined })).not.toThrow();
  });

  test('every option is refused when its type is wrong', () => {
    const wrong = Object.fromEntries(
      Object.keys(everything).map((key) => [key, key === 'servers' || key === 'middleware' ? 5 : Symbol('x')]),
    );
    const paths = issues(wrong).map((line) => line.split(':')[0]);
    expect(paths.sort()).toEqual(Object.keys(everything).sort());
  });

  test('an unknown option is refused, with what was meant', () => {
    expect(issues({ mcpServers: servers })).toEqual([
      'mcpServers: is not known here. Did you mean "servers"?',
      expect.stringMatching(/^servers: must be an object with a key for each server, .* it is missing/),
    ]);
    expect(issues({ servers, midleware: [] })).toEqual(['midleware: is not known here. Did you mean "middleware"?']);
    expect(issues({ servers, resources: { listNam: 'x' } })).toEqual([
      'resources.listNam: is not known here. Did you mean "listName"?',
    ]);
    expect(issues({ servers, zzz: undefined })).toEqual([
      expect.stringMatching(/^zzz: is not known here\. Known here: servers, filter,/),
    ]);
  });

  test('toolName and mapTool exclude each other', () => {
    expect(issues({ servers, toolName: 'prefixed', mapTool: (tool: unknown) => tool })).toEqual([
      expect.stringMatching(/^toolName: .*mapTool/),
    ]);
  });

  test('an empty map of servers is refused, but for a provider', () => {
    expect(issues({ servers: {} })).toEqual([expect.stringMatching(/^servers: is empty/)]);
    expect(() => checkToolSetOptions({ servers: {} }, { allowEmpty: true })).not.toThrow();
  });

  test('no options, wrong options', () => {
    expect(issues(undefined)).toEqual([expect.stringContaining('missing')]);
    expect(issues([])).toEqual([expect.stringContaining('a list')]);
    expect(issues({ servers: [{ url }] })).toEqual([expect.stringMatching(/^servers: must be an object .* it is a list/)]);
    expect(issues({ servers: new Map([['docs', { url }]]) })).toEqual([expect.stringMatching(/^servers: .* it is a Map/)]);
  });

  test('all problems are in one error, which says whose options they are', () => {
    const error = errorOf(() =>
      checkToolSetOptions({ servers: { a: {}, b: { url: 'x' } }, timeouts: { idle: -1 } }, { caller: 'createMcpToolProvider' }),
    );
    expect(error.message).toMatch(/^The options of createMcpToolProvider\(\) are not valid: 3 problems\.\n- /);
    expect(error.data.issues).toHaveLength(3);
  });

  test.each([
    ['timeouts.request', { timeouts: { request: Number.NaN } }],
    ['timeouts.request', { timeouts: { request: Number.POSITIVE_INFINITY } }],
    ['timeouts.request', { timeouts: { request: 3_000_000_000 } }],
    ['timeouts.request', { timeouts: { request: -5 } }],
    ['timeouts.request', { timeouts: { request: '5s' } }],
    ['timeouts.requst', { timeouts: { requst: 5 } }],
    ['listTtl', { listTtl: -1 }],
    ['protocol', { protocol: 'latest' }],
    ['protocol', { protocol: '2025-6-18' }],
    ['onServerError', { onServerError: 'ignore' }],
    ['onWarning', { onWarning: true }],
    ['filter[1]', { filter: [() => true, 'a*'] }],
    ['toolName', { toolName: 'short' }],
    ['principal.id', { principal: { id: '' } }],
    ['principal.id', { principal: {} }],
    ['principal.headers.a', { principal: { id: 'u', headers: { a: 1 } } }],
    ['principal.headers', { principal: { id: 'u', headers: { a: 'b\nc' } } }],
    ['clientInfo.version', { clientInfo: { name: 'x' } }],
    ['resources.listName', { resources: { listName: 'list resources' } }],
    ['resources', { resources: { listName: 'get_resource' } }],
    ['resources', { resources: 'yes' }],
    ['signal', { signal: new AbortController() }],
    ['middleware', { middleware: { name: 'a' } }],
    ['middleware[0]', { middleware: [false] }],
    ['middleware[0].name', { middleware: [{ call: () => {} }] }],
    ['middleware[0].call', { middleware: [{ name: 'a', call: 'x' }] }],
    ['middleware[0]', { middleware: [{ name: 'a' }] }],
  ])('%s is refused: %j', (path, options) => {
    expect(issues({ servers, ...options }).map((line) => line.split(': ')[0])).toEqual([path]);
  });

  test('a middleware that was not called, or has a misspelled hook, is told so', () => {
    function readOnly(): void {}
    expect(issues({ servers, middleware: [readOnly] })).toEqual(['middleware[0]: is a function; call it: readOnly().']);
    expect(issues({ servers, middleware: [{ name: 'a', requst: () => {} }] })).toEqual([
      expect.stringContaining('did you mean "request"?'),
    ]);
  });
});

describe('servers in options', () => {
  test.each([
    ['nothing', {}, /needs one of url, transport or client/],
    ['a slip', { urls: url }, /needs one of url.* "urls": did you mean "url"\?/],
    ['a command', { command: 'npx', args: [] }, /wrap it with stdio\(\) from 'mcp-tool-set\/node', or .*loadMcpConfig/],
    ['two', { url, client: () => {} }, /has url and client/],
    ['an address', url, /write \{ url: … \}/],
    ['a URL', new URL(url), /write \{ url: … \}/],
    ['a transport', new StreamableHTTPClientTransport(new URL(url)), /write \{ transport: … \}/],
    ['a client', new Client({ name: 'a', version: '1' }), /write \{ client: … \}/],
    ['a promise', Promise.resolve({ url }), /await it/],
    ['null', null, /must be an object .* null/],
  ])('%s instead of a server', (_, docs, expected) => {
    const [issue, ...more] = serverIssues(docs);
    expect(more).toEqual([]);
    expect(issue).toMatch(/^servers\.docs: /);
    expect(issue).toMatch(expected);
  });

  test.each([
    ['url', { url: 'docs.example.com/mcp' }, /full http/],
    ['url', { url: new URL('ftp://a.example') }, /full http/],
    ['url', { url: 5 }, /must be a string or a URL/],
    ['url', { url: 'https://a:b@c.example' }, /user name or password/],
    ['header', { url, header: {} }, /Did you mean "headers"\?/],
    ['headers.authorization', { url, headers: { authorization: undefined } }, /is missing; it must be a string/],
    ['headers', { url, headers: 'a: b' }, /must be headers/],
    ['headers', { url, headers: { 'a b': 'c' } }, /cannot be sent/],
    ['headers', { transport: () => {}, headers: {} }, /is not known here/],
    ['transport', { transport: 'stdio' }, /must be a transport of either MCP SDK/],
    ['client', { client: { tools: () => {}, close: () => {} } }, /must be a connected Client of either MCP SDK/],
    ['redirect', { url, redirect: 'follow' }, /must be "same-origin" or "refuse"/],
    ['maxResponseBytes', { url, maxResponseBytes: 0 }, /bytes above 0/],
    ['tools.allow', { url, tools: { allow: 'a' } }, /must be a list, not a string/],
    ['tools.alow', { url, tools: { alow: [] } }, /Did you mean "allow"\?/],
    ['timeouts.connect', { url, timeouts: { connect: -1 } }, /milliseconds/],
    ['protocol', { url, protocol: 'modern' }, /"auto" or a protocol revision/],
    ['enabled', { url, enabled: 'false' }, /must be true or false/],
  ])('a wrong %s', (path, docs, expected) => {
    const [issue, ...more] = serverIssues(docs);
    expect(more).toEqual([]);
    expect(issue?.split(': ')[0]).toBe(`servers.docs.${path}`);
    expect(issue).toMatch(expected);
  });

  test.each([
    ['', 'servers[""]'],
    ['*', 'servers["*"]'],
  ])('the key %j is refused', (key, path) => {
    expect(issues({ servers: { [key]: { url } } })).toEqual([expect.stringMatching(path.replace(/[[\]*]/g, '\\$&'))]);
  });

  test('no header, no part of an address and no principal header is ever in the error', () => {
    const secret = 'S3NTINEL';
    const error = errorOf(() =>
      checkToolSetOptions({
        servers: {
          a: { url: `ftp://a.example/?key=${secret}` },
          b: { url, headers: { authorization: `${secret}\n.` } },
          c: { url: `https://u:${secret}@b.example`, headers: [['a', `${secret}\u20ac`]] },
          d: { url, headers: { a: [secret] } },
          e: `${url}?${secret}`,
        },
        principal: { id: 'u', headers: { authorization: `${secret}\n.` } },
      }),
    );
    expect(error.data.issues).toHaveLength(7);
    expect(allText(error)).not.toContain(secret);
  });
});
