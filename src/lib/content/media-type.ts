/** What a model can do with bytes of a media type. */

const TEXT_TYPES = new Set([
  'application/ecmascript',
  'application/graphql',
  'application/javascript',
  'application/json',
  'application/jsonl',
  'application/ld+json',
  'application/sql',
  'application/toml',
  'application/typescript',
  'application/x-javascript',
  'application/x-ndjson',
  'application/x-sh',
  'application/x-www-form-urlencoded',
  'application/x-yaml',
  'application/xml',
  'application/yaml',
]);

export interface MediaType {
  /** `type/subtype` in lower case. */
  readonly name: string;
  readonly charset?: string;
  /** `file`: as it is. `text`: decoded. `opaque`: as it is where the application says that its model takes it. */
  readonly kind: 'file' | 'text' | 'opaque';
}

/** Reads a media type; what is missing or malformed is `application/octet-stream`. */
export function readMediaType(raw: unknown): MediaType {
  const [essence = '', ...parameters] = typeof raw === 'string' ? raw.split(';') : [];
  const name = essence.trim().toLowerCase();
  if (!/^[a-z]+\/[a-z0-9.+_-]+$/.test(name)) return { name: 'application/octet-stream', kind: 'opaque' };
  // An SVG is XML, and no model takes it as an image.
  if (/^text\/|\+(?:json|xml|yaml)$/.test(name) || TEXT_TYPES.has(name)) {
    const charset = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/i.exec(parameter)?.[1]).find(Boolean);
    return charset === undefined ? { name, kind: 'text' } : { name, charset, kind: 'text' };
  }
  return { name, kind: /^(?:image|audio)\/|^application\/pdf$/.test(name) ? 'file' : 'opaque' };
}
