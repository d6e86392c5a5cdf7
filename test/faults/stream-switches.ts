/** Switches of the SSE reply: how its frames are written, and what becomes of it before the reply is through. */

import { type Exchange, type Fault, frame, gone, type Message, openStream, wait } from './fault.ts';

const PROGRESS = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'working' } };

/** Milliseconds after which an idle listening stream is cut. */
const IDLE = 30;

/** A whole stream, as text made from the reply. */
function stream(write: (reply: Message) => string): Fault {
  return {
    act({ response, answer }) {
      openStream(response, write(answer()));
      response.end();
    },
  };
}

/** A stream of pieces that arrive one by one. */
function pieces(cut: (reply: Message) => readonly Uint8Array[]): Fault {
  return {
    async act({ response, answer }) {
      openStream(response);
      for (const piece of cut(answer())) {
        response.write(piece);
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    },
  };
}

/** The reply's stream as another exchange's end leaves it: begun, and over without the reply. */
function broken(finish: (exchange: Exchange, reply: Message) => void): Fault {
  return {
    act(exchange) {
      const reply = exchange.answer();
      openStream(exchange.response, frame(PROGRESS));
      finish(exchange, reply);
    },
  };
}

/** The stream of a call ends after an event with an id; what a GET with that id gets is the rest. */
function resumable(rest: (exchange: Exchange, reply: Message) => void): () => Fault {
  return () => {
    let pending: Message = {};
    return {
      on: ['tools/call', 'GET'],
      act(exchange) {
        const { request, response } = exchange;
        if (request.method === 'GET') {
          if (request.headers['last-event-id'] === '1') return rest(exchange, pending);
          return void response.writeHead(405).end();
        }
        pending = exchange.answer();
        openStream(response, 'retry: 10\nid: 1\ndata:\n\n');
        response.end();
      },
    };
  };
}

const data = (reply: unknown): string => `data: ${JSON.stringify(reply)}\n\n`;

export const STREAM_FAULTS = {
  sse: stream(frame),
  'data-only': stream(data),
  crlf: stream((reply) => frame(reply).replaceAll('\n', '\r\n')),
  'cr-only': stream((reply) => frame(reply).replaceAll('\n', '\r')),
  comments: stream((reply) => `: hello\n\n:\n\n${frame(PROGRESS)}: keep-alive\n\n${frame(reply)}: bye\n\n`),
  'multi-line-data': stream((reply) => {
    const lines = JSON.stringify(reply, null, 2).split('\n');
    return `event: message\n${lines.map((line) => `data: ${line}\n`).join('')}\n`;
  }),
  'no-space': stream((reply) => `event:message\ndata:${JSON.stringify(reply)}\n\n`),
  'no-blank-line': stream((reply) => frame(reply).trimEnd()),
  'byte-order-mark': stream((reply) => `\uFEFF${frame(reply)}`),
  'ids-and-retry': stream((reply) => `retry: 10\nid: 1\ndata:\n\nid: 2\n${frame(reply)}`),
  'foreign-events': stream((reply) => `event: endpoint\ndata: /x\n\nevent: ping\ndata: {}\n\n${frame(reply)}`),
  'garbage-frames': stream((reply) => `data: not json\n\ndata: 42\n\ndata: {"hello":1}\n\ndata: null\n\n${frame(reply)}`),
  'one-byte-at-a-time': pieces((reply) => [...Buffer.from(frame(reply))].map((byte) => Uint8Array.of(byte))),
  'unknown-reply-first': stream((reply) => frame({ ...reply, id: 999_999 }) + frame(reply)),
  'two-replies': stream((reply) => frame(reply) + frame({ ...reply, result: { content: [{ type: 'text', text: 'second' }] } })),
  'string-id': stream((reply) => frame({ ...reply, id: String(reply.id) })),
  'no-jsonrpc': stream(({ jsonrpc, ...reply }) => frame(reply)),
  'result-and-error': stream((reply) => frame({ ...reply, error: { code: 1, message: 'both' } })),
  'result-is-no-object': stream((reply) => frame({ ...reply, result: 'text' })),
  'batch-stream': stream((reply) => frame([PROGRESS, reply])),
  'batch-json': {
    act({ response, answer }) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify([PROGRESS, answer()]));
    },
  },
  'stays-open': broken(({ response }, reply) => void response.write(frame(reply))),
  'eof-before-reply': broken(({ response }) => void response.end()),
  'empty-stream': {
    act({ response, answer }) {
      answer();
      openStream(response);
      response.end();
    },
  },
  'reset-mid-frame': broken(({ response }, reply) => {
    response.write(frame(reply).slice(0, 30), () => response.destroy());
  }),
  'eof-mid-frame': broken(({ response }, reply) => void response.end(frame(reply).slice(0, 30))),
  'only-keep-alives': {
    async act({ response, answer }) {
      answer();
      openStream(response);
      const end = gone(response);
      while (!response.destroyed) {
        response.write(': still here\n\n');
        await Promise.race([end, wait(20)]);
      }
    },
  },
  'reply-after-cancel': {
    async act({ response, answer }) {
      const reply = answer();
      openStream(response);
      await gone(response);
      response.write(frame(reply));
      response.end();
    },
  },
  'endless-noise': {
    async act({ response, answer }) {
      answer();
      openStream(response);
      const end = gone(response);
      while (!response.destroyed) {
        response.write(`data: ${'x'.repeat(64 * 1024)}`);
        await Promise.race([end, wait(1)]);
      }
    },
  },
  'endless-frames': {
    async act({ response, answer }) {
      answer();
      openStream(response);
      const end = gone(response);
      while (!response.destroyed) {
        response.write(frame({ ...PROGRESS, params: { level: 'info', data: 'x'.repeat(64 * 1024) } }));
        await Promise.race([end, wait(1)]);
      }
    },
  },
  'reply-on-get': {
    act({ response, state, answer }) {
      const reply = answer();
      for (const stream of state.listening) stream.write(frame(reply));
      response.writeHead(202).end();
    },
  },
  /** The listening stream is there; nothing comes on it. */
  'get-open': { on: 'GET', act: ({ response }) => openStream(response) },
  'get-idle-close': {
    on: 'GET',
    async act({ response }) {
      openStream(response);
      await wait(IDLE);
      response.end();
    },
  },
  'get-reset': {
    on: 'GET',
    async act({ response }) {
      openStream(response, 'data: {"jsonrpc"');
      await wait(IDLE);
      response.destroy();
    },
  },
  resumable: resumable(({ response }, reply) => {
    openStream(response, `id: 2\n${frame(reply)}`);
    response.end();
  }),
  'resume-refused': resumable(({ response }) => void response.writeHead(404).end()),
  'resume-brings-nothing': resumable(({ response }) => {
    openStream(response);
    response.end();
  }),
  'resume-hangs': resumable(({ response }) => openStream(response)),
} as const satisfies Record<string, Fault | (() => Fault)>;

export type StreamSwitch = keyof typeof STREAM_FAULTS;
