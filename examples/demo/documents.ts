/** What the demo's servers have to offer: a few files, and a knowledge graph. */

import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface Documents extends AsyncDisposable {
  /** For the filesystem server. */
  readonly folder: string;
  /** For the memory server. */
  readonly graph: string;
}

const FILES: Readonly<Record<string, string>> = {
  'office/visit-plan.md': `# Visit plan for the Chicago office

The visit is on Thursday: arrive by 9:30 at the side entrance on Lake Street.
Bring a laptop and a coat; lunch is at noon in the canteen.
`,
  'office/opening-hours.md': `# Opening hours

The Chicago office is open from 8:00 to 18:30, the New York office from 7:30 to 18:00.
`,
  'products/release-notes.md': `# Release notes

Version 2.3 of the billing service sends invoices as PDF and rounds taxes per line.
Version 1.9 of the search service understands spelling mistakes.
`,
  'products/budget.md': `# Budget

Travel has 12000 left, hardware has 4500 left.
`,
};

const ENTITIES = [
  { name: 'Ada Moreno', entityType: 'person', observations: ['Works in the Chicago office', 'Leads the billing service'] },
  {
    name: 'Ben Okafor',
    entityType: 'person',
    observations: ['Works in the New York office', 'Is on call for the search service'],
  },
  { name: 'billing service', entityType: 'service', observations: ['Written in TypeScript', 'Runs in two regions'] },
].map((entity) => ({ type: 'entity', ...entity }));

const RELATIONS = [
  { from: 'Ada Moreno', to: 'billing service', relationType: 'leads' },
  { from: 'Ben Okafor', to: 'Ada Moreno', relationType: 'reports to' },
].map((relation) => ({ type: 'relation', ...relation }));

/** In a folder of their own, which goes when they are disposed of. */
export async function writeDocuments(): Promise<Documents> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'mcp-tool-set-demo-')));
  const folder = join(root, 'documents');
  const graph = join(root, 'graph.jsonl');
  for (const [name, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  await writeFile(graph, [...ENTITIES, ...RELATIONS].map((line) => JSON.stringify(line)).join('\n'));
  return { folder, graph, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}
