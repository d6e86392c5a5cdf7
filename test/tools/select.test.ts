import { describe, expect, test } from 'vitest';
import { selectTools } from '../../src/tools/select.ts';
import type { ToolDefinition } from '../../src/types.ts';

function tool(originalName: string, more: Partial<ToolDefinition> = {}): ToolDefinition {
  return { name: originalName, server: 's', originalName, kind: 'tool', inputSchema: {}, ...more };
}

const ALL = [tool('read_file'), tool('write_file'), tool('delete.all'), tool('search')];
const names = (tools: readonly ToolDefinition[]) => tools.map(({ originalName }) => originalName);

describe('selectTools', () => {
  test('without settings everything is kept, in order', async () => {
    const selection = await selectTools(ALL, undefined, []);
    expect(selection.kept).toEqual(ALL);
    expect(selection.notes).toEqual([]);
    expect(selection.unmatched).toEqual([]);
  });

  test('L4J-04 allow and deny take exact names and globs, and deny wins', async () => {
    const { kept, notes } = await selectTools(ALL, { allow: ['*_file', 'search'], deny: ['write_*'] }, []);
    expect(names(kept)).toEqual(['read_file', 'search']);
    expect(notes).toEqual([
      { server: 's', originalName: 'write_file', what: 'filtered', why: expect.stringContaining('"write_*"') },
      { server: 's', originalName: 'delete.all', what: 'filtered', why: expect.stringContaining('tools.allow') },
    ]);
  });

  test('L4J-04 a dot in a pattern is a dot, and an empty allow list allows nothing', async () => {
    expect(names((await selectTools(ALL, { deny: ['delete.all'] }, [])).kept)).not.toContain('delete.all');
    expect((await selectTools(ALL, { deny: ['deletexall'] }, [])).unmatched).toEqual(['deletexall']);
    expect((await selectTools(ALL, { allow: [] }, [])).kept).toEqual([]);
  });

  test('L4J-04 an entry that matches nothing is told, once', async () => {
    const { unmatched } = await selectTools(ALL, { allow: ['serach', '*'], deny: ['serach', 'nothing_*'] }, []);
    expect(unmatched).toEqual(['serach', 'nothing_*']);
  });

  test('L4J-03 filters are ANDed, may be async, and see what allow and deny left', async () => {
    const seen: string[] = [];
    const { kept, notes } = await selectTools(ALL, { deny: ['search'] }, [
      (definition) => {
        seen.push(definition.originalName);
        return definition.originalName !== 'write_file';
      },
      async (definition) => definition.originalName !== 'delete.all',
    ]);
    expect(names(kept)).toEqual(['read_file']);
    expect(seen).not.toContain('search');
    expect(notes.map(({ originalName }) => originalName)).toEqual(['write_file', 'delete.all', 'search']);
  });

  test('a filter that throws costs the one tool, and says so', async () => {
    const { kept, notes } = await selectTools(ALL, undefined, [
      (definition) => {
        if (definition.originalName === 'search') throw new Error('no policy for it');
        return true;
      },
    ]);
    expect(names(kept)).toEqual(['read_file', 'write_file', 'delete.all']);
    expect(notes).toEqual([{ server: 's', originalName: 'search', what: 'dropped', why: 'a filter threw: no policy for it' }]);
  });
});
