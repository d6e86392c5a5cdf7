/** What each middleware adds to a call: on the pipeline alone, around a last step that answers at once, and on whole calls in memory. */

import { closeToolSet, createMcpToolSet, type McpMiddleware, type ToolCall, type ToolDefinition } from 'mcp-tool-set';
import {
  approval,
  cache,
  circuitBreaker,
  limitOutput,
  lockOf,
  log,
  meta,
  pin,
  rateLimit,
  readOnly,
  retry,
  timeout,
} from 'mcp-tool-set/middleware';
import { tracing } from 'mcp-tool-set/tracing';
import { compose } from '../../src/lib/compose.ts';
import { callServer } from '../../src/tools/call-server.ts';
import { judge, lanes, median, time } from './measure.ts';
import { MemoryTransport } from './memory-transport.ts';
import { executor, INPUT, type Session, threeMiddlewares } from './subjects.ts';

const CALLS = 1_500;

type Call = () => Promise<unknown>;

interface Contestant {
  readonly name: string;
  /** Adds these. */
  readonly middleware: readonly McpMiddleware[];
  /** The most that it may add, in microseconds. */
  readonly limit?: number;
}

const TOOL: ToolDefinition = {
  name: 's_tool_1',
  server: 's',
  originalName: 'tool_1',
  kind: 'tool',
  inputSchema: { type: 'object', properties: {} },
  annotations: { readOnlyHint: true },
};
const RESULT = { content: [{ type: 'text', text: 'result' }] };

const threeTogether = (): Contestant => ({ name: 'the recommended three', middleware: threeMiddlewares(), limit: 5 });

async function allTogether(): Promise<Contestant> {
  const lock = await lockOf({ tools: [TOOL] });
  const middleware = [
    readOnly(),
    pin({ lock }),
    approval({ ask: () => true }),
    limitOutput(),
    cache({ ttl: 60_000, anonymous: true, deny: ['*/*'] }),
    retry(),
    rateLimit({ limit: 1_000_000, interval: 1_000 }),
    circuitBreaker(),
    tracing(),
    timeout({ request: 60_000 }),
  ];
  return { name: 'all in the recommended order', middleware };
}

async function oneByOne(): Promise<Contestant[]> {
  const lock = await lockOf({ tools: [TOOL] });
  const each: Record<string, readonly [McpMiddleware, number?]> = {
    'a hook of each kind that does nothing': [nothing],
    readOnly: [readOnly(), 1],
    pin: [pin({ lock })],
    'approval, nobody is asked': [approval({ ask: () => true })],
    'approval, asked': [approval({ ask: () => true, always: ['*/*'] })],
    'limitOutput, nothing is cut': [limitOutput()],
    'cache, a miss': [cache({ ttl: 60_000, anonymous: true, maxBytes: 1, now: () => 0 })],
    'cache, a hit': [cache({ ttl: 60_000, anonymous: true })],
    retry: [retry()],
    'rateLimit, in memory': [rateLimit({ limit: 1_000_000, interval: 1_000 }), 2],
    circuitBreaker: [circuitBreaker()],
    'tracing, without an SDK': [tracing(), 1],
    timeout: [timeout({ request: 60_000 })],
    log: [log(() => {})],
    meta: [meta({ 'com.example/tenant': 't1' })],
  };
  return Object.entries(each).map(([name, [one, limit]]) => ({ name, middleware: [one], ...(limit && { limit }) }));
}

const nothing: McpMiddleware = {
  name: 'nothing',
  call: async (call, next) => next(call),
  request: async (request, next) => next(request),
};

/** As the provider does it. */
function pipeline(middleware: readonly McpMiddleware[]): Call {
  const send = compose(
    middleware.map(({ request }) => request),
    async () => RESULT,
  );
  const run = compose(
    middleware.map(({ call }) => call),
    (call: ToolCall) => callServer(send, call, () => {}),
  );
  const { signal } = new AbortController();
  const call: ToolCall = { tool: TOOL, input: INPUT, toolCallId: '1', messages: [], signal };
  return () => run({ ...call });
}

/** Each in turn beside the bare one, so that both see the same mood of the machine. */
async function print(
  title: string,
  bare: Call,
  calls: readonly (Contestant & { readonly call: Call })[],
  rounds: number,
): Promise<void> {
  const sample = async (call: Call): Promise<number> => ((await time(() => lanes(call, CALLS, 1))) / CALLS) * 1_000;
  const added = calls.map((): number[] => []);
  const alone: number[] = [];
  // Rounds below 0 warm up.
  for (let round = -3; round < rounds; round++) {
    for (const [index, { call }] of calls.entries()) {
      const [before, own, after] = [await sample(bare), await sample(call), await sample(bare)];
      if (round < 0) continue;
      alone.push(before, after);
      added[index]?.push(own - (before + after) / 2);
    }
  }
  console.log(`\n${title}: ${median(alone).toFixed(2)} µs, and what is added to it`);
  for (const [index, { name, limit }] of calls.entries()) {
    const figure = median(added[index] ?? []);
    console.log(`  ${name.padEnd(40)} ${figure.toFixed(2).padStart(8)} µs${judge(figure, limit)}`);
  }
}

async function session(middleware: readonly McpMiddleware[]): Promise<Session> {
  const servers = { s: { transport: () => new MemoryTransport() } };
  const tools = await createMcpToolSet({ servers, middleware, onWarning: false });
  return { call: executor(tools, 's_tool_1'), close: () => closeToolSet(tools) };
}

export async function middleware(): Promise<void> {
  const together = [threeTogether(), await allTogether()];
  const alone = [...(await oneByOne()), ...together].map((each) => ({ ...each, call: pipeline(each.middleware) }));
  await print('the pipeline of a call', pipeline([]), alone, 15);

  // A whole call takes so much longer that what one of them adds is lost in it.
  const plain = await session([]);
  const sessions = await Promise.all(together.map(async (each) => ({ ...each, ...(await session(each.middleware)) })));
  const whole = sessions.map((each) => ({ ...each, call: () => each.call(INPUT) }));
  await print('a whole call in memory', () => plain.call(INPUT), whole, 25);
  for (const { close } of [plain, ...sessions]) await close();
}
