/** Which way imports run, read from the source. */

import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, sources } from '../support/dist.ts';

/** Low to high. A part is a file, or a folder with everything in it. It may import from lower layers and from itself. */
const LAYERS: readonly (readonly string[])[] = [
  ['types.ts handlers.ts version.ts'],
  ['errors.ts', 'servers.ts'],
  ['report.ts'],
  ['events.ts'],
  ['lib/'],
  ['config/', 'middleware/', 'transports/'],
  ['stores/'],
  ['connection/'],
  ['prompts/', 'resources/', 'tools/'],
  ['api.ts'],
  ['inspect.ts'],
  ['provider/'],
  ['history-tools.ts', 'list-tools.ts', 'provider.ts', 'resource-tools.ts'],
  ['tool-set.ts'],
  ['node/'],
];

/** Nobody imports these. */
const ENTRIES = [
  'index.ts',
  'middleware/index.ts',
  'middleware/tracing.ts',
  'node/index.ts',
  'node/unsupported.ts',
  'stores/index.ts',
];

/** Who may import which package; `node:` stands for all built-ins. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  ai: ['prompts/', 'tools/', 'lib/content/'],
  '@cfworker/json-schema': ['lib/json-schema/'],
  zod: ['config/', 'node/'],
  '@modelcontextprotocol/client': ['transports/', 'connection/', 'node/'],
  '@opentelemetry/api': ['middleware/tracing.ts', 'middleware/tracing/'],
  'eventsource-parser': ['transports/'],
  leven: ['lib/suggest.ts'],
  'lru-cache': ['middleware/shared/text-store.ts', 'resources/read-cache.ts'],
  minisearch: ['resources/search.ts'],
  'strip-json-comments': ['config/'],
  'uri-template-router': ['resources/templates.ts'],
  'cross-spawn': ['node/'],
  'node:': ['node/', 'cli/'],
};

/** Parts that only these others may import, beside themselves. */
const RESERVED: Readonly<Record<string, readonly string[]>> = {
  'config/': ['list-tools.ts', 'provider.ts', 'provider/', 'resource-tools.ts', 'tool-set.ts', 'node/', ...ENTRIES],
  'middleware/': ['stores/', ...ENTRIES],
};

/** Values that the layers above may take from `connection/`; types they may take from anywhere in it. */
const FROM_CONNECTION: Readonly<Record<string, readonly string[]>> = {
  'tools/': ['connection/kept-list.ts', 'connection/pages.ts'],
  'prompts/': ['connection/complete.ts', 'connection/pages.ts'],
  'resources/': ['connection/complete.ts', 'connection/kept-list.ts', 'connection/pages.ts'],
};

const MAX_LINES = 250;

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

const files = sources().map((file) => file.slice('src/'.length));
const imports = files.flatMap(importsOf);
const internal = imports.filter(({ to }) => to.endsWith('.ts'));
const external = imports.filter(({ to }) => !to.endsWith('.ts'));

describe('layers', () => {
  it('every source file has its place in them', () => {
    expect(files.filter((file) => !ENTRIES.includes(file) && rankOf(file) < 0)).toEqual([]);
  });

  it('every place in them is taken', () => {
    const empty = LAYERS.flat(2).flatMap((part) => part.split(' ').filter((one) => !files.some((file) => isIn(file, one))));
    expect([...empty, ...ENTRIES.filter((entry) => !files.includes(entry))]).toEqual([]);
  });

  it('imports run from a higher layer to a lower one, or within one part', () => {
    const wrong = internal.filter(({ from, to }) => {
      if (ENTRIES.includes(from) && !from.startsWith('middleware/')) return false;
      return partOf(from) !== partOf(to) && rankOf(to) >= rankOf(from);
    });
    expect(wrong).toEqual([]);
  });

  it('nobody imports an entry', () => {
    expect(internal.filter(({ to }) => ENTRIES.includes(to))).toEqual([]);
  });

  it('what is checked on entry is checked there alone, and no layer knows a middleware', () => {
    const wrong = internal.filter(({ from, to }) => {
      const part = Object.keys(RESERVED).find((one) => isIn(to, one));
      return part !== undefined && !isIn(from, part) && !RESERVED[part]?.some((one) => isIn(from, one));
    });
    expect(wrong).toEqual([]);
  });

  it('tools and resources take the shape of a connection, not its making', () => {
    const wrong = internal.filter(({ from, to, typeOnly }) => {
      const part = Object.keys(FROM_CONNECTION).find((one) => isIn(from, one));
      return part !== undefined && isIn(to, 'connection/') && !typeOnly && !FROM_CONNECTION[part]?.includes(to);
    });
    expect(wrong).toEqual([]);
  });

  it('each package is imported only where it belongs: Node built-ins in node/ alone', () => {
    const wrong = external.filter(({ from, to }) => !PACKAGES[packageOf(to)]?.some((part) => isIn(from, part)));
    expect(wrong).toEqual([]);
    expect(Object.keys(PACKAGES).filter((name) => !external.some(({ to }) => packageOf(to) === name))).toEqual([]);
  });

  it(`no file is longer than ${MAX_LINES} lines`, () => {
    const lengths = files.map((file) => [file, read(file).split('\n').length - 1] as const);
    expect(lengths.filter(([, lines]) => lines > MAX_LINES)).toEqual([]);
  });
});

function read(file: string): string {
  return readFileSync(`${ROOT}src/${file}`, 'utf8');
}

function importsOf(file: string): Import[] {
  const code = read(file).replace(/^\s*(?:\/\*|\*|\/\/).*$/gm, '');
  const statements = code.matchAll(/^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)';$/gm);
  const dynamic = code.matchAll(/\bimport()\(\s*'([^']+)'\s*\)/g);
  return [...statements, ...dynamic].map(([, type, target = '']) => ({
    from: file,
    to: target.startsWith('.') ? posix.join(posix.dirname(file), target) : target,
    typeOnly: type !== undefined && type !== '',
  }));
}

function packageOf(target: string): string {
  if (target.startsWith('node:')) return 'node:';
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');
}

function isIn(file: string, part: string): boolean {
  return part.endsWith('/') ? file.startsWith(part) : file === part;
}

function partOf(file: string): string | undefined {
  return LAYERS.flat().find((part) => part.split(' ').some((one) => isIn(file, one)));
}

function rankOf(file: string): number {
  return LAYERS.findIndex((parts) => parts.some((part) => part.split(' ').some((one) => isIn(file, one))));
}
