/** The examples do what they say, say nothing else, and leave nothing behind. */

import { describe, expect, it as test } from 'vitest';
import { json, listen } from '../support/listen.ts';
import { hasSdkV1, sdkV1LeftOut } from '../support/sdk-v1.ts';
import { CAN_WATCH, type Run, run } from './run.ts';

const SLOW = 90_000;
// Processes of their own do not see the aliases of the other major's run.
const runs = process.env.AI_MAJOR !== '6';
const it = test.skipIf(!runs);

describe('the demo', () => {
  it('answers its default question from three real servers', { timeout: SLOW }, async () => {
    const result = await run('examples/demo.ts');
    expectClean(result, ['server-everything', 'server-filesystem', 'server-memory']);
    const { Servers, Hidden, Calls, Answer, Spans, Rate } = sections(result.stdout);

    expect(result.stdout).toMatch(/^Model: offline planner, because OPENAI_API_KEY is not set/m);
    for (const server of ['everything', 'files', 'memory']) expect(Servers).toMatch(new RegExp(`^  ${server} +connected `, 'm'));
    expect(Hidden).toContain('files/write_file');
    expect(Hidden).not.toContain('files/read_text_file');

    expect(calls(Calls)).toEqual([
      'all servers: list_resources',
      'everything: get-structured-content',
      'memory: get_resource',
      'files: list_allowed_directories',
      'files: search_files',
      'files: read_text_file',
    ]);
    expect(Calls).toMatch(/→ .*Ada Moreno/);
    expect(Answer).toMatch(/Ada Moreno.*Works in the Chicago office/);
    expect(Answer).toMatch(/arrive by 9:30 at the side entrance/);
    expect(Answer).toMatch(/temperature: /);

    expect(Spans).toMatch(/\n( +)execute_tool files_read_text_file \d+ ms\n\1 {2}tools\/call read_text_file \[files\] \d+ ms/);
    expect(Spans).toMatch(/\n {4}initialize \[memory\]/);
    // What counts is what the model asked for: every request under a tool's span, and no other.
    for (const server of ['everything', 'files', 'memory']) {
      const sent = Spans?.match(new RegExp(`^ {10,}\\S.* \\[${server}\\]`, 'gm'))?.length;
      expect(Rate).toMatch(new RegExp(`^  ${server} +${sent} of 30$`, 'm'));
    }
  });

  it('makes other calls for another question', { timeout: SLOW }, async () => {
    const result = await run('examples/demo.ts', ['What is the sum', 'of 17 and 25?']);
    expectClean(result);
    const { Calls, Answer } = sections(result.stdout);
    expect(result.stdout).toContain('Question: What is the sum of 17 and 25?');
    expect(calls(Calls)).toEqual(['all servers: list_resources', 'everything: get-sum']);
    expect(Answer).toContain('The sum of 17 and 25 is 42.');
  });

  it('reads an error and goes on differently', { timeout: SLOW }, async () => {
    const result = await run('examples/demo.ts', ['What does the file /etc/hostname say about opening hours?']);
    expectClean(result);
    const { Calls, Answer, Spans } = sections(result.stdout);
    expect(Calls).toMatch(/files: read_text_file \{"path":"\/etc\/hostname"\}\n +\d → failed: .*outside allowed directories/);
    expect(Answer).toMatch(/files_read_text_file failed: .*outside allowed directories/);
    expect(Answer).toContain('open from 8:00 to 18:30');
    expect(Spans).toMatch(/tools\/call read_text_file \[files\] \d+ ms ERROR tool_error/);
  });

  it('says which servers cannot start, and goes on with the others', { timeout: SLOW }, async () => {
    const result = await run('examples/demo.ts', ['--break=files']);
    expectClean(result, ['server-everything', 'server-memory']);
    const { Servers, Calls, Answer } = sections(result.stdout);
    expect(Servers).toMatch(/^ {2}files +failed +MCP server "files": .*mcp-server-that-is-not-installed/m);
    expect(Servers).toMatch(/^ {2}everything +connected /m);
    expect(Servers).toMatch(/^ {2}memory +connected /m);
    expect(calls(Calls)).toContain('memory: get_resource');
    expect(Calls).not.toContain('files:');
    expect(Answer).toContain('Ada Moreno');
    expect(Answer).toMatch(/I found nothing about: .*plan/);
  });

  it('goes on when the HTTP server and a child crash at their start', { timeout: SLOW }, async () => {
    const result = await run('examples/demo.ts', ['--break=everything,memory']);
    expectClean(result, ['server-filesystem']);
    const { Servers, Answer } = sections(result.stdout);
    expect(result.stdout).toMatch(/The everything server did not start \(.*Cannot find module/);
    expect(Servers).toMatch(/^ {2}everything +failed +MCP server "everything": /m);
    expect(Servers).toMatch(/^ {2}memory +failed +MCP server "memory": .*exited with code 1/m);
    expect(Answer).toContain('side entrance on Lake Street');
  });

  it('says so when there is nothing left to ask', { timeout: SLOW }, async () => {
    const result = await run('examples/demo.ts', ['--break=everything,files,memory']);
    expectClean(result);
    expect(sections(result.stdout).Answer).toContain('I was given no tools');
  });

  it('names the servers when told to break another one', { timeout: SLOW }, async () => {
    const { code, stdout, stderr, started } = await run('examples/demo.ts', ['--break=nothing']);
    expect(code).toBe(1);
    expect(stderr).toContain('there is no server "nothing" to break; there are everything, files, memory.');
    expect(stdout).toBe('');
    expect(started.filter((command) => command.includes('server-'))).toEqual([]);
  });

  it('leaves nothing behind when it is stopped', { timeout: SLOW }, async () => {
    let stopped = false;
    const onOutput = (stdout: string, child: { kill(signal: NodeJS.Signals): boolean }): void => {
      // The servers are about to connect then.
      if (!stopped && stdout.includes('Question:')) stopped = child.kill('SIGTERM');
    };
    const { code, stderr, started, left, files } = await run('examples/demo.ts', [], { onOutput });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^\nThe demo failed: .*abort/);
    if (CAN_WATCH) expect(started.join('\n')).toContain('server-everything');
    expect(left).toEqual([]);
    expect(files).toEqual([]);
  });

  it('leaves no process behind even when it is killed', { timeout: SLOW }, async () => {
    const onOutput = (stdout: string, child: { kill(signal: NodeJS.Signals): boolean }): void => {
      if (stdout.includes('Calls')) child.kill('SIGKILL');
    };
    const { started, left } = await run('examples/demo.ts', [], { onOutput });
    if (CAN_WATCH) expect(started.join('\n')).toContain('server-everything');
    expect(left).toEqual([]);
  });

  it('CARD-04 asks OpenAI when there is a key', { timeout: SLOW }, async () => {
    const answers = [
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'everything_get-sum', arguments: '{"a":17,"b":25}' },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'It is 42, says the server.', annotations: [] }],
      },
    ];
    const openai = await listen((_, response) => {
      json(response, { id: 'resp_1', created_at: 0, model: 'gpt-test', output: [answers.shift()], usage: USAGE });
    });
    const env = { OPENAI_API_KEY: 'not-a-key', OPENAI_MODEL: 'gpt-test', OPENAI_BASE_URL: openai.url };
    const result = await run('examples/demo.ts', ['17 + 25?'], { env }).finally(openai.close);
    expectClean(result);
    expect(result.stdout).toContain('Model: OpenAI gpt-test');
    expect(result.stdout).toContain('It is 42, says the server.');
    const [first, second] = openai.requests.map(({ body }) => JSON.parse(body));
    expect(first.tools.map(({ name }: { name: string }) => name)).toContain('files_read_text_file');
    expect(first.tools.map(({ name }: { name: string }) => name)).not.toContain('files_write_file');
    expect(second.input.at(-1)).toMatchObject({ type: 'function_call_output', output: 'The sum of 17 and 25 is 42.' });
  });

  it('ends with one line and no server left when OpenAI refuses', { timeout: SLOW }, async () => {
    const openai = await listen((_, response) => json(response, { error: { message: 'Incorrect API key provided.' } }, 401));
    const env = { OPENAI_API_KEY: 'not-a-key', OPENAI_BASE_URL: openai.url };
    const { code, stderr, left, files } = await run('examples/demo.ts', [], { env }).finally(openai.close);
    expect(code).toBe(1);
    expect(stderr).toBe('\nThe demo failed: Incorrect API key provided.\n');
    expect(left).toEqual([]);
    expect(files).toEqual([]);
  });
});

