// Lists the tools of each MCP server of a configuration, as an iteration does: `node local/listTools.ts
// FOLDER PROBES`. Prints a line of JSON for each server, and `done`. Then it waits until the guard ends it:
// the guard finds the children of the servers only while their parents run.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../shared/config/load.ts';
import { expandVariables } from '../shared/config/variables.ts';
import type { ConnectedSource } from '../shared/core/contract/tools.ts';
import { errorMessage } from '../shared/core/errors.ts';
import { toolDigest } from '../shared/core/kernel/tools/toolDigest.ts';
import { workFile } from '../shared/projectFiles.ts';
import { createMemoryStore } from '../shared/store/memory/memoryStore.ts';
import { parseJson } from '../shared/text/json.ts';
import { createFileVault } from '../shared/tools/mcp/auth/fileVault.ts';
import { createRefreshLeases } from '../shared/tools/mcp/auth/refreshLeases.ts';
import { createServerTokens } from '../shared/tools/mcp/auth/serverTokens.ts';
import { type ConnectServer, connectWith, type ToolList } from '../shared/tools/mcp/mcpConnection.ts';
import { mcpSources } from '../shared/tools/mcp/mcpSource.ts';
import { EXTENSION_NAMES } from '../shared/wiring/extensions.ts';
import { LOGIN_FOLDER } from '../shared/wiring/openLogins.ts';
import { DONE, probesSchema, type ServerAnswer } from './askServers.ts';

/** The longest timer of Node, about 25 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Of one probe. */
const PROBE_MS = 10_000;
const MAX_PROBE_BYTES = 10_000;

const { servers, chains } = loadConfig(process.argv[2] ?? '', process.env, EXTENSION_NAMES, 'accepted');
/** Tools that stages collect with, as `server.tool`. */
const collected = new Set(
  Object.values(chains).flatMap(({ stages }) =>
    stages.flatMap(({ agents }) => agents.flatMap(({ collect = [] }) => collect.map(({ tool }) => tool))),
  ),
);
// Logins of this machine only: an installation refreshes its own.
const leases = createRefreshLeases(createMemoryStore(), Date.now, randomUUID);
const tokens = createServerTokens({ logins: { vault: createFileVault(workFile(LOGIN_FOLDER)), leases } });
const connect = connectWith(tokens);
const probes = probesSchema.parse(parseJson(process.argv[3] ?? ''));
const probed = Object.fromEntries(Object.entries(servers).filter(([name]) => Object.hasOwn(probes, name)));
/** The list of each server, before Inquest decides which tools it offers. */
const listed = new Map<string, ToolList>();
const print = (answer: ServerAnswer) => console.log(JSON.stringify(answer));

await Promise.all(
  mcpSources(probed, connectAndKeepList).map(async (source) => {
    try {
      const connection = await source.connect(new AbortController().signal);
      const shortName = (name: string) => name.slice(source.name.length + 1);
      const tools = connection.tools.map(({ name }) => shortName(name));
      const changing = connection.tools.flatMap(({ name, readOnly }) => (readOnly ? [] : [shortName(name)]));
      const hinted = connection.tools.flatMap(({ name, external }) =>
        external === 'hinted' ? [shortName(name)] : [],
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
      const digests = digestServerTools(source.name);
      const probe = await runProbe(source.name, connection);
      // Ends the session of a remote server. The guard ends local processes.
      if (servers[source.name]?.transport === 'http') await connection.close();
      print({
        server: source.name,
        tools,
        changing,
        hinted,
        schemas,
        withheld,
        digests,
        ...(connection.missing && {
          missing: connection.missing.map(({ name, error }) => ({
            instance: shortName(name),
            message: error.message,
          })),
        }),
        ...(probe && { probe }),
      });
    } catch (error) {
      print({ server: source.name, message: errorMessage(error) });
    }
  }),
);
// A regular exit removes the home folders of the servers.
process.once('SIGTERM', () => process.exit());
console.log(DONE);
await sleep(MAX_TIMER_MS);

async function connectAndKeepList(...args: Parameters<ConnectServer>): ReturnType<ConnectServer> {
  const connection = await connect(...args);
  listed.set(args[0], connection.listed);
  return connection;
}

function digestServerTools(server: string): Record<string, string> {
  const tools = listed.get(server)?.tools ?? [];
  return Object.fromEntries(
    tools.map(({ name, description = '', inputSchema }) => [
      name,
      toolDigest({ name, description, inputSchema, readOnly: true }),
    ]),
  );
}

/** Makes the call to a server; to each of its instances that are connected, if it has some. */
async function runProbe(server: string, connection: ConnectedSource) {
  const probe = probes[server];
  if (!probe) return undefined;
  const name = `${server}.${probe.tool}`;
  if (!connection.tools.some((tool) => tool.name === name))
    return { content: `the server offers no read-only tool ${probe.tool}`, isError: true };
  const faults: string[] = [];
  const filled = JSON.stringify(probe.arguments, (_, value) => {
    if (typeof value !== 'string') return value;
    const expansion = expandVariables(value, process.env);
    if (expansion.ok) return expansion.text;
    faults.push(...expansion.messages);
    return value;
  });
  if (faults.length > 0) return { content: faults.join('; '), isError: true };
  const { instances } = servers[server] ?? {};
  const absent = (connection.missing ?? []).map((one) => one.name);
  const places = Object.keys(instances?.list ?? {}).filter((one) => !absent.includes(`${server}.${one}`));
  const results = await Promise.all(
    (instances === undefined ? [{}] : places.map((one) => ({ [instances.parameter]: one }))).map((place) =>
      connection.call(
        { callId: 'probe', name, arguments: JSON.stringify({ ...JSON.parse(filled), ...place }) },
        {
          timeoutMs: PROBE_MS,
          maxResultBytes: MAX_PROBE_BYTES,
          mask: (text) => ({ text, count: 0 }),
          signal: AbortSignal.timeout(PROBE_MS),
          idempotencyKey: 'probe',
          traceparent: null,
        },
      ),
    ),
  );
  const [shown] = [...results.filter(({ isError }) => isError), ...results];
  return shown && { content: shown.content, isError: shown.isError };
}
