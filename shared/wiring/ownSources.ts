// Tool sources beside the MCP servers of servers.yaml, by name. Agents list them in `tools` as they list servers.

/** Every function that reads configuration knows these names; iterationServices.ts alone knows the sources themselves. */
export const OWN_SOURCE_NAMES: readonly string[] = [];
