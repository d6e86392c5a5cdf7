/** The rows that a model may see. */

import type { Catalogue } from './catalogue.ts';
import type { ResourceSettings } from './options.ts';
import type { ResourceRow } from './row.ts';

const visible = new WeakMap<ResourceSettings, WeakMap<Catalogue['rows'], readonly ResourceRow[]>>();

/** The rows that the filter lets through; the same object for the same catalogue. */
export function visibleRows({ rows }: Catalogue, settings: ResourceSettings): readonly ResourceRow[] {
  if (!settings.filters) return rows;
  const known = visible.get(settings) ?? new WeakMap<Catalogue['rows'], readonly ResourceRow[]>();
  visible.set(settings, known);
  const present = known.get(rows) ?? rows.filter(settings.allows);
  known.set(rows, present);
  return present;
}
