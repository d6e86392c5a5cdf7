/** L5: what is secret is found in nothing that is told of the work, whichever middleware looks at it. One row for each of them. */

import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { inspectToolSet, type McpMiddleware, McpToolSetError, type ServerConfig, wrapToolSet } from '../../src/index.ts';
import { approval } from '../../src/middleware/approval.ts';
import { cache } from '../../src/middleware/cache.ts';
import { circuitBreaker } from '../../src/middleware/circuit-breaker.ts';
import { limitOutput } from '../../src/middleware/limit-output.ts';
import { log } from '../../src/middleware/log.ts';
import { meta } from '../../src/middleware/meta.ts';
import { pin } from '../../src/middleware/pin.ts';
import { rateLimit } from '../../src/middleware/rate-limit.ts';
import { readOnly } from '../../src/middleware/read-only.ts';
import { retry } from '../../src/middleware/retry.ts';
import { timeout } from '../../src/middleware/timeout.ts';
import { tracing } from '../../src/middleware/tracing.ts';
import { stdio } from '../../src/node/index.ts';
import { fixture } from '../node/support.ts';
import { answer, type Intercept, provide } from '../provider/support.ts';
import { fake } from '../support/fixtures.ts';
import { json } from '../support/listen.ts';
import { executeOptions } from '../support/model.ts';
import { telemetry } from './tracing-support.ts';

/** Each place has its own, so that a leak says where it comes from. */
const HEADER = 'SENTINEL-header';
const QUERY = 'SENTINEL-query';
const ARGUMENT = 'SENTINEL-argument';
const THROWN = 'SENTINEL-thrown';
const VARIABLE = 'SENTINEL-variable';
const SESSION = 'SENTINEL-session';
const PRINCIPAL = 'SENTINEL-principal';

/** What `tell` is given is searched like the rest. */
const ROWS: readonly (readonly [title: string, make: (tell: (said: unknown) => void) => McpMiddleware[]])[] = [
  ['none', () => []],
  ['readOnly', () => [readOnly({ allow: ['*/*'] })]],
  ['readOnly that refuses', () => [readOnly()]],
  ['pin', (tell) => [pin({ lock: {}, onDrift: 'warn', onChange: tell })]],
  ['pin that refuses', (tell) => [pin({ lock: {}, onChange: tell })]],
  ['approval that refuses', () => [approval({ ask: () => Promise.reject(new Error(THROWN)) })]],
  ['limitOutput', () => [limitOutput({ maxTokens: 100 })]],
  ['cache', () => [cache({ ttl: 1_000, allow: ['*/*'], anonymous: true })]],
  ['retry', () => [retry({ attempts: 2, delay: 1, allow: ['*/*'], retryIf: () => true })]],
  ['rateLimit', () => [rateLimit({ limit: 1, interval: 60_000, maxWait: 0 })]],
  ['circuitBreaker', (tell) => [circuitBreaker({ failures: 1, onChange: tell })]],
  ['timeout', () => [timeout({ request: 200 })]],
  ['meta', () => [meta(() => ({ 'com.example/note': ARGUMENT }))]],
  ['meta that fails', () => [meta(() => Promise.reject(new Error(THROWN)))]],
  ['log', (tell) => [log(tell)]],
  ['log that is told to tell', (tell) => [log(tell, { inputs: true, headers: true })]],
  ['tracing', () => [tracing()]],
  ['tracing that is told to record', () => [tracing({ recordInputs: true, uriInName: true, enrich: false })]],
  [
    'all of them',
    (tell) => [
      readOnly({ allow: ['*/*'] }),
      limitOutput(),
      cache({ ttl: 1_000 }),
      retry({ attempts: 2, delay: 1, retryIf: () => true }),
      rateLimit({ limit: 100, interval: 1_000 }),
      circuitBreaker({ failures: 50 }),
      log(tell),
      tracing(),
      timeout({ request: 5_000 }),
    ],
  ],
];

