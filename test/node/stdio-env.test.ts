/** What a child process gets of the environment, and what errors show of it. */

import { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StdioOptions } from '../../src/node/stdio.ts';
import { connect, failure, makeTransport, prepare } from './support.ts';

const OURS = { TEST_SECRET_KEY: 'parent-secret-value', TEST_REGION: 'north', TEST_SHELL_FUNCTION: '() { echo; }' };

beforeAll(() => void Object.assign(process.env, OURS));
afterAll(() => {
  for (const name of Object.keys(OURS)) delete process.env[name];
});

async function envOf(options: Partial<StdioOptions>): Promise<Record<string, string>> {
  const { client, call } = await connect('server.mjs', [], options);
  const env = JSON.parse(await call('env'));
  await client.close();
  return env;
}

describe('the environment of a child', () => {
  it('N6 is a short safe list, without the secrets of this process', async () => {
    const env = await envOf({});
    const allowed = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];
    expect(Object.keys(env).filter((name) => !allowed.includes(name))).toEqual([]);
    expect(env.PATH).toBe(process.env.PATH);
  });

  it('A15 keeps PATH when a token is declared, so that a bare command is still found', async () => {
    const env = await envOf({ command: 'node', env: { TOKEN: 'abc' } });
    expect(env).toMatchObject({ TOKEN: 'abc', PATH: process.env.PATH, HOME: process.env.HOME });
  });

  it('N6 inherits what is named, by name or glob, and no shell function', async () => {
    expect(await envOf({ inheritEnv: ['TEST_REGION'] })).toMatchObject({ TEST_REGION: 'north' });
    const env = await envOf({ inheritEnv: ['TEST_*'], env: { TEST_REGION: 'south' } });
    expect(env).toMatchObject({ TEST_SECRET_KEY: 'parent-secret-value', TEST_REGION: 'south' });
    expect(env).not.toHaveProperty('TEST_SHELL_FUNCTION');
    expect(await envOf({ inheritEnv: ['TEST_REGIO'] })).not.toHaveProperty('TEST_REGION');
  });

  it('N6 inherits everything only when asked', async () => {
    expect(await envOf({ inheritEnv: true })).toMatchObject({ TEST_SECRET_KEY: 'parent-secret-value' });
    expect(await envOf({ inheritEnv: false })).not.toHaveProperty('TEST_REGION');
  });
});

describe('errors', () => {
  it('show no declared value', async () => {
    const { client, transport } = prepare('crash.mjs', [], { env: { SECRET_TOKEN: 'swordfish-1234' } });
    const error = await failure(client.connect(transport));
    const shown = `${error.message} ${transport.failure?.message}`;
    expect(shown).toContain('starting with ***');
    expect(shown).not.toContain('swordfish');
  });

  it('show no inherited value that sounds like a secret, nor a line of a secret of several', async () => {
    const { client, transport, call } = await connect('server.mjs', [], {
      inheritEnv: ['TEST_*'],
      env: { PEM: '-----BEGIN-----\nMIIEsecretsecret\n-----END-----' },
    });
    await failure(call('exit', { code: 1, stderr: 'north parent-secret-value\nMIIEsecretsecret\n' }));
    expect(transport.failure?.message).toMatch(/north \*\*\*\n\*\*\*$/);
    await client.close();
  });
});

it('L5 secrets among the arguments and variables are hidden in what the child says, however it spells them', async () => {
  process.env.SENTINEL_URL = 'postgres://user:sentinel-inherited@db/x';
  const code =
    'console.error(process.argv.slice(1).join(" "), encodeURIComponent(process.env.TOKEN), JSON.stringify(process.env.TOKEN), process.env.SENTINEL_URL); process.exit(3)';
  const args = ['-e', code, '--', '--api-key=sentinel-argument', '--token', 'sentinel-following', 'plain'];
  const transport = makeTransport({
    command: process.execPath,
    args,
    env: { TOKEN: 'sentinel/"variable' },
    inheritEnv: ['SENTINEL_URL'],
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport).catch(() => {});
  delete process.env.SENTINEL_URL;
  expect(transport.failure?.message).toContain('plain');
  expect(transport.failure?.message).not.toContain('sentinel');
});
