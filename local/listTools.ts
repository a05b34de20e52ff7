// Asks each MCP server of a configuration for its tools, as an iteration does: `node local/listTools.ts FOLDER`.
// Prints a line of JSON for each server; servers are asked at the same time.

import { loadConfig } from '../shared/config/load.ts';
import { errorMessage } from '../shared/errors.ts';
import { mcpSources } from '../shared/tools/mcp/mcpSource.ts';
import { OWN_SOURCE_NAMES } from '../shared/wiring/ownSources.ts';
import type { ServerAnswer } from './askServers.ts';

const { servers } = loadConfig(process.argv[2] ?? '', process.env, OWN_SOURCE_NAMES);
const print = (answer: ServerAnswer) => console.log(JSON.stringify(answer));

await Promise.all(
  mcpSources(servers).map(async (source) => {
    try {
      const connection = await source.connect(new AbortController().signal);
      const tools = connection.tools.map(({ name }) => name.slice(source.name.length + 1));
      print({ server: source.name, tools });
      await connection.close();
    } catch (error) {
      print({ server: source.name, message: errorMessage(error) });
    }
  }),
);