/** Repeats what it was sent: headers, the query, the body. */
const echoing: Intercept = ({ message, headers, path, body }, response) => {
  const { method, params } = message;
  const said = JSON.stringify({ headers, path, body });
  switch (method === 'tools/call' && params?.name) {
    case 'status':
      response.writeHead(500, { 'content-type': 'text/plain' }).end(said);
      return true;
    case 'unauthorized':
      response.writeHead(401, { 'www-authenticate': `Bearer realm="${HEADER}"` }).end(said);
      return true;
    case 'limited':
      response.writeHead(429, { 'retry-after': '1' }).end(said);
      return true;
    case 'page':
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${said}</p>`);
      return true;
    case 'elsewhere':
      response.writeHead(307, { location: `http://127.0.0.2:1/?key=${QUERY}` }).end();
      return true;
    case 'gone':
      response.destroy();
      return true;
    case 'silent':
      return new Promise(() => {});
    case 'quoting':
      json(response, { jsonrpc: '2.0', id: message.id, error: { code: -32602, message: `bad: ${said}` } });
      return true;
    default:
      return false;
  }
};

const FAILING = ['status', 'unauthorized', 'limited', 'page', 'elsewhere', 'gone', 'silent'];
/** What these servers say about a call is for the model, and so in the error; it is in nothing else. */
const QUOTING = ['quoting', 'failed'];

async function serve() {
  const names = ['echo', ...FAILING, ...QUOTING];
  const open: Intercept = (received, response) => {
    if (received.message.method !== 'initialize') return false;
    server.sessions.add(SESSION);
    response.setHeader('mcp-session-id', SESSION);
    const { protocolVersion } = received.message.params as { protocolVersion: string };
    const capabilities = { tools: {}, resources: {} };
    return answer(received, response, { protocolVersion, capabilities, serverInfo: { name: 'fake', version: '1' } });
  };
  const server = await fake({
    tools: names.map((name) => ({
      name,
      result: { content: [{ type: 'text', text: name === 'failed' ? ARGUMENT : 'fine' }], isError: name === 'failed' },
    })),
    resources: [{ uri: 'demo://a', name: 'a' }],
    intercept: async (received, response) => (await open(received, response)) || echoing(received, response),
  });
  return server;
}

/** All that is told of an error but its `cause`, which is what the application's own code threw, for the application. */
function told(error: unknown): string {
  if (!McpToolSetError.is(error)) return `not ours: ${inspect(error)}`;
  const { message, stack } = error;
  return inspect({ ...error, text: String(error), message, stack }, { depth: 9 });
}

const CONSOLE = ['log', 'info', 'warn', 'error', 'debug'] as const;

