/** Loaded into the everything server before its own code: it listens on loopback only, and ends with the demo. */

import { Server } from 'node:net';

const { listen } = Server.prototype;
Server.prototype.listen = function listenOnLoopback(port, ...rest) {
  return listen.call(this, Number(port), '127.0.0.1', ...rest);
};

// The demo holds the other end of this pipe for as long as it lives, however it ends.
process.stdin.on('end', () => process.exit(0)).resume();
