import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { closeToolSet, createMcpToolProvider, createMcpToolSet, inspectToolSet, McpToolSetError } from '../../src/index.ts';
import { readOnly } from '../../src/middleware/index.ts';
import { stdio } from '../../src/node/stdio.ts';
import { toolSet } from '../support/fixtures.ts';
import { executeOptions } from '../support/model.ts';
import { EVERYTHING } from '../support/reference.ts';

const coded = (code: string) => expect.toSatisfy((error) => McpToolSetError.is(error) && error.code === code);

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A child that tells its pid on stderr before it does anything else. */
function telling(code: string, pids: number[]) {
  return stdio({
    command: process.execPath,
    args: ['--input-type=module', '-e', `process.stderr.write(process.pid + '\\n');\n${code}`],
    onStderr: (line) => void (/^\d+$/.test(line) && pids.push(Number(line))),
  });
}

/**
 * The code of a small server; `answer` is what it does with `method`, `params` and `id`, by `send(message)` and `reply(result)`. A text
 * goes out as it is, for replies that no JSON.stringify would make.
 */
function serving(answer: string, state = ''): string {
  return `
    ${state}
    const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
    process.stdin.on('data', (chunk) => {
      for (const line of String(chunk).trim().split('\\n')) {
        const { id, method, params } = JSON.parse(line);
        const reply = (result) => console.log('{"jsonrpc":"2.0","id":' + id + ',"result":' + (typeof result === 'string' ? result : JSON.stringify(result)) + '}');
        const capabilities = { tools: { listChanged: true } };
        if (method === 'initialize') reply({ protocolVersion: params.protocolVersion, capabilities, serverInfo: { name: 'x', version: '1' } });
        ${answer}
      }
    });`;
}

