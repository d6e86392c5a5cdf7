/** What each entry point gives its users, read from the built package. */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_INFO } from '../../src/version.ts';
import { entryFile, manifest, ROOT, requireBuild } from '../support/dist.ts';

const ENTRIES: Readonly<Record<string, { source: string; values: string[]; types: string[] }>> = {
  '.': {
    source: 'src/index.ts',
    values: [
      'McpToolSetError',
      'closeToolSet',
      'createMcpToolProvider',
      'createMcpToolSet',
      'historyTools',
      'inspectToolSet',
      'listMcpTools',
      'mcpApproval',
      'parseMcpConfig',
      'resourceTools',
      'toParts',
      'wrapToolSet',
    ],
    types: ['ai'],
  },
  './middleware': {
    source: 'src/middleware/index.ts',
    values: [
      'approval',
      'cache',
      'circuitBreaker',
      'limitOutput',
      'lockOf',
      'log',
      'memoryStore',
      'meta',
      'pin',
      'rateLimit',
      'readOnly',
      'retry',
      'timeout',
    ],
    types: [],
  },
  './tracing': { source: 'src/middleware/tracing.ts', values: ['tracing'], types: ['@opentelemetry/api'] },
  './stores': { source: 'src/stores/index.ts', values: ['rateLimiterFlexible', 'redisStore', 'upstashLimiter'], types: [] },
  './node': { source: 'src/node/index.ts', values: ['loadMcpConfig', 'stdio'], types: [] },
};

const EDGE_CONDITIONS = ['workerd', 'edge-light', 'worker', 'browser'];

beforeAll(requireBuild);

describe('entry points', () => {
  it('package.json exports these and its own manifest, nothing else', () => {
    expect(Object.keys(manifest.exports)).toEqual([...Object.keys(ENTRIES), './package.json']);
  });

  it.each(Object.entries(ENTRIES))('%s gives exactly its names', async (entry, { values }) => {
    expect(await run(`console.log(JSON.stringify(Object.keys(await import('${specifier(entry)}')).sort()))`)).toEqual(values);
  });

  it.each(Object.entries(ENTRIES))('%s lists its names one by one', (_, { source }) => {
    expect(readFileSync(ROOT + source, 'utf8')).not.toMatch(/export\s+(?:type\s+)?\*/);
  });

  it.each(Object.entries(ENTRIES))('%s shows no type of zod or of the MCP SDK', (entry, { types }) => {
    const { files, packages } = declarations(entryFile(entry, 'types'));
    expect(files.length).toBeGreaterThan(1);
    expect(packages).toEqual(types);
  });

  it.each(EDGE_CONDITIONS)(
    './node under the condition "%s" has the same names, which say what to do instead',
    async (condition) => {
      const program = `
      const { stdio, loadMcpConfig, ...rest } = await import('mcp-tool-set/node');
      const failures = [];
      try { stdio({ command: 'x' }) } catch (error) { failures.push(error.code, error.message) }
      await loadMcpConfig('mcp.json').catch((error) => failures.push(error.code, error.message));
      console.log(JSON.stringify({ failures, rest: Object.keys(rest) }));`;
      expect(await run(program, `--conditions=${condition}`)).toEqual({
        failures: [
          'runtime_unsupported',
          expect.stringContaining('Reach the server over HTTP'),
          'runtime_unsupported',
          expect.stringContaining('parseMcpConfig()'),
        ],
        rest: [],
      });
    },
  );

  it('servers are told the version that package.json has', () => {
    expect(CLIENT_INFO).toEqual({ name: 'mcp-tool-set', version: manifest.version });
  });
});

function specifier(entry: string): string {
  return entry.replace(/^\./, 'mcp-tool-set');
}

/** Runs a module of the package's own folder, where its name means itself, and reads the JSON that it prints. */
async function run(program: string, ...flags: string[]): Promise<unknown> {
  const args = [...flags, '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  return JSON.parse(stdout);
}

/** Every declaration file that one reaches, and the packages that they import. */
function declarations(entry: string): { files: string[]; packages: string[] } {
  const files = new Set([entry]);
  const packages = new Set<string>();
  for (const file of files) {
    const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
    for (const [, target = ''] of text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)) {
      if (target.startsWith('.')) files.add(resolve(dirname(file), target.replace(/\.[jt]s$/, '.d.ts')));
      else packages.add(target);
    }
  }
  return { files: [...files].map((file) => relative(ROOT, file)), packages: [...packages].sort() };
}
