// Makes the read-only calls of packs whose servers a configuration has.

import { askServers } from '../../local/askServers.ts';
import { packNames, readPack } from './pack.ts';

/** The result of a pack's call to a server. */
export interface ProbeOutcome {
  /** Name of the server in servers.yaml. */
  server: string;
  /** Name of the pack. */
  pack: string;
  /** Name of the called tool. */
  tool: string;
  /** Text of the error; absent when the call succeeded. */
  error?: string;
}

/**
 * Calls the servers that have the name of a pack's server, and offer the tool of its call.
 * @param offered tools that the servers of the configuration offer, by server.
 * @throws as `askServers`.
 */
export async function probePacks(
  folder: string,
  offered: ReadonlyMap<string, readonly string[]>,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<ProbeOutcome[]> {
  const probed = packNames().flatMap((pack) =>
    readPack(pack)
      .servers.filter(({ name, probe }) => offered.get(name)?.includes(probe.tool))
      .map(({ name, probe }) => ({ server: name, pack, probe })),
  );
  if (probed.length === 0) return [];
  const probes = Object.fromEntries(probed.map(({ server, probe }) => [server, probe]));
  const answers = await askServers(folder, env, signal, probes);
  return probed.map(({ server, pack, probe: { tool } }) => {
    const answer = answers.find((one) => one.server === server);
    const error =
      answer === undefined || 'message' in answer
        ? (answer?.message ?? 'it did not answer')
        : answer.probe?.isError
          ? answer.probe.content
          : undefined;
    return { server, pack, tool, ...(error !== undefined && { error }) };
  });
}
