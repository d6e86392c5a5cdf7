/** The official conformance suite against a tool set, in its release for the 2025 revisions and in its preview for 2026-07-28. */

import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { hasSdkV1, sdkV1LeftOut } from '../support/sdk-v1.ts';

// The release has no list of what a revision requires: its scenarios outside auth/* are those of `list --client`.
const RELEASE = { cli: cliOf('@modelcontextprotocol/conformance'), list: ['list', '--client'] };
const PREVIEW = { cli: cliOf('conformance-alpha'), list: ['list', '--client', '--requirements'] };

/** By scenario: the checks that it leaves out for this client, each for the reason that stands beside it. */
type Scenarios = Readonly<Record<string, readonly string[]>>;

const SCENARIOS_2025: Scenarios = {
  initialize: [],
  tools_call: [],
  'elicitation-sep1034-client-defaults': [],
  'sse-retry': [],
};
const SCENARIOS_2026: Scenarios = {
  tools_call: [],
  'request-metadata': [],
  'sep-2322-client-request-state': [],
  'http-standard-headers': [
    // A revision without a handshake.
    'ClientMcpMethodHeader_initialize',
    'ClientMcpMethodHeader_notifications_initialized',
    // A tool set asks for prompts only when told to.
    'ClientMcpMethodHeader_prompts_list',
    'ClientMcpMethodHeader_prompts_get',
    'ClientMcpNameHeader_prompts_get',
  ],
  'http-custom-headers': [],
  'http-invalid-tool-headers': [],
  'json-schema-ref-no-deref': [],
};
/** Run and reported by the preview, without a score: it is younger than the revisions. */
const PRESERVATION: Scenarios = { 'json-schema-2020-12-preservation': [] };

const canRun = hasSdkV1 && 'typescript' in process.features && process.features.typescript !== false;
const needs = 'needs Node 22.18 or newer, whose type stripping runs its client, and the 1.x SDK';
const leftOut = canRun ? '' : ` (LEFT OUT: the suite ${needs}; this is ${process.version}${sdkV1LeftOut})`;
// Reporters do not show the titles of what is skipped.
if (!canRun) console.warn(`test/conformance:${leftOut}`);

const results = canRun ? mkdtempSync(join(tmpdir(), 'conformance-')) : '';
afterAll(() => rmSync(results, { recursive: true, force: true }));

describe.skipIf(!canRun)(`conformance${leftOut}`, () => {
  describe('the release, 2025 revisions', () => {
    it('has these client scenarios, and no other outside auth/*', async () => {
      expect(await listed(RELEASE, [])).toEqual(Object.keys(SCENARIOS_2025).sort());
    });
    passes(RELEASE, SCENARIOS_2025);
  });

  describe.each(['2025-06-18', '2025-11-25'])('the release, with the revision %s pinned', (protocol) => {
    passes(RELEASE, { initialize: [], tools_call: [] }, [], { PROTOCOL: protocol });
  });

  describe.each([
    ['2025-11-25', SCENARIOS_2025],
    ['2026-07-28', SCENARIOS_2026],
  ])('the preview, requirements of %s', (revision, scenarios) => {
    it('are these scenarios, and no other outside auth/*', async () => {
      expect(await listed(PREVIEW, [revision])).toEqual(Object.keys({ ...scenarios, ...PRESERVATION }).sort());
    });
    passes(PREVIEW, { ...scenarios, ...PRESERVATION }, ['--spec-version', revision]);
  });
});

type Suite = typeof RELEASE;

interface Check {
  readonly id: string;
  readonly name: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

function passes(suite: Suite, scenarios: Scenarios, args: readonly string[] = [], env: Record<string, string> = {}): void {
  it.each(Object.entries(scenarios))('%s', async (scenario, leavesOut) => {
    const { checks, client, exitCode } = await run(suite, scenario, args, env);
    const of = (...wanted: Check['status'][]): Check[] => checks.filter(({ status }) => wanted.includes(status));
    const bad = of('FAILURE', 'WARNING').filter((check) => !isLateByLoad(check));
    const problems = bad.map(({ id, name, errorMessage }) => `${id} (${name}): ${errorMessage ?? 'never observed'}`);
    expect({ problems, client }).toEqual({ problems: [], client: '' });
    // A client that hangs at its end, after its last check, shows here alone.
    expect(exitCode).toBe(checks.some(isLateByLoad) ? 1 : 0);
    expect(of('SKIPPED').map(({ name }) => name)).toEqual(leavesOut);
    expect(of('SUCCESS')).not.toEqual([]);
  });
}

/** The release warns of a reconnection that is 200 ms late, and fails one that is 500 ms late: the first may be the machine. */
function isLateByLoad({ id, status }: Check): boolean {
  return id === 'client-sse-retry-timing' && status === 'WARNING';
}

/** Runs one scenario. `client` is what the client printed on stderr: why it failed, where it failed by itself. */
async function run(suite: Suite, scenario: string, args: readonly string[], env: Record<string, string>) {
  const out = mkdtempSync(join(results, 'run-'));
  const driver = fileURLToPath(new URL('driver.ts', import.meta.url));
  // A shell reads it.
  const command = `"${process.execPath}" "${driver}"`;
  const client = ['client', '--command', command, '--timeout', '12000', '--scenario', scenario, '--output-dir', out, ...args];
  const exitCode = await node(suite.cli, client, env).then(
    () => 0,
    (error: { code?: unknown }) => error.code,
  );
  const [folder] = readdirSync(out);
  if (folder === undefined) throw new Error(`${scenario} left no results`);
  const read = (file: string): string => readFileSync(join(out, folder, file), 'utf8');
  return { checks: JSON.parse(read('checks.json')) as Check[], client: read('stderr.txt'), exitCode };
}

/** The client scenarios outside auth/*, those without a score included, extensions not. */
async function listed({ cli, list }: Suite, args: readonly string[]): Promise<string[]> {
  const text = await node(cli, [...list, ...args]);
  const clients = text.slice(text.indexOf('Client scenarios'));
  const names = [...clients.matchAll(/^ +- (\S+)(?: \[(.*)\])?$/gm)].filter(
    ([, , tag]) => tag !== 'server' && tag !== 'extension',
  );
  return names
    .map(([, name = '']) => name)
    .filter((name) => !name.startsWith('auth/'))
    .sort();
}

async function node(script: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const options = { env: { ...process.env, ...env }, timeout: 15_000, killSignal: 'SIGKILL' } as const;
  return (await promisify(execFile)(process.execPath, [script, ...args], options)).stdout;
}

function cliOf(name: string): string {
  return fileURLToPath(new URL(`../../node_modules/${name}/dist/index.js`, import.meta.url));
}
