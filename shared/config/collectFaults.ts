// Checks `collect` of validated chains: each call uses a read-only tool that an agent of its stage has.

import { narrowTools } from '../agents/planAgent.ts';
import { asArray, asObject, asText } from '../text/json.ts';
import { matchesAny } from '../text/pattern.ts';
import type { Fault } from './configError.ts';
import type { Files } from './files.ts';
import { faultAt } from './yamlFile.ts';

/**
 * Faults that the files show. `collectedToolFaults` checks the tools of servers and their hints.
 * @param servers the entries of servers.yaml, validated or not.
 */
export function collectFaults(
  { agents, chains }: Pick<Files, 'agents' | 'chains'>,
  servers: Readonly<Record<string, unknown>>,
): Fault[] {
  return Object.entries(chains.chains).flatMap(([chain, { stages, tools: ofChain }]) =>
    stages.flatMap(({ agents: entries, tools: ofStage, collect = [] }, index) => {
      const given = entries.flatMap(({ agent }) =>
        narrowTools(narrowTools(agents.agents[agent]?.tools ?? [], ofChain), ofStage),
      );
      return collect.flatMap(({ tool }, position) => {
        const message =
          narrowTools(given, [tool]).length === 0
            ? `no agent of this stage has "${tool}"; give it to one in agents.yaml and in the lists of tools here, or remove this call`
            : changingFault(tool, servers);
        const path = ['chains', chain, 'stages', index, 'collect', position, 'tool'];
        return message === undefined ? [] : [faultAt(chains.fileOf(chain), path, message)];
      });
    }),
  );
}

/** Why servers.yaml excludes a tool as not read-only; undefined where its server can hint otherwise. */
function changingFault(reference: string, servers: Readonly<Record<string, unknown>>): string | undefined {
  const [server = '', ...rest] = reference.split('.');
  const { readOnly, trustHints } = asObject(servers[server]);
  const patterns = asArray(readOnly).flatMap((pattern) => asText(pattern) ?? []);
  if (!Object.hasOwn(servers, server) || trustHints === true || matchesAny(rest.join('.'), patterns))
    return undefined;
  return `"${reference}" may change something, and only read-only tools are called before agents start; list it under readOnly of "${server}" in servers.yaml if it only reads, or remove this call`;
}
