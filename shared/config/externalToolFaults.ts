// Finds agents with both private and outside tools, which could leak the data that they read.

import { externalToolFaults as findFaults, SEPARATE } from '../agents/optionFaults.ts';
import { BUILT_IN_TOOLS } from '../core/schema/agent.ts';
import { asObject } from '../text/json.ts';
import type { Files } from './files.ts';
import { ANY_REFERENCE, agentFault, readAgents } from './readAgents.ts';
import { readFolder } from './readFolder.ts';
import type { Fault } from './yamlFile.ts';

/**
 * Faults of validated agents that servers.yaml shows to have both private and outside tools.
 * @param servers the entries of servers.yaml, validated or not.
 */
export function externalToolFaults(
  { agents }: Pick<Files, 'agents'>,
  servers: Readonly<Record<string, unknown>>,
): Fault[] {
  const isOutside = (tool: string) => asObject(servers[cutToolServer(tool)]).reaches === 'outside';
  const explain = (tool: string) =>
    BUILT_IN_TOOLS.includes(tool)
      ? ''
      : `; or set reaches: outside for "${cutToolServer(tool)}" in servers.yaml if all its tools reach outside`;
  return Object.entries(agents.agents).flatMap(([name, agent]) =>
    findFaults(agent, isOutside, explain).map(({ path, message }) => agentFault(agents, name, path, message)),
  );
}

interface HintedTool {
  /** Name of the agent. */
  agent: string;
  /** `server.tool` */
  tool: string;
}

/**
 * Tools that are not offered because of servers' hints: a fault for each tool that an agent names, and the
 * tools of servers that it names as a whole.
 * @param offered tools that each server offers; tools of servers that did not respond count as private.
 * @param hinted the offered tools that their servers hint as outside tools.
 */
export function hintedToolFaults(
  folder: string,
  offered: ReadonlyMap<string, readonly string[]>,
  hinted: ReadonlyMap<string, readonly string[]>,
): { faults: Fault[]; withheld: HintedTool[] } {
  const files = readFolder(folder, []);
  const { servers } = files;
  const agents = readAgents(files, ANY_REFERENCE, []);
  if (agents === undefined) return { faults: [], withheld: [] };
  const configured = asObject(asObject(servers.value).servers);
  const faults: Fault[] = [];
  const withheld: HintedTool[] = [];
  for (const [agent, { tools, outsideTools }] of Object.entries(agents.agents)) {
    const isHinted = (tool: string) =>
      hinted.get(cutToolServer(tool))?.includes(tool.slice(cutToolServer(tool).length + 1)) === true;
    const isOutside = (tool: string) => asObject(configured[cutToolServer(tool)]).reaches === 'outside';
    const named = tools.flatMap((name, index) =>
      expandToolName(name, offered).map((tool) => ({ tool, index, isWhole: name !== tool })),
    );
    if (outsideTools === 'together' || !named.some(({ tool }) => !isHinted(tool) && !isOutside(tool)))
      continue;
    for (const { tool, index, isWhole } of named.filter(({ tool }) => isHinted(tool))) {
      withheld.push({ agent, tool });
      if (isWhole) continue;
      const server = cutToolServer(tool);
      const message = `the server "${server}" hints that ${tool} reaches outside, and the agent has private tools. Set reaches: inside for "${server}" in servers.yaml if it does not; else: ${SEPARATE}`;
      faults.push(agentFault(agents, agent, ['tools', index], message));
    }
  }
  return { faults, withheld };
}

const cutToolServer = (tool: string): string => tool.split('.')[0] ?? '';

/** The tools that a name in an agent's list includes; the name itself where they are unknown. */
function expandToolName(name: string, offered: ReadonlyMap<string, readonly string[]>): string[] {
  const tools = offered.get(name);
  return tools === undefined ? [name] : tools.map((tool) => `${name}.${tool}`);
}
