/** One resource or template, as a row for the model. */

/**
 * A resource (`uri`) or template (`uriTemplate`). Keys and their order are those of langchain4j's resources-as-tools, with what else the
 * server says after them; what it does not say is left out.
 */
export interface ResourceRow {
  readonly mcpServer: string;
  readonly uri?: string | undefined;
  readonly uriTemplate?: string | undefined;
  readonly name: string;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly title?: string | undefined;
  /** Bytes. */
  readonly size?: number | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

const MAX_URI = 4_000;

/** Reads an entry leniently: what has no URI cannot be read and is no row; what has no name goes by its URI. */
export function readRow(entry: unknown, mcpServer: string): ResourceRow | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const { uri, uriTemplate, name, description, mimeType, title, size, annotations } = entry as Record<string, unknown>;
  const place = text(uri) ?? text(uriTemplate);
  // A longer one would fill a model's page by itself, and be copied with mistakes.
  if (place === undefined || place.length > MAX_URI) return undefined;
  const row = {
    mcpServer,
    uri: text(uri),
    uriTemplate: text(uri) === undefined ? text(uriTemplate) : undefined,
    name: text(name) ?? place,
    description: text(description),
    mimeType: text(mimeType),
    title: text(title),
    size: typeof size === 'number' ? size : undefined,
    annotations: typeof annotations === 'object' && annotations !== null ? annotations : undefined,
  };
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as unknown as ResourceRow;
}

/** The URI, or the template of it. */
export function placeOf({ uri, uriTemplate }: ResourceRow): string {
  return uri ?? uriTemplate ?? '';
}

/** Resources first, then templates, each by code unit: an order that stays when rows come and go. */
export function compareRows(a: ResourceRow, b: ResourceRow): number {
  if ((a.uri === undefined) !== (b.uri === undefined)) return a.uri === undefined ? 1 : -1;
  const [one, other] = [placeOf(a), placeOf(b)];
  return one < other ? -1 : one > other ? 1 : 0;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
