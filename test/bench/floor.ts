/** The floor: the least that a client can do over `fetch`, with nothing checked. */

import type { Session, Subject } from './subjects.ts';

const LEGACY = '2025-11-25';
const MODERN = '2026-07-28';
const clientInfo = { name: 'bench', version: '1' };
const envelope = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
};

class FloorClient {
  readonly #url: string;
  readonly #modern: boolean;
  #session: string | undefined;
  #id = 0;

  constructor(url: string) {
    this.#url = url;
    this.#modern = url.includes('/modern/');
  }

  async request(method: string, params: object, notification = false): Promise<Record<string, unknown>> {
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': this.#modern ? MODERN : LEGACY,
    };
    if (this.#session !== undefined) headers['mcp-session-id'] = this.#session;
    const id = notification ? undefined : ++this.#id;
    const sent = this.#modern ? { ...params, _meta: envelope } : params;
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: sent });
    const response = await fetch(this.#url, { method: 'POST', headers, body });
    if (method === 'initialize') this.#session = response.headers.get('mcp-session-id') ?? undefined;
    const text = await response.text();
    if (text === '') return {};
    const start = text.startsWith('{') ? 0 : text.indexOf('data: ') + 6;
    return JSON.parse(start === 0 ? text : text.slice(start, text.indexOf('\n', start))).result;
  }

  async connect(): Promise<void> {
    if (this.#modern) return void (await this.request('tools/list', {}));
    await this.request('initialize', { protocolVersion: LEGACY, capabilities: {}, clientInfo });
    await Promise.all([this.request('notifications/initialized', {}, true), this.request('tools/list', {})]);
  }

  async close(): Promise<void> {
    if (this.#session === undefined) return;
    const response = await fetch(this.#url, { method: 'DELETE', headers: { 'mcp-session-id': this.#session } });
    await response.text();
  }
}

export const floor: Subject = {
  name: 'floor (bare fetch)',
  async open(urls): Promise<Session> {
    const clients = urls.map((url) => new FloorClient(url));
    await Promise.all(clients.map((client) => client.connect()));
    return {
      call: (input) => clients[0]!.request('tools/call', { name: 'tool_1', arguments: input }),
      close: async () => void (await Promise.all(clients.map((client) => client.close()))),
    };
  },
};