describe('a set with child processes', () => {
  it('TNX-06 an aborted load leaves no process of a server that hangs', async () => {
    const pids: number[] = [];
    const controller = new AbortController();
    const load = createMcpToolSet({ servers: { hung: telling('setInterval(() => {}, 1000)', pids) }, signal: controller.signal });
    await expect.poll(() => pids).toHaveLength(1);
    controller.abort();
    await expect(load).rejects.toThrow(coded('aborted'));
    expect(pids.filter(alive)).toEqual([]);
  });

  it('closing while a child connects resolves when the child is gone', async () => {
    const pids: number[] = [];
    const provider = createMcpToolProvider({ servers: { hung: telling('setInterval(() => {}, 1000)', pids) }, onWarning: false });
    const waiting = provider.tools().catch((error) => error.code);
    await expect.poll(() => pids).toHaveLength(1);
    await provider.close();
    expect(pids.filter(alive)).toEqual([]);
    expect(await waiting).toBe('closed');
  });

  it.each(['[1]', '"text"', 'null', 'false'])('a reply whose result is %s ends its call at once', async (result) => {
    const code = serving(`
        if (method === 'tools/list') reply('{"tools":[{"name":"odd","inputSchema":{"type":"object"}}]}');
        if (method === 'tools/call') reply(${JSON.stringify(result)});`);
    const tools = await toolSet({ servers: { s: telling(code, []) } });
    await expect(tools.s_odd?.execute?.({}, executeOptions())).rejects.toThrow(/no JSON-RPC/);
  });

  it('L5 what a child was started with is nowhere in the error of its start', async () => {
    const server = stdio({ command: '/no/such/command', args: ['--key=sentinel-argument'], env: { TOKEN: 'sentinel-variable' } });
    const error = await createMcpToolSet({ servers: { s: server }, onServerError: 'throw', onWarning: false }).catch(
      (reason) => reason,
    );
    expect(error.code).toBe('unavailable');
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('sentinel');
  });

  it('N8 I3 a call after `list_changed` is judged on the list as it is now', async () => {
    const code = serving(
      `
        const tool = (name) => ({ name, inputSchema: { type: 'object' }, annotations: { readOnlyHint: calls === 0 } });
        if (method === 'tools/list') send({ id, result: { tools: calls === 0 ? [tool('a'), tool('b')] : [tool('a')] } });
        if (method === 'tools/call') {
          calls++;
          send({ method: 'notifications/tools/list_changed' });
          send({ id, result: { content: [{ type: 'text', text: 'call ' + calls }] } });
        }`,
      'let calls = 0;',
    );
    const tools = await toolSet({ servers: { s: telling(code, []) }, middleware: [readOnly()] });
    expect(Object.keys(tools)).toEqual(['s_a', 's_b']);
    expect(await tools.s_a?.execute?.({}, executeOptions())).toMatchObject({ content: [{ text: 'call 1' }] });
    await expect(tools.s_a?.execute?.({}, executeOptions())).rejects.toThrow(coded('not_allowed'));
    await expect(tools.s_b?.execute?.({}, executeOptions())).rejects.toThrow(coded('tool_not_found'));
  });

  it('a reply that comes after its call was given up is not printed', async () => {
    const told: string[] = [];
    const code = serving(`
        if (method === 'tools/list') reply({ tools: [{ name: 'late', inputSchema: { type: 'object' } }] });
        if (method === 'tools/call') setTimeout(() => reply({ content: [{ type: 'text', text: 'sentinel-late' }] }), 300);`);
    const server = { ...telling(code, []), timeouts: { request: 100 } };
    const tools = await toolSet({ servers: { s: server }, onWarning: ({ message }) => told.push(message) });
    await expect(tools.s_late?.execute?.({}, executeOptions())).rejects.toThrow(coded('timeout'));
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(told).toEqual([]);
  });

  it('A5 A10 twenty first calls at once start one child, and closing leaves none', async () => {
    const pids: number[] = [];
    const provider = createMcpToolProvider({
      servers: { every: telling(`process.argv[2] = 'stdio'; await import(${JSON.stringify(EVERYTHING)})`, pids) },
      onWarning: false,
    });
    const records = await Promise.all(
      Array.from({ length: 20 }, (_, index) => provider.tools({ principal: { id: `user-${index % 2}` } })),
    );
    await Promise.all(records.map((tools) => tools.every_echo?.execute?.({ message: 'x' }, executeOptions())));
    expect(pids).toHaveLength(1);
    expect(pids.filter(alive)).toHaveLength(1);
    await provider.close();
    expect(pids.filter(alive)).toEqual([]);
  });

  it('A17 a child that is silent for longer than a request may take is waited for, and started once', async () => {
    const pids: number[] = [];
    const code = `
      const input = [];
      const keep = (chunk) => input.push(chunk);
      process.stdin.on('data', keep);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      process.stdin.off('data', keep);
      ${serving("if (method === 'tools/list') reply({ tools: [{ name: 'late', inputSchema: { type: 'object' } }] });")}
      for (const chunk of input) process.stdin.emit('data', chunk);`;
    const provider = createMcpToolProvider({
      servers: { cold: { ...telling(code, pids), timeouts: { connect: 15_000, request: 300 } } },
      onWarning: false,
    });
    const records = await Promise.all([provider.tools(), provider.tools(), provider.tools({ principal: { id: 'other' } })]);
    for (const tools of records) expect(tools).toHaveProperty('cold_late');
    expect(pids).toHaveLength(1);
    await provider.close();
    expect(pids.filter(alive)).toEqual([]);
  });

  it('A17 a start that takes longer than the connect budget says which one to raise', async () => {
    const pids: number[] = [];
    const server = { ...telling('setInterval(() => {}, 1000)', pids), timeouts: { connect: 1_000 } };
    const error = await createMcpToolSet({ servers: { cold: server }, onServerError: 'throw', onWarning: false }).catch(
      (reason) => reason,
    );
    expect(error).toMatchObject({ code: 'timeout', server: 'cold' });
    expect(error.message).toContain('timeouts.connect');
    expect(pids).toHaveLength(1);
    await expect.poll(() => pids.filter(alive)).toEqual([]);
  });

  it('A19 noise on stdout costs nothing, and is warned of once', async () => {
    const told: string[] = [];
    const code = serving(
      `console.log('DEBUG ' + method);
        if (method === 'tools/list') reply({ tools: [{ name: 'loud', inputSchema: { type: 'object' } }] });
        if (method === 'tools/call') reply({ content: [{ type: 'text', text: 'heard' }] });`,
      `console.log('Starting…\\n{\\n  "port": 1\\n}\\n\\u001b[32mready\\u001b[0m');`,
    );
    const tools = await toolSet({ servers: { s: telling(code, []) }, onWarning: ({ message }) => told.push(message) });
    for (let call = 0; call < 3; call++) {
      expect(await tools.s_loud?.execute?.({}, executeOptions())).toMatchObject({ content: [{ text: 'heard' }] });
    }
    expect(told.filter((message) => message.includes('stdout'))).toHaveLength(1);
    expect(told[0]).toMatch(/"s".*stdout.*stderr/);
  });

  it('A18 a child that died is started again by the next call', async () => {
    const pids: number[] = [];
    const tools = await toolSet({
      servers: { every: telling(`process.argv[2] = 'stdio'; await import(${JSON.stringify(EVERYTHING)})`, pids) },
    });
    process.kill(pids[0] ?? 0, 'SIGKILL');
    await expect.poll(() => pids.filter(alive)).toEqual([]);
    expect(await tools.every_echo?.execute?.({ message: 'again' }, executeOptions())).toMatchObject({
      content: [{ text: 'Echo: again' }],
    });
    expect(pids).toHaveLength(2);
  });

  it('A23 a call that its child does not survive ends at once, with the exit code and the last words', async () => {
    const code = serving(`
        if (method === 'tools/list') reply({ tools: [{ name: 'die', inputSchema: { type: 'object' } }] });
        if (method === 'tools/call') { console.error('out of luck'); process.exit(7); }`);
    const tools = await toolSet({ servers: { s: telling(code, []) } });
    await expect(tools.s_die?.execute?.({}, executeOptions())).rejects.toMatchObject({
      code: 'outcome_unknown',
      server: 's',
      tool: 'die',
      data: { exitCode: 7 },
      message: expect.stringContaining('out of luck'),
    });
  });

  it('speaks the modern era over stdio where it is pinned, and the legacy one otherwise', async () => {
    const server = (protocol?: string) =>
      stdio({ command: process.execPath, args: [new URL('./fixtures/modern-server.mjs', import.meta.url).pathname], protocol });
    const tools = await toolSet({ servers: { modern: server('2026-07-28'), legacy: server() } });
    expect(inspectToolSet(tools).servers).toMatchObject({ modern: { era: 'modern' }, legacy: { era: 'legacy' } });
    expect(await tools.modern_hi?.execute?.({}, executeOptions())).toMatchObject({ content: [{ text: 'hi' }] });
    await closeToolSet(tools);
  });
});
