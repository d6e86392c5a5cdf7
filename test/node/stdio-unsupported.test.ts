/** What edge runtimes get in place of `mcp-tool-set/node`. */

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { loadMcpConfig, stdio } from '../../src/node/unsupported.ts';
import { failure } from './support.ts';

describe('the edge stub', () => {
  it('J2 says on the call, not on the import, what to use instead', async () => {
    const error = await failure((async () => stdio({ command: 'npx' }))());
    expect(error).toMatchObject({ code: 'runtime_unsupported' });
    expect(error.message).toMatch(/child process.*HTTP/);
    expect(await failure(loadMcpConfig('mcp.json'))).toMatchObject({ code: 'runtime_unsupported' });
  });

  it('J4 reaches no Node built-in and no package', async () => {
    const entryPoints = [fileURLToPath(new URL('../../src/node/unsupported.ts', import.meta.url))];
    const { metafile } = await build({
      entryPoints,
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      packages: 'external',
    });
    expect(Object.keys(metafile.inputs).sort()).toEqual(['src/errors.ts', 'src/node/unsupported.ts']);
    expect(Object.values(metafile.outputs)[0]?.imports).toEqual([]);
  });
});
