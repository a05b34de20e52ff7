// The tools of the agents of a stage: those of agents.yaml that chain and stage allow, and no others.

import { narrowTools } from '../agents/planAgent.ts';
import type { Fault } from './configError.ts';
import type { Files } from './files.ts';
import { faultAt, type YamlPath } from './yamlFile.ts';

/** Faults of `tools` in validated chains: entries without effect, and agents left without tools. */
export function stageToolFaults({ agents, chains }: Pick<Files, 'agents' | 'chains'>): Fault[] {
  const toolsOf = (name: string) => agents.agents[name]?.tools ?? [];
  return Object.entries(chains.chains).flatMap(([chain, { stages, tools: ofChain }]) => {
    const yaml = chains.fileOf(chain);
    const fault = (path: YamlPath, message: string) => faultAt(yaml, ['chains', chain, ...path], message);
    const namedAgents = stages.flatMap((stage) => stage.agents.map(({ agent }) => agent));
    const faults = unusedFaults(ofChain, namedAgents.flatMap(toolsOf), ['tools'], fault);
    for (const [index, { agents: entries, tools: ofStage }] of stages.entries()) {
      const path = ['stages', index, 'tools'];
      const given = entries.flatMap(({ agent }) => narrowTools(toolsOf(agent), ofChain));
      faults.push(...unusedFaults(ofStage, given, path, fault));
      for (const { agent } of entries) {
        const own = toolsOf(agent);
        if (own.length === 0 || narrowTools(narrowTools(own, ofChain), ofStage).length > 0) continue;
        const message = `leaves agent "${agent}" none of its tools (${own.join(', ')}); allow one of them`;
        faults.push(fault(ofStage === undefined ? ['tools'] : path, message));
      }
    }
    return faults;
  });
}

function unusedFaults(
  allowed: readonly string[] | undefined,
  given: readonly string[],
  path: YamlPath,
  fault: (path: YamlPath, message: string) => Fault,
): Fault[] {
  return (allowed ?? []).flatMap((tool, index) => {
    if (narrowTools(given, [tool]).length > 0) return [];
    const message = `no agent here has "${tool}"; this list only takes tools away, so give it to one in agents.yaml, or remove it`;
    return [fault([...path, index], message)];
  });
}
