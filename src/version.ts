/** The package's name and version as servers are told them. */

export const CLIENT_INFO: { readonly name: string; readonly version: string } = { name: 'mcp-tool-set', version: '0.1.0' };
