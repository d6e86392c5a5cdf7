/** A relay in front of a TCP server, which a test can cut, silence and mend: a store that is down, or does not answer. */

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

interface Address {
  readonly host: string;
  readonly port: number;
}

export interface Relay extends Address {
  /** `cut` ends and refuses connections, `silent` passes nothing on. */
  mode: 'open' | 'cut' | 'silent';
}

export function listening({ host, port }: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    const end = (there: boolean) => () => {
      socket.destroy();
      resolve(there);
    };
    socket.once('connect', end(true)).once('error', end(false)).setTimeout(2_000, end(false));
  });
}

export async function relayTo(target: Address): Promise<Relay> {
  const sockets = new Set<Socket>();
  let mode: Relay['mode'] = 'open';
  const server = createServer((near) => {
    if (mode === 'cut') return void near.destroy();
    const far = connect(target.port, target.host);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (data) => mode === 'open' && to.write(data));
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const end = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    end();
    server.close();
  });
  return {
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    get mode() {
      return mode;
    },
    set mode(next) {
      mode = next;
      if (next === 'cut') end();
    },
  };
}
