/** Bundles code as an edge platform's tooling does: no Node built-ins to fall back on. */

import { gzipSync } from 'node:zlib';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { ROOT } from './dist.ts';

export interface Bundle {
  readonly text: string;
  /** Files that went in, relative to the package's folder, with the bytes that they take in the output. */
  readonly inputs: Metafile['outputs'][string]['inputs'];
  /** What was left to be imported at run time. */
  readonly imports: readonly string[];
}

/** Fails on an import that these conditions do not give: esbuild knows no `node:` module for a browser. */
export async function bundleForEdge(options: BuildOptions): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
    logLevel: 'silent',
    absWorkingDir: ROOT,
    outdir: 'unused',
    ...options,
    metafile: true,
    write: false,
  });
  const [output] = Object.values(metafile.outputs);
  return {
    text: outputFiles?.[0]?.text ?? '',
    inputs: output?.inputs ?? {},
    imports: (output?.imports ?? []).map(({ path }) => path),
  };
}

/** In bytes. */
export function sizeOf(text: string): { min: number; gzip: number } {
  return { min: Buffer.byteLength(text), gzip: gzipSync(text, { level: 9 }).byteLength };
}
