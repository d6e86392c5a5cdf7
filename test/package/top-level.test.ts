import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ROOT } from '../support/dist.ts';

const LAID_DOWN = ['package.json', 'tsconfig.json', 'src', 'test', 'examples', 'README.md'];
const BESIDE = ['package-lock.json', 'LICENSE', 'CHANGELOG.md'];

it.skipIf(!existsSync(`${ROOT}.git`))(
  'CARD-08 the top level is what was laid down, the lockfile, licence, changelog and dotfiles',
  () => {
    const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
    const top = new Set(tracked.map((file) => file.split('/')[0] ?? '').filter((name) => !name.startsWith('.')));
    expect([...top].sort()).toEqual([...LAID_DOWN, ...BESIDE].sort());
  },
);
