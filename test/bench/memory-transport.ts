/** A server in memory behind the `Transport` that all clients take: its reply comes in the next microtask. */

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string };
}

const tools = Array.from({ length: 20 }, (_, index) => ({
  name: `tool_${index}`,
  inputSchema: { type: 'object', properties: {} },
  annotations: { readOnlyHint: true },
}));
const serverInfo = { name: 'memory', version: '1' };

function resultOf({ method, params }: Message): object | undefined {
  if (method === 'tools/call') return { content: [{ type: 'text', text: 'result' }] };
  if (method === 'tools/list') return { tools };
  if (method === 'initialize') return { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo };
  return undefined;
}

export class MemoryTransport {
  // Clients of all makers set these with types of their own.
  onmessage?: ((message: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;

  async start(): Promise<void> {}

  async send(message: object): Promise<void> {
    const { id } = message as Message;
    if (id === undefined) return;
    const result = resultOf(message as Message);
    const reply = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
    queueMicrotask(() => this.onmessage?.({ jsonrpc: '2.0', id, ...reply } as never));
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}
