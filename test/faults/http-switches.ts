/** Switches of HTTP: statuses, bodies that are no MCP, redirects, and replies that never come. */

import { answerJson, type Exchange, type Fault, wait } from './fault.ts';

const HTML = '<!doctype html><html><body><h1>Please log in</h1></body></html>';
const AS_HTML = { 'content-type': 'text/html' };
const AS_JSON = { 'content-type': 'application/json' };

/** How late the headers of a slow server come, in milliseconds. */
const SLOW = 300;

function status(code: number, body = '', headers: Record<string, string> = {}): Fault & Required<Pick<Fault, 'act'>> {
  return { act: ({ response }) => void response.writeHead(code, headers).end(body) };
}

/** The session is gone for the server as well. */
function forget(fault: Fault & Required<Pick<Fault, 'act'>>): Fault {
  return {
    act(exchange) {
      exchange.state.sessions.delete(String(exchange.request.headers['mcp-session-id']));
      return fault.act(exchange);
    },
  };
}

/** Any other path than the first is the place where the server lives now. */
function redirect(code: number, target: (exchange: Exchange) => string): Fault {
  return {
    act(exchange) {
      if (exchange.request.path !== '/mcp') return answerJson(exchange);
      exchange.response.writeHead(code, { location: target(exchange) }).end();
    },
  };
}

/** The call takes effect first. */
function afterwards(act: NonNullable<Fault['act']>): Fault {
  return {
    act(exchange) {
      exchange.answer();
      return act(exchange);
    },
  };
}

const SAME = (): string => '/moved';
const FOREIGN = (): string => 'http://foreign.invalid/mcp';
const LOCAL = ({ state }: Exchange): string => state.elsewhere;

export const HTTP_FAULTS = {
  '401': status(401),
  '401-anywhere': { on: ['GET', 'server/discover', 'initialize'], ...status(401) },
  '403': status(403, 'no'),
  '404-empty': forget(status(404)),
  '404-html': forget(status(404, HTML, AS_HTML)),
  '404-json': forget(status(404, '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}', AS_JSON)),
  '404-odd-json': forget(status(404, '{"detail":"Not Found"}', AS_JSON)),
  'get-400': { on: 'GET', ...status(400, 'bad request') },
  'get-404': { on: 'GET', ...status(404) },
  'get-405': { on: 'GET', ...status(405) },
  'get-406': { on: 'GET', ...status(406) },
  '429-seconds': status(429, 'slow down', { 'retry-after': '3600' }),
  '429-date': {
    act({ response }) {
      const date = Date.parse('2030-01-01T00:00:00Z');
      const headers = { date: new Date(date).toUTCString(), 'retry-after': new Date(date + 90_000).toUTCString() };
      response.writeHead(429, headers).end();
    },
  },
  '429-bare': status(429),
  '429-text': status(429, 'Too many requests, come back later', { 'content-type': 'text/plain' }),
  '500-json-rpc': {
    act({ request, response }) {
      const error = { code: -32_603, message: 'the database is down' };
      response.writeHead(500, AS_JSON).end(JSON.stringify({ jsonrpc: '2.0', id: request.message.id, error }));
    },
  },
  '502-html': status(502, '<html><body><h1>502 Bad Gateway</h1></body></html>', AS_HTML),
  '503-after-commit': afterwards(({ response }) => void response.writeHead(503).end('try again')),
  '200-html': status(200, HTML, AS_HTML),
  '200-empty': status(200, '', AS_JSON),
  '200-untyped': status(200),
  '200-invalid-json': status(200, '{"jsonrpc":', AS_JSON),
  '200-foreign-json': status(200, '{"ok":true}', AS_JSON),
  '202-no-reply': afterwards(({ response }) => void response.writeHead(202).end()),
  'redirect-302-same': redirect(302, SAME),
  'redirect-307-same': redirect(307, SAME),
  'redirect-308-same': redirect(308, SAME),
  'redirect-302-cross': redirect(302, FOREIGN),
  'redirect-307-cross': redirect(307, FOREIGN),
  'redirect-302-loopback': redirect(302, LOCAL),
  'redirect-307-loopback': redirect(307, LOCAL),
  'redirect-nowhere': status(307),
  'redirect-circle': { act: ({ response }) => void response.writeHead(307, { location: '/mcp' }).end() },
  'slow-headers': {
    async act(exchange) {
      await wait(SLOW);
      answerJson(exchange);
    },
  },
  'slow-body': {
    async act({ response, answer }) {
      const body = JSON.stringify(answer());
      response.writeHead(200, AS_JSON).write(body.slice(0, 10));
      await wait(SLOW);
      response.end(body.slice(10));
    },
  },
  'never-answers': afterwards(() => {}),
  'body-never-ends': afterwards(({ response }) => void response.writeHead(200, AS_JSON).write('{"jsonrpc":"2.0",')),
  'error-body-never-ends': status500Open(),
  'reset-before-commit': { act: ({ response }) => void response.destroy() },
  'reset-after-commit': afterwards(({ response }) => void response.destroy()),
  'reset-mid-body': afterwards(({ response }) => {
    response.writeHead(200, { ...AS_JSON, 'content-length': '1000' }).write('{"jsonrpc":"2.0",', () => response.destroy());
  }),
  'delete-405': { on: 'DELETE', ...status(405) },
  'delete-404': { on: 'DELETE', ...status(404) },
  'delete-hangs': { on: 'DELETE', act: () => {} },
} as const satisfies Record<string, Fault>;

export type HttpSwitch = keyof typeof HTTP_FAULTS;

function status500Open(): Fault {
  return afterwards(({ response }) => void response.writeHead(500, AS_JSON).write('{"detail":'));
}
