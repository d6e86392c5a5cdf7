/** What makes a URL or a set of headers unusable, told without showing any of it. */

import type { HeadersInput } from '../servers.ts';

/** What is wrong with the address of an HTTP server, or nothing. */
export function urlProblem(url: string | URL): string | undefined {
  const text = String(url);
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    if (/^wss?:/i.test(text)) return 'is a WebSocket address; pass an SDK WebSocketClientTransport through `transport` instead.';
    return 'must be a full http:// or https:// URL, such as "https://docs.example.com/mcp".';
  }
  if (parsed.username === '' && parsed.password === '') return undefined;
  return 'has a user name or password in it, which fetch refuses; send them in an `authorization` header instead.';
}

/** What is wrong with headers, or nothing. The platform decides; its own message would show the value. */
export function headersProblem(headers: HeadersInput): string | undefined {
  try {
    new Headers(headers);
    return undefined;
  } catch {
    return 'cannot be sent: a name has a character that is not allowed, or a value has a line break or a character outside Latin-1.';
  }
}
