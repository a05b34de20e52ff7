// Lists the tools of each MCP server of a configuration, as an iteration does: `node local/listTools.ts FOLDER`.
// Prints a line of JSON for each server, and `done`. Then it waits until the guard ends it: the guard finds the children of the
// servers only while their parents run.

import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../shared/config/load.ts';
import { errorMessage } from '../shared/errors.ts';
import { mcpSources } from '../shared/tools/mcp/mcpSource.ts';
import { EXTENSION_NAMES } from '../shared/wiring/extensions.ts';
import { DONE, type ServerAnswer } from './askServers.ts';

/** The longest timer of Node, about 25 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const { servers, chains } = loadConfig(process.argv[2] ?? '', process.env, EXTENSION_NAMES);
/** Tools that stages collect with, as `server.tool`. */
const collected = new Set(
  Object.values(chains).flatMap(({ stages }) =>
    stages.flatMap(({ agents }) => agents.flatMap(({ collect = [] }) => collect.map(({ tool }) => tool))),
  ),
);
const print = (answer: ServerAnswer) => console.log(JSON.stringify(answer));

await Promise.all(
  mcpSources(servers).map(async (source) => {
    try {
      const connection = await source.connect(new AbortController().signal);
      const shortName = (name: string) => name.slice(source.name.length + 1);
      const tools = connection.tools.map(({ name }) => shortName(name));
      const changing = connection.tools.flatMap(({ name, readOnly }) => (readOnly ? [] : [shortName(name)]));
      const hinted = connection.tools.flatMap(({ name, reach }) =>
        reach === 'hinted' ? [shortName(name)] : [],
      );
      const schemas = Object.fromEntries(
        connection.tools.flatMap(({ name, inputSchema }) =>
          collected.has(name) ? [[shortName(name), inputSchema]] : [],
        ),
      );
      const withheld = (connection.withheld ?? []).map(({ name, reason }) => ({
        tool: shortName(name),
        reason,
      }));
      // Ends the session of a remote server. The guard ends local processes.
      if (servers[source.name]?.transport === 'http') await connection.close();
      print({ server: source.name, tools, changing, hinted, schemas, withheld });
    } catch (error) {
      print({ server: source.name, message: errorMessage(error) });
    }
  }),
);
// A regular exit removes the home folders of the servers.
process.once('SIGTERM', () => process.exit());
console.log(DONE);
await sleep(MAX_TIMER_MS);
