/** Decides whether a failed request may be sent once more: only what was surely not executed, or changes nothing. */

import type { McpToolSetError } from '../errors.ts';
import { isRead } from '../lib/methods.ts';
import type { Link } from './link.ts';

/** `overtook`: the request was sent before the server had taken `notifications/initialized`. */
export function mayReplay(failure: McpToolSetError, method: string, link: Link, overtook: boolean): boolean {
  switch (failure.code) {
    case 'session_expired':
      // A 404 says by itself that nothing was executed; words only sound like it.
      return link.replaceable && (failure.data.status !== 400 || isRead(method));
    case 'unavailable':
      // The connection was found dead, or dying, before anything was written to it.
      return link.replaceable && isGone(link);
    case 'outcome_unknown':
      return link.replaceable && isRead(method);
    case 'protocol_error':
    case 'http_error':
      return (overtook || isOfOtherEra(failure, link)) && isRead(method);
    default:
      return false;
  }
}

/** A child that has exited is gone before its pipes say so, which is when the link is dead. */
export function isGone(link: Link): boolean {
  return link.dead || link.lost !== undefined;
}

/** A modern connection is remembered and costs no handshake; behind its URL there may be a legacy server by now, which refuses it so. */
export function isOfOtherEra({ code, data }: McpToolSetError, link: Link): boolean {
  const { status } = data;
  return link.facts.era === 'modern' && code === 'http_error' && typeof status === 'number' && status >= 400 && status < 500;
}