describe.each(ROWS)('L5 secrets and %s', (_, make) => {
  test('L5 no header, query, argument, thrown error or variable is in spans, metrics, logs, errors, warnings, reports or status', async () => {
    const sdk = telemetry();
    const said: unknown[] = [];
    const tell = (what: unknown): void => void said.push(what);
    const printed = CONSOLE.map((name) => vi.spyOn(console, name).mockImplementation(() => {}));
    onTestFinished(() => void vi.restoreAllMocks());
    const url = `${(await serve()).url}?key=${QUERY}`;
    const headers = { authorization: `Bearer ${HEADER}`, 'x-api-key': HEADER };
    const throws = (): never => {
      throw new Error(THROWN);
    };
    const servers: Record<string, ServerConfig> = {
      docs: { url, headers, timeouts: { request: 250 } },
      offline: { url, headers, fetch: throws },
      headless: { url, headers: throws },
      script: stdio({
        command: process.execPath,
        args: [fixture('crash.mjs'), `--token=${VARIABLE}`],
        env: { SECRET_TOKEN: VARIABLE },
      }),
    };
    const principal = { id: 'ann', headers: { cookie: `sid=${PRINCIPAL}` }, attributes: { plan: PRINCIPAL } };
    const provider = provide({ servers, principal, middleware: make(tell), onWarning: tell });
    provider.on('warning', tell);
    const tools = await provider.tools();
    const errors: unknown[] = [];
    const run = (name: string, input: object): Promise<unknown> =>
      Promise.resolve(tools[name]?.execute?.(input, executeOptions())).catch((error) => error);

    const input = { password: ARGUMENT, nested: [{ apiKey: ARGUMENT }] };
    for (const name of ['echo', 'echo', ...FAILING]) {
      const outcome = await run(`docs_${name}`, input);
      if (outcome instanceof Error) errors.push(outcome);
    }
    for (const name of QUOTING) await run(`docs_${name}`, input);
    errors.push(await run('get_resource', { mcpServer: 'docs', uri: `demo://user:${ARGUMENT}@a/b?key=${ARGUMENT}` }));
    for (const server of Object.keys(servers)) {
      errors.push(await provider.callTool({ server, tool: 'status', input }).catch((error) => error));
    }
    const report = inspectToolSet(tools);
    const status = await provider.status({ probe: true });
    // The one place that is asked for it.
    const known = Object.values(status).map(({ sessionId: _, ...rest }) => rest);

    const haystack = {
      spans: sdk.spans().map(({ name, attributes, status, events, links }) => ({ name, attributes, status, events, links })),
      metrics: await sdk.measured(),
      said: said.map((what) => (what instanceof Error ? told(what) : withoutCauses(what))),
      errors: errors.filter((error) => error instanceof Error).map(told),
      reports: withoutCauses([report.servers, report.notes, known]),
      printed: printed.flatMap(({ mock }) => mock.calls),
    };
    expect(errors.filter((error) => error instanceof Error).length).toBeGreaterThan(3);
    expect(leaks(haystack)).toEqual([]);
  });

  test('L5 around tools that are not ours', async () => {
    const sdk = telemetry();
    const said: unknown[] = [];
    const middleware = make((what) => void said.push(what)).filter(({ name }) => name !== 'meta' && name !== 'pin');
    const failing = {
      inputSchema: { jsonSchema: { type: 'object' }, [Symbol.for('vercel.ai.schema')]: true, validate: undefined },
      execute: async () => {
        throw new Error(THROWN);
      },
    };
    const tools = await wrapToolSet({ tools: { failing: failing as never }, middleware });
    await Promise.resolve(
      (tools as { failing?: { execute(input: object, options: object): unknown } }).failing?.execute(
        { password: ARGUMENT },
        executeOptions(),
      ),
    ).catch(() => {});
    const spans = sdk.spans().map(({ name, attributes, status, events, links }) => ({ name, attributes, status, events, links }));
    expect(leaks({ spans, metrics: await sdk.measured(), said: withoutCauses(said) })).toEqual([]);
  });
});

/** Every text with a sentinel in it, and where it is. */
function leaks(haystack: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(haystack).flatMap(([place, hay]) => {
    const text = inspect(hay, { depth: 20, maxArrayLength: null, maxStringLength: null, breakLength: Number.POSITIVE_INFINITY });
    return [...text.matchAll(/.{0,120}SENTINEL-?\w*.{0,20}/g)].map(([found]) => `${place}: ${found}`);
  });
}

/** A copy in which every error is what is told of it. */
function withoutCauses(value: unknown): unknown {
  if (value instanceof Error) return told(value);
  if (Array.isArray(value)) return value.map(withoutCauses);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutCauses(inner)]));
}

test('the search itself finds what it looks for', () => {
  expect(leaks({ errors: [told(new McpToolSetError('timeout', HEADER))] })).not.toEqual([]);
  expect(leaks({ said: withoutCauses([{ error: new McpToolSetError('timeout', 'x', { cause: new Error(THROWN) }) }]) })).toEqual(
    [],
  );
});
