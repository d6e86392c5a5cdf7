/** Tells from what a `fetch` rejected with whether the request can have reached the server. */

const UNREACHED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EAI_NODATA',
  'EAI_NONAME',
  'EADDRNOTAVAIL',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'EPROTO',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'CERT_REJECTED',
  'CERT_CHAIN_TOO_LONG',
  'CERT_SIGNATURE_FAILURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'ConnectionRefused',
  'FailedToOpenSocket',
]);

const UNREACHED_PREFIX = /^(?:ERR_TLS_|ERR_SSL_|UNABLE_TO_)/;

/** Where no code is given: undici's refusals before it connects, a TLS handshake that was cut off, Deno's connector. */
const UNREACHED_TEXT =
  /^(?:bad port|unknown scheme|invalid url|URL scheme must be)|before secure TLS connection|client error \(Connect\)/i;

/** Whether the failure is one of connecting. Whatever is not known to be, may have happened after the request was sent. */
export function isUnreached(error: unknown): boolean {
  return chain(error).some((link) => {
    const code = codeOf(link);
    if (code !== undefined && (UNREACHED.has(code) || UNREACHED_PREFIX.test(code))) return true;
    // A reset or a time-out of the connecting itself carries the name of that system call.
    if ('syscall' in link && link.syscall === 'connect') return true;
    return 'message' in link && typeof link.message === 'string' && UNREACHED_TEXT.test(link.message);
  });
}

/** The codes along the chain of causes, outermost first. */
export function networkCodes(error: unknown): readonly string[] {
  return chain(error).flatMap((link) => codeOf(link) ?? []);
}

function codeOf(link: object): string | undefined {
  return 'code' in link && typeof link.code === 'string' ? link.code : undefined;
}

/** The error, its causes, and the members of aggregates among them; each once, so that a circle ends. */
function chain(error: unknown): readonly object[] {
  const links = new Set<object>();
  const waiting: unknown[] = [error];
  while (waiting.length > 0) {
    const link = waiting.shift();
    if (typeof link !== 'object' || link === null || links.has(link)) continue;
    links.add(link);
    if ('cause' in link) waiting.push(link.cause);
    if ('errors' in link && Array.isArray(link.errors)) waiting.push(...link.errors);
  }
  return [...links];
}
