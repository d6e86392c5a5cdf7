/** `get_resource`: reads what was found, as text and files, in parts where it is long. */

import type { CallToolResult, ToolCall } from '../types.ts';
import type { ListContext } from './list-tool.ts';
import { locate } from './locate.ts';
import type { ResourceSettings } from './options.ts';
import { readResource } from './read.ts';
import { windowOf } from './window.ts';
import { optionalCount, optionalText, optionalValues, unknownServer, wrong } from './wish.ts';

/** Where the application finds what the server sent, wherever the blocks are not simply that. */
const META_KEY = 'mcp-tool-set/contents';

export async function getResource(call: ToolCall, context: ListContext): Promise<CallToolResult> {
  const { settings, reach } = context;
  const { input } = call;
  const argument = settings.serverArgument.get;
  const server = optionalText(input, argument) ?? optionalText(input, 'server');
  const uri = optionalText(input, 'uri');
  const offset = optionalCount(input, 'offset', 0) ?? 0;
  const limit = optionalCount(input, 'limit', 1) ?? settings.maxCharacters;
  const variables = optionalValues(input, 'variables');
  if (uri === undefined) throw wrong('uri', 'is missing', ` Take it from a row of ${settings.names.list}.`);
  if (server !== undefined && !reach.servers().includes(server)) throw unknownServer(reach.servers());
  const caller = { ...call, call };
  const found = await locate({ server, uri, variables }, context, caller);
  const contents = await readResource(found.source, { uri: found.uri }, caller);
  const { blocks, total, from, to, changed } = windowOf(contents, {
    offset,
    limit: Math.min(limit, settings.maxCharacters),
    maxMediaBytes: settings.maxMediaBytes,
  });
  const notice = noticeOf({ total, from, to }, settings);
  return {
    content: notice === undefined ? blocks : [...blocks, { type: 'text', text: notice }],
    ...(changed && { _meta: { [META_KEY]: contents } }),
  };
}

function noticeOf(
  { total, from, to }: { total: number; from: number; to: number },
  { names }: ResourceSettings,
): string | undefined {
  if (total > 0 && from >= total) return `[There is no more text: it has ${total} characters.]`;
  if (from === 0 && to === total) return undefined;
  const part = `Characters ${from} to ${to} of ${total}.`;
  return to === total ? `[${part} There is no more.]` : `[${part} For what follows call ${names.get} with "offset": ${to}]`;
}
