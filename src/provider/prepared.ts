/** What the records of one snapshot have in common, made once: the snapshot, the AI SDK's part of each tool, the report. */

import type { ServerStatus } from '../report.ts';
import { type AiToolTemplate, toAiTemplate } from '../tools/ai-tool.ts';
import { type Offer, statusOf } from './offers.ts';
import type { Snapshot } from './snapshot.ts';

export interface Prepared {
  readonly offers: readonly Offer[];
  readonly tools: readonly AiToolTemplate[];
  readonly servers: Readonly<Record<string, ServerStatus>>;
  readonly notes: Snapshot['notes'];
}

export function prepare(snapshot: Snapshot, offers: readonly Offer[]): Prepared {
  return {
    offers,
    tools: snapshot.tools.map((tool, index) => toAiTemplate(tool, snapshot.schemas[index])),
    servers: Object.freeze(Object.fromEntries(offers.map((offer) => [offer.server, statusOf(offer, snapshot.tools)]))),
    notes: snapshot.notes,
  };
}

/** Remembers the latest of each principal, as long as nothing has changed. */
export interface PreparedCache {
  /** What was made of the same offers under the same settings. */
  find(principalId: string | undefined, version: number, offers: readonly Offer[]): Prepared | undefined;
  keep(principalId: string | undefined, version: number, prepared: Prepared): void;
  forget(principalId: string): void;
}

export function createPreparedCache(limit: number): PreparedCache {
  // A Map iterates in insertion order, so the first is the oldest.
  const entries = new Map<string | undefined, { readonly version: number; readonly prepared: Prepared }>();
  return {
    find(principalId, version, offers) {
      const entry = entries.get(principalId);
      const same = entry !== undefined && entry.version === version && areSame(entry.prepared.offers, offers);
      return same ? entry.prepared : undefined;
    },
    keep(principalId, version, prepared) {
      entries.delete(principalId);
      entries.set(principalId, { version, prepared });
      for (const oldest of entries.keys()) {
        if (entries.size <= limit) return;
        entries.delete(oldest);
      }
    },
    forget: (principalId) => void entries.delete(principalId),
  };
}

function areSame(before: readonly Offer[], now: readonly Offer[]): boolean {
  if (before.length !== now.length) return false;
  for (let index = 0; index < now.length; index++) {
    const [a, b] = [before[index], now[index]];
    if (a?.listing !== b?.listing || a?.source !== b?.source || a?.error !== b?.error || a?.config !== b?.config) return false;
  }
  return true;
}