test.skipIf(!runs || !hasSdkV1)(
  `CARD-03 the official SDK example passes with instances and factories${sdkV1LeftOut}`,
  { timeout: SLOW },
  async () => {
    const result = await run('examples/official-sdk.ts');
    expectClean(result, ['server-everything', 'server-filesystem']);
    for (const server of ['client', 'transport', 'clientFactory', 'transportFactory']) {
      expect(result.stdout).toMatch(new RegExp(`^${server}: 1\\d tools$`, 'm'));
    }
    expect(result.stdout).toContain('factories ended with the set, the ready client lives on');
  },
);

it('the quickstart passes', { timeout: SLOW }, async () => {
  const result = await run('examples/quickstart.ts');
  expectClean(result, ['server-filesystem']);
  expect(result.stdout).toContain('Shopping list: two lemons and a loaf of bread.');
});

it('L4J-53 the TLS example passes: a fetch of one server trusts a private authority', { timeout: SLOW }, async () => {
  const result = await run('examples/tls.ts');
  expectClean(result);
  expect(result.stdout).toContain('Called a tool behind a private certificate authority.');
});

const USAGE = { input_tokens: 1, output_tokens: 1 };

/** Ended well, complained of nothing, left neither process nor file; and the watch did see its servers. */
function expectClean({ code, stderr, started, left, files }: Run, servers: readonly string[] = []): void {
  expect({ code, stderr, left, files }).toEqual({ code: 0, stderr: '', left: [], files: [] });
  if (CAN_WATCH) for (const server of servers) expect(started.join('\n')).toContain(server);
}

/** The parts of the demo's output by the first word of their headings. */
function sections(stdout: string): Record<string, string> {
  const parts = stdout.split(/\n\n(?=(?:Servers|Hidden|Calls|Answer|Spans|Rate)\b)/).slice(1);
  return Object.fromEntries(parts.map((part) => [/^\w+/.exec(part)?.[0] ?? '', `\n${part}`]));
}

/** `server: tool` of each call, in order. */
function calls(section: string | undefined): string[] {
  return [...(section ?? '').matchAll(/^ {2}\d+\. ([^{]+?) \{/gm)].map(([, call]) => call ?? '');
}
