import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assignNames, type NameRequest, safeName } from '../../src/tools/names.ts';

const SAFE = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

function wants(server: string, originalName: string, wanted = `${server}_${originalName}`): NameRequest {
  return { server, originalName, wanted };
}

function expectSafeAndDistinct(names: readonly string[]): void {
  for (const name of names) expect(name).toMatch(SAFE);
  expect(new Set(names).size).toBe(names.length);
}

describe('safeName', () => {
  test('a safe name stays as it is', () => {
    expect(safeName('read_file-2')).toBe('read_file-2');
    expect(safeName('x'.repeat(64))).toBe('x'.repeat(64));
  });

  test('E2 dots, slashes and spaces become underscores', () => {
    expect(safeName('a.b/c')).toBe('a_b_c');
    expect(safeName('my tool')).toBe('my_tool');
  });

  test('E4 accents go, but letters that cannot be written leave a hash', () => {
    expect(safeName('café')).toBe('cafe');
    expect(safeName('docs_検索')).toMatch(/^docs_[0-9a-z]+$/);
    expect(safeName('docs_検索')).not.toBe(safeName('docs_削除'));
  });

  test('E4 nothing becomes empty', () => {
    for (const raw of ['', '検索', '🔥', '🇫🇷', '.', '\ud800', '---']) expect(safeName(raw)).toMatch(SAFE);
    expect(safeName('🔥')).not.toBe(safeName('🧊'));
  });

  test('E7 a digit or a dash first gets an underscore in front', () => {
    expect(safeName('3d_view')).toBe('_3d_view');
    expect(safeName('-x')).toBe('_-x');
  });

  test('E1 a name over 64 is cut, and two that differ only at the end stay apart', () => {
    const [one, other] = [safeName(`${'x'.repeat(70)}a`), safeName(`${'x'.repeat(70)}b`)];
    expect(one).toHaveLength(64);
    expect(one).toMatch(/^x+_[0-9a-z]+$/);
    expect(one).not.toBe(other);
  });
});

describe('assignNames', () => {
  test('the default is server_tool', () => {
    expect(assignNames([wants('docs', 'search'), wants('files', 'search')])).toEqual(['docs_search', 'files_search']);
  });

  test('E1 a 40-character server and a 40-character tool', () => {
    const long = [wants('s'.repeat(40), `${'t'.repeat(39)}1`), wants('s'.repeat(40), `${'t'.repeat(39)}2`)];
    const names = assignNames(long);
    expectSafeAndDistinct(names);
    expect(names[0]).toMatch(/^s{40}_t+_[0-9a-z]+$/);
  });

  test('E3 the same tool on two servers under its own name: both get a hash', () => {
    const names = assignNames([wants('a', 'search', 'search'), wants('b', 'search', 'search')]);
    expectSafeAndDistinct(names);
    for (const name of names) expect(name).toMatch(/^search_[0-9a-z]+$/);
  });

  test('E3 two servers whose prefixes meet', () => {
    expectSafeAndDistinct(assignNames([wants('a', 'b_c'), wants('a_b', 'c')]));
  });

  test('E4 two names of one script, and two accents of one word', () => {
    expectSafeAndDistinct(
      assignNames([wants('s', '検索'), wants('s', '削除'), wants('s', 'café'), wants('s', 'cafè'), wants('s', '')]),
    );
  });

  test('E5 a.b beside a_b beside a-b: what is really called so keeps its name', () => {
    const [dotted, plain, dashed, slashed] = assignNames([
      wants('s', 'a.b'),
      wants('s', 'a_b'),
      wants('s', 'a-b'),
      wants('s', 'a/b'),
    ]);
    expect(plain).toBe('s_a_b');
    expect(dashed).toBe('s_a-b');
    expect(dotted).toMatch(/^s_a_b_[0-9a-z]+$/);
    expect(slashed).toMatch(/^s_a_b_[0-9a-z]+$/);
    expect(dotted).not.toBe(slashed);
  });

  test('E5 a generated name that meets a real one gives way to it', () => {
    const first = assignNames([wants('s', 'a.b'), wants('s', 'a/b')])[0] ?? '';
    const real = wants('s', first.slice(2));
    const names = assignNames([wants('s', 'a.b'), wants('s', 'a/b'), real]);
    expectSafeAndDistinct(names);
    expect(names[2]).toBe(first);
  });

  test('E5 another server in front renames nothing', () => {
    const before = assignNames([wants('s', 'a.b'), wants('s', '検索')]);
    expect(assignNames([wants('r', 'x'), wants('s', 'a.b'), wants('s', '検索')]).slice(1)).toEqual(before);
  });

  test('a reserved name is given to nobody', () => {
    const [name] = assignNames([wants('s', 'list_resources', 'list_resources')], ['list_resources']);
    expect(name).toMatch(/^list_resources_[0-9a-z]+$/);
  });

  test('E8 names are the same in every process', () => {
    const names = assignNames([wants('s', 'a.b'), wants('s', 'a/b'), wants('s', '検索')]);
    expect(names).toEqual(['s_a_b_marzs9', 's_a_b_seg3jo', 's_1lii1tl']);
  });

  test('even exact duplicates get two names, and it ends', () => {
    expectSafeAndDistinct(assignNames([wants('s', 'x'), wants('s', 'x'), wants('s', 'x')]));
  });
});

describe('names, for any tools', () => {
  // Few letters, so that names meet often; some of them long, foreign or generated.
  const part = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', '_', '-', '.', '/', ' ', '1', 'é', '検', '🔥', '\ud800'), maxLength: 4 }),
    fc.string({ unit: 'binary', maxLength: 80 }),
    fc.constant('a_b_marzs9'),
  );
  const requests = fc.uniqueArray(fc.record({ server: part, originalName: part, prefixed: fc.boolean() }), {
    maxLength: 30,
    selector: ({ server, originalName }) => JSON.stringify([server, originalName]),
  });
  const toRequest = ({ server, originalName, prefixed }: { server: string; originalName: string; prefixed: boolean }) =>
    prefixed ? wants(server, originalName) : wants(server, originalName, originalName);

  test('E5 safe and injective', () => {
    fc.assert(fc.property(requests, (all) => expectSafeAndDistinct(assignNames(all.map(toRequest)))));
  });

  test('I10 stable under permutation', () => {
    const shuffled = requests.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
    fc.assert(
      fc.property(shuffled, ([all, other]) => {
        const named = (list: typeof all) => {
          const names = assignNames(list.map(toRequest));
          return new Map(list.map((request, index) => [request, names[index]]));
        };
        const [one, two] = [named(all), named(other)];
        for (const request of all) expect(two.get(request)).toBe(one.get(request));
      }),
    );
  });

  test('a safe wanted name that nobody else wants is kept', () => {
    const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,20}$/);
    fc.assert(fc.property(name, (wanted) => void expect(assignNames([wants('s', 'x', wanted)])).toEqual([wanted])));
  });
});
