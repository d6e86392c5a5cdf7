/** A misbehaving MCP server over stdio. Arguments: a file that it logs to, then the switches that are on. */

import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, readFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , log, ...switches] = process.argv;
const on = new Set(switches);

/** One word a line: `start`, methods as they arrive, `run:<tool>` for what took effect, `pid:<number>` for helpers. */
const note = (word) => appendFileSync(log, `${word}\n`);
const starts = readFileSync(log, 'utf8')
  .split('\n')
  .filter((line) => line === 'start').length;
/** Stays alive, but never longer than any test. */
const stay = () => setTimeout(() => process.exit(), 60_000);

note('start');

if (on.has('stderr-crash')) {
  process.stderr.write('Error: no database at /var/db\n    at main (server.js:1:1)\n');
  process.exit(3);
}
if (on.has('exits-at-once')) process.exit(0);
if (on.has('ignores-sigterm')) {
  process.on('SIGTERM', () => {});
  stay();
}
if (on.has('stays-after-stdin')) stay();
if (on.has('grandchild') || on.has('grandchild-in-crash')) {
  const idle = 'process.on("SIGTERM", () => {}); setTimeout(() => {}, 60_000)';
  const helper = spawn(process.execPath, ['-e', idle], { stdio: ['ignore', 'inherit', 'inherit'] });
  note(`pid:${helper.pid}`);
  helper.unref();
}
if (on.has('banner'))
  process.stdout.write('Starting up…\n{\n  "port": 1\n}\n[]\n42\nnull\n"text"\n{"jsonrpc":"1.0"}\n\u001b[32mready\u001b[0m\n');
if (on.has('slow-start')) await new Promise((resolve) => setTimeout(resolve, 1_500));
if (on.has('stderr-flood')) for (let line = 0; line < 20_000; line++) process.stderr.write(`log line ${line}\n`);

function write(text) {
  const line = on.has('crlf') ? `${text}\r\n` : `${text}\n`;
  if (!on.has('one-byte-at-a-time')) return process.stdout.write(line);
  for (const byte of Buffer.from(line)) writeSync(1, Buffer.of(byte));
}

function reply(id, result) {
  const message = { jsonrpc: '2.0', id: on.has('string-id') ? String(id) : id, result };
  if (on.has('noise-between')) write('DEBUG about to answer {"jsonrpc":"2.0"\n\tat line 2');
  if (on.has('color')) return write(`\u001b[2K\u001b[1G${JSON.stringify(message)}\u001b[0m`);
  if (on.has('batch')) return write(JSON.stringify([message]));
  write(JSON.stringify(message));
  if (on.has('two-replies')) write(JSON.stringify(message));
}

const questions = new Map();

function ask(method) {
  const id = `question-${questions.size + 1}`;
  write(JSON.stringify({ jsonrpc: '2.0', id, method }));
  return new Promise((resolve) => questions.set(id, resolve));
}

/** What a call does in place of being answered; each after it took effect. */
const calls = {
  'exits-in-call': () => {
    process.stderr.write('fatal: out of memory\n');
    process.exit(4);
  },
  'exits-in-first-call': () => starts === 0 && process.exit(4),
  'grandchild-in-crash': () => process.exit(5),
  'killed-in-call': () => process.kill(process.pid, 'SIGKILL'),
  'silent-in-call': () => {},
  'closes-stdout': () => {
    stay();
    closeSync(1);
  },
  'endless-line': async () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    for (;;) await new Promise((resolve) => process.stdout.write(chunk, resolve));
  },
};

async function call(name, id) {
  note(`run:${name}`);
  const misbehave = Object.keys(calls).find((key) => on.has(key));
  if (misbehave !== undefined && (await calls[misbehave]()) !== false) return;
  if (on.has('asks-ping')) note(`answer:${JSON.stringify((await ask('ping')).result)}`);
  if (on.has('asks-unknown')) note(`answer:${(await ask('x/unknown')).error.code}`);
  reply(id, { content: [{ type: 'text', text: `${name} done` }] });
}

const lines = createInterface({ input: process.stdin });
lines.on('line', async (line) => {
  const { id, method, params, ...rest } = JSON.parse(line);
  if (method === undefined) return questions.get(id)?.(rest);
  note(method);
  if (id === undefined || on.has('silent')) return on.has('silent') ? stay() : undefined;
  if (method === 'initialize') {
    const { protocolVersion } = params;
    reply(id, { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'faults', version: '1' } });
    if (on.has('exits-after-initialize')) process.exit(6);
  } else if (method === 'tools/list') {
    if (on.has('exits-in-list')) process.exit(7);
    reply(id, { tools: [{ name: 'write', inputSchema: { type: 'object' } }] });
    if (!on.has('deaf-after-list')) return;
    lines.pause();
    process.stdin.pause();
    stay();
  } else if (method === 'tools/call') await call(params.name, id);
  else write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }));
});
