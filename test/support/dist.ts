/** The built package, for tests that look at what users get. `npm test` builds it before the suite runs. */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url));

interface Manifest {
  readonly version: string;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

export const manifest: Manifest = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));

/** Throws, with what to do, where `dist` is missing or older than `src`. */
export function requireBuild(): void {
  const built = statSync(`${ROOT}dist/index.js`, { throwIfNoEntry: false })?.mtimeMs;
  if (built === undefined) throw new Error('dist/ is missing: run `npm run build` first (`npm test` does).');
  const newer = sources().find((file) => statSync(ROOT + file).mtimeMs > built);
  if (newer !== undefined) throw new Error(`dist/ is older than ${newer}: run \`npm run build\` first (\`npm test\` does).`);
}

/** Every source file, as `src/…`. */
export function sources(): string[] {
  return readdirSync(`${ROOT}src`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `src/${file.replaceAll('\\', '/')}`)
    .sort();
}

/** An entry of package.json's `exports`, under one condition: `./dist/…`. */
export function entryFile(entry: string, condition: 'types' | 'default'): string {
  const target = manifest.exports[entry];
  const file = typeof target === 'object' ? target[condition] : undefined;
  if (file === undefined) throw new Error(`package.json has no "${condition}" for "${entry}"`);
  return ROOT + file.replace('./', '');
}
