/** A client of the server that speaks Upstash's protocol. */

import { Redis } from '@upstash/redis';

export const TOKEN = 'token-of-the-test';

/** It does not try again. */
export function upstash({ port }: { readonly port: number }): Redis {
  return new Redis({ url: `http://127.0.0.1:${port}`, token: TOKEN, retry: false, enableTelemetry: false });
}
