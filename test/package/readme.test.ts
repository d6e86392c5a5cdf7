import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeServer, startFake } from '../support/fake-server.ts';
import { json } from '../support/listen.ts';
import { FILESYSTEM } from '../support/reference.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
// Inside the package, so that the blocks import it by its name as a user does.
const folder = `${root}test/package/readme-blocks-${process.pid}/`;
const readme = await readFile(`${root}README.md`, 'utf8');
const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);

/** What the README leaves to its reader: a model, a token, a user. */
const READER = `
import { plannedModel } from '../../support/model.ts';
export const openai = (_id: string) => plannedModel([{ toolName: 'docs_echo', input: { a: 1 } }]);
export const token = async (): Promise<string> => 'token-of-the-reader';
export const currentUser = async (_: Request): Promise<{ id: string; token: string }> => ({ id: 'ann', token: 'token-of-ann' });
`;

/** Calls the route handler as a framework would. */
const DRIVER = `
const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'hi' }] }];
const answer = await POST(new Request('http://localhost/', { method: 'POST', body: JSON.stringify({ messages }) }));
if (!(await answer.text()).includes('done')) throw new Error('the handler did not answer');
await provider.close();
`;

function toModule(code: string, url: string): string {
  const body = code
    .replace("import { openai } from '@ai-sdk/openai';\n", '')
    .replaceAll('https://docs.example.com/mcp', url)
    .replace(/import \{ ([^}]*) \} from 'ai';/, (_, names) => `import { ${names} } from 'ai';`);
  const prelude = "import { currentUser, openai, token } from './reader.ts';\nvoid [currentUser, openai, token];\n";
  const ending =
    /createMcpToolSet\(/.test(code) && !code.includes('closeToolSet')
      ? "\nawait (await import('mcp-tool-set')).closeToolSet(tools);\n"
      : '';
  if (code.includes('provider.resources')) return `${prelude}${body}\nawait provider.close();\n`;
  return prelude + body + (code.includes('export async function POST') ? DRIVER : ending);
}

describe('the README', () => {
  let server: FakeServer;
  beforeAll(async () => {
    server = await startFake({
      tools: [{ name: 'echo', annotations: { readOnlyHint: true } }],
      resources: [{ uri: 'docs://handbook', name: 'handbook' }],
      capabilities: { tools: {}, resources: { subscribe: true } },
      intercept({ message }, response) {
        if (!/^resources\/(?:un)?subscribe$/.test(message.method ?? '')) return false;
        json(response, { jsonrpc: '2.0', id: message.id, result: {} });
        return true;
      },
    });
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await writeFile(`${folder}reader.ts`, READER);
    await Promise.all(blocks.map((code, index) => writeFile(`${folder}block-${index}.ts`, toModule(code, server.url))));
    const config = { mcpServers: { docs: { url: server.url }, files: { command: process.execPath, args: [FILESYSTEM, '.'] } } };
    await writeFile(`${folder}mcp.json`, JSON.stringify(config));
    await writeFile(`${folder}tsconfig.json`, JSON.stringify({ extends: '../../../tsconfig.json', include: ['.'], exclude: [] }));
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('has 150 to 450 lines, and code', () => {
    const lines = readme.split('\n').length;
    expect(lines).toBeGreaterThanOrEqual(150);
    expect(lines).toBeLessThanOrEqual(450);
    expect(blocks.length).toBeGreaterThanOrEqual(5);
  });

  it('has every error code in its table', async () => {
    const source = await readFile(`${root}src/errors.ts`, 'utf8');
    const [, union = ''] = /export type McpErrorCode =([\s\S]*?);/.exec(source) ?? [];
    const codes = [...union.matchAll(/'(\w+)'/g)].map(([, code = '']) => code);
    expect(codes.length).toBeGreaterThan(20);
    const table = readme.slice(readme.indexOf('## Errors'), readme.indexOf('## My tools'));
    expect(codes.filter((code) => !table.includes(`\`${code}\``))).toEqual([]);
  });

  it('names only commands that there are', async () => {
    const { scripts } = JSON.parse(await readFile(`${root}package.json`, 'utf8'));
    const commands = [...readme.matchAll(/npm (?:run )?(start|test|[a-z]+:[a-z]+)/g)].map(([, name = '']) => name);
    expect(commands.length).toBeGreaterThan(0);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(commands));
  });

  it('compiles as it stands', async () => {
    const { stdout } = await run('npx', ['tsc', '-p', folder], { cwd: root }).catch((error) => error);
    expect(stdout).toBe('');
  }, 60_000);

  it.each(
    blocks.map((code, index) => [
      code
        .split('\n')
        .find((line) => line.startsWith('const'))
        ?.slice(0, 60),
      index,
    ]),
  )('runs: %s', async (_, index) => {
    const asked = server.requests.length;
    await run(process.execPath, ['--import', 'tsx', `block-${index}.ts`], { cwd: folder });
    const code = blocks[Number(index)] ?? '';
    if (code.includes('docs.example.com') || code.includes('mcp.json')) expect(server.requests.length).toBeGreaterThan(asked);
    expect(server.sessions.size).toBe(0);
  });
});
