/** What of the resource tools the application can set. */

import type { ResourcesPresenter } from './presenter.ts';
import type { ResourceRow } from './row.ts';

/** Options of `list_resources` and `get_resource`. The names and texts have langchain4j's as their defaults. */
export interface ResourceToolsOptions {
  /** Default `list_resources`. */
  readonly listName?: string | undefined;
  readonly listDescription?: string | undefined;
  /** Default `get_resource`. */
  readonly getName?: string | undefined;
  readonly getDescription?: string | undefined;
  /** Of the argument `mcpServer`. */
  readonly serverDescription?: string | undefined;
  /** Of the argument `uri`. */
  readonly uriDescription?: string | undefined;
  /**
   * Default `json`: an array of rows. `lines`: a line for each resource, errors are results and no failures, and the tools are
   * `list_mcp_resources` and `read_mcp_resource` with the argument `server`, as in toolnexus.
   */
  readonly format?: 'json' | 'lines' | undefined;
  /** Tokens of one page of rows, about; four characters count as one. Default 2 000. */
  readonly pageTokens?: number | undefined;
  /** Tokens of text that one read gives, about; the rest is there by `offset`. Default 10 000. */
  readonly maxTokens?: number | undefined;
  /** Bytes of one image, sound or document; a larger one is described. Default 5 000 000. */
  readonly maxMediaBytes?: number | undefined;
  /** Whether a URI is refused that no server listed or linked to and no template matches. Default true. */
  readonly strict?: boolean | undefined;
  /** Which resources and templates the model may see and read; asked with what its server says of it. One that throws hides it. */
  readonly filter?: ((resource: ResourceRow, server: string) => boolean) | undefined;
  /** Other tools in the place of the pair. */
  readonly presenter?: ResourcesPresenter | undefined;
  /** Bytes of what was read that are kept, of all servers together. Default 16 777 216; 0 keeps nothing. */
  readonly cacheBytes?: number | undefined;
}

/** With the defaults in place. */
export interface ResourceSettings {
  readonly names: { readonly list: string; readonly get: string };
  readonly descriptions: { readonly list: string; readonly get: string; readonly server: string; readonly uri: string };
  /** The name of the argument for the server, in both tools. */
  readonly serverArgument: { readonly list: string; readonly get: string };
  readonly format: 'json' | 'lines';
  readonly pageCharacters: number;
  readonly maxCharacters: number;
  readonly maxMediaBytes: number;
  readonly strict: boolean;
  /** Whether there is a filter at all. */
  readonly filters: boolean;
  readonly allows: (row: ResourceRow) => boolean;
}

/** About so many characters make a token. */
const CHARACTERS = 4;

export function readSettings(options: ResourceToolsOptions): ResourceSettings {
  const { format = 'json', filter, pageTokens = 2_000, maxTokens = 10_000, maxMediaBytes = 5_000_000, strict = true } = options;
  const lines = format === 'lines';
  const { listName = lines ? 'list_mcp_resources' : 'list_resources', getName = lines ? 'read_mcp_resource' : 'get_resource' } =
    options;
  const {
    listDescription = 'Lists all available resources.',
    getDescription = `Retrieves a resource identified by the MCP server name and the resource URI. The '${listName}' tool should be called before this one to obtain the list.`,
    serverDescription = 'The name of the MCP server to get the resource from.',
    uriDescription = 'The URI of the resource to get.',
  } = options;
  return {
    names: { list: listName, get: getName },
    descriptions: { list: listDescription, get: getDescription, server: serverDescription, uri: uriDescription },
    serverArgument: { list: 'server', get: lines ? 'server' : 'mcpServer' },
    format,
    pageCharacters: pageTokens * CHARACTERS,
    maxCharacters: maxTokens * CHARACTERS,
    maxMediaBytes,
    strict,
    filters: filter !== undefined,
    allows: filter === undefined ? () => true : (row) => agrees(filter, row),
  };
}

/** Only `true` is a yes. */
function agrees(filter: NonNullable<ResourceToolsOptions['filter']>, row: ResourceRow): boolean {
  try {
    return filter(row, row.mcpServer) === true;
  } catch {
    return false;
  }
}
