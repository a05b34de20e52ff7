// Compares a pack with the server of a configuration.

import { askServers } from '../../local/askServers.ts';
import type { Config } from '../../shared/config/config.ts';
import type { McpServerConfig } from '../../shared/contract/mcpServer.ts';
import { withoutFields } from '../../shared/evidence/records/fieldList.ts';
import { closestPattern, matchesAny } from '../../shared/text/pattern.ts';
import { checkDownloads } from './downloads.ts';
import type { Pack, PackServer } from './pack.ts';

/** Longest part of a failed probe's result that is shown, in characters. */
const MAX_EXCERPT = 300;

interface ListedServer {
  /** Digests of the definitions by name. */
  digests: Record<string, string>;
  /** The patterns under `readOnly`. */
  readOnly: readonly string[];
  /** The kinds under `yields`. Default: none. */
  yields?: McpServerConfig['yields'];
  /** The field list. */
  fields?: string | undefined;
  /** The result of the probe. */
  probe?: { content: string; isError: boolean } | undefined;
}

/** The differences between a pack and its server. */
interface PackCheck {
  /** A line for people about each difference; one line that there is none. */
  lines: string[];
  isSame: boolean;
}

/**
 * Asks the servers of a pack for their tools, makes their probes, and compares what npm downloads for them
 * with their locks.
 * @param servers those of the configuration in `folder`.
 * @throws as `askServers`.
 */
export async function checkPack(
  folder: string,
  servers: Config['servers'],
  pack: Pack,
  signal: AbortSignal,
): Promise<PackCheck> {
  const probes = Object.fromEntries(
    pack.servers.map(({ name, probe: { tool, arguments: args } }) => [name, { tool, arguments: args }]),
  );
  const answers = await askServers(folder, process.env, signal, probes);
  const compare = async (server: PackServer): Promise<PackCheck> => {
    const answer = answers.find((one) => one.server === server.name);
    if (answer === undefined || 'message' in answer)
      return { lines: [`does not answer: ${answer?.message ?? 'it is not configured'}`], isSame: false };
    const { digests, probe } = answer;
    const { readOnly = [], yields, fields } = servers[server.name] ?? {};
    const own = { digests, probe, readOnly, yields, fields };
    const tools = compareTools(server, pack.listChecked.date, own);
    const { differences, notes } = await checkDownloads(server, servers[server.name], signal);
    return {
      lines: [...differences, ...tools.lines, ...notes],
      isSame: tools.isSame && differences.length === 0,
    };
  };
  const checks = await Promise.all(pack.servers.map(compare));
  return { lines: checks.flatMap(({ lines }) => lines), isSame: checks.every(({ isSame }) => isSame) };
}

/** Compares a server of a pack with the tools that it lists. @param checked the day of the pack. */
export function compareTools(
  pack: Pick<PackServer, 'name' | 'tools'>,
  checked: string,
  server: ListedServer,
): PackCheck {
  const { digests, readOnly, yields = {}, fields, probe } = server;
  const live = Object.keys(digests);
  const removed = Object.keys(pack.tools).filter((tool) => !live.includes(tool));
  const changed = Object.entries(pack.tools).flatMap(([tool, { digest }]) =>
    digest !== undefined && digests[tool] !== undefined && digests[tool] !== digest ? [tool] : [],
  );
  const added = live.filter((tool) => !Object.hasOwn(pack.tools, tool));
  const unknown = readOnly.filter(
    (pattern) => !removed.includes(pattern) && !live.some((tool) => matchesAny(tool, [pattern])),
  );
  const lines = [
    ...removed.map((tool) => `removed: ${tool} is not on the server; remove it from readOnly`),
    ...changed.map((tool) => `changed: the definition of ${tool} differs from that of ${checked}`),
    ...unknown.map((tool) => `unknown: ${tool} under readOnly is no tool of the server`),
    ...wrongYields(pack.tools, yields),
    ...(probe?.isError ? [`probe failed: ${probe.content.slice(0, MAX_EXCERPT)}`] : []),
  ];
  const notes = [
    ...added.map((tool) =>
      matchesAny(tool, readOnly)
        ? `offered, and not in the pack: ${tool}`
        : `not in the pack, and not offered: ${tool}`,
    ),
    ...withoutFields(live, { yields, fields }).map(
      (tool) => `without a field list, so a text to a verdict: ${tool}`,
    ),
  ];
  const isSame = lines.length === 0;
  return {
    lines: isSame
      ? [`no difference: ${pack.name} has the ${Object.keys(pack.tools).length} tools of the pack`, ...notes]
      : [...lines, ...notes],
    isSame,
  };
}

/** Tools trusted as `state` or `change` although the pack knows that they return text. */
function wrongYields(tools: PackServer['tools'], yields: NonNullable<McpServerConfig['yields']>): string[] {
  return Object.entries(tools).flatMap(([tool, { yields: known }]) => {
    const kind = yields[closestPattern(tool, Object.keys(yields)) ?? ''] ?? 'text';
    if (known !== 'text' || kind === 'text') return [];
    return [
      `yields: ${tool} returns text that others can write, and servers.yaml has ${kind}; remove it from yields`,
    ];
  });
}
