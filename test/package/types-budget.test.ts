/** What typed tools cost the compiler. */

import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';

const folder = fileURLToPath(new URL(`types-budget-${process.pid}/`, import.meta.url));
const TOOLS = 100;
/** Milliseconds, of which most is the AI SDK's own. */
const BUDGET = 30_000;

afterAll(() => rm(folder, { recursive: true, force: true }));

it(
  `O2 a record of ${TOOLS} typed tools of both Zod majors compiles within its budget`,
  async () => {
    const field = (z: string, depth: number): string =>
      depth === 0
        ? `${z}.union([${z}.string(), ${z}.number()])`
        : `${z}.object({ a: ${field(z, depth - 1)}, b: ${z}.array(${z}.string()).optional() })`;
    const schemas = Array.from({ length: TOOLS }, (_, index) => {
      const z = index % 2 === 0 ? 'z4' : 'z3';
      return `s_t${index}: { input: ${field(z, 6)}, output: ${field(z, 4)} },`;
    });
    const code = `
    import { generateText, streamText, type LanguageModel } from 'ai';
    import * as z4 from 'zod';
    import * as z3 from 'zod/v3';
    import { createMcpToolSet } from '../../../src/index.ts';
    declare const model: LanguageModel;
    const tools = await createMcpToolSet({ servers: {}, schemas: { ${schemas.join('\n')} } });
    const { toolCalls, toolResults } = await generateText({ model, tools, prompt: 'go' });
    for (const call of toolCalls) if (!call.dynamic && call.toolName === 's_t7') call.input.a.b satisfies string[] | undefined;
    for (const result of toolResults) if (!result.dynamic && result.toolName === 's_t7') result.output.structuredContent.b satisfies string[] | undefined;
    streamText({ model, tools, prompt: 'go' });
  `;
    await mkdir(folder, { recursive: true });
    await writeFile(`${folder}many.ts`, code);
    await writeFile(
      `${folder}tsconfig.json`,
      JSON.stringify({ extends: '../../../tsconfig.json', include: ['many.ts'], exclude: [] }),
    );
    const { stdout } = await promisify(execFile)('npx', ['tsc', '-p', folder], { timeout: BUDGET }).catch((error) => error);
    expect(stdout).toBe('');
  },
  BUDGET * 2,
);
