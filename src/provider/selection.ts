/** What of the offered tools a provider shows, and under which names; changed at run time, each time as a whole. */

import type { McpToolProvider, McpToolProviderOptions } from '../api.ts';
import { McpToolSetError } from '../errors.ts';
import type { Renaming } from '../tools/rename.ts';
import type { ToolFilter } from '../types.ts';

export interface Selection extends Renaming {
  readonly filters: readonly ToolFilter[];
  /** Another number for each state there was. */
  readonly version: number;
}

export interface SelectionState {
  /** Never changed in place: whoever took it works on with what it was. */
  readonly present: Selection;
  readonly setters: Pick<McpToolProvider, 'addFilter' | 'setFilter' | 'resetFilters' | 'setToolName' | 'setMapTool'>;
}

export function createSelection({ filter, toolName, mapTool }: McpToolProviderOptions): SelectionState {
  let present: Selection = { filters: [filter ?? []].flat(), toolName, mapTool, version: 0 };
  const change = (changed: Partial<Selection>): void => {
    present = { ...present, ...changed, version: present.version + 1 };
  };
  const setters: SelectionState['setters'] = {
    addFilter(added) {
      change({ filters: [...present.filters, callable(added, 'addFilter')] });
    },
    setFilter(wanted) {
      change({ filters: [wanted].flat().map((each) => callable(each, 'setFilter')) });
    },
    resetFilters() {
      change({ filters: [] });
    },
    setToolName(wanted) {
      if (wanted !== undefined && present.mapTool !== undefined) throw both('setToolName', 'mapTool', 'setMapTool');
      if (wanted !== undefined && wanted !== 'prefixed' && wanted !== 'original') callable(wanted, 'setToolName');
      change({ toolName: wanted });
    },
    setMapTool(wanted) {
      if (wanted !== undefined && present.toolName !== undefined) throw both('setMapTool', 'toolName', 'setToolName');
      if (wanted !== undefined) callable(wanted, 'setMapTool');
      change({ mapTool: wanted });
    },
  };
  return {
    setters,
    get present() {
      return present;
    },
  };
}

function callable<T>(value: T, setter: string): T {
  if (typeof value === 'function') return value;
  throw new McpToolSetError('config_invalid', `${setter}() takes a function; what it got is ${typeof value}.`);
}

function both(setter: string, other: string, otherSetter: string): McpToolSetError {
  const detail = `${setter}() cannot stand beside \`${other}\`: both decide on names. Call ${otherSetter}(undefined) first.`;
  return new McpToolSetError('config_invalid', detail);
}
