// Checks which agents can ask which: `ask_agent` among an agent's tools, and the agents in its `asks`.

import { askedFault } from '../agents/optionFaults.ts';
import { isExternalNativeTool } from '../core/contract/externalTools.ts';
import { ASK_AGENT } from '../core/schema/agent.ts';
import { asObject } from '../text/json.ts';
import { describeExpected } from '../text/suggest.ts';
import type { Files } from './files.ts';
import { agentFault } from './readAgents.ts';
import type { Fault, YamlPath } from './yamlFile.ts';

type Agents = Files['agents']['agents'];

/**
 * Faults of `asks` in validated agents, of either notation.
 * @param servers the entries of servers.yaml by name, resolved or not.
 */
export function askFaults(files: Pick<Files, 'agents'>, servers: Readonly<Record<string, unknown>>): Fault[] {
  const { agents } = files.agents;
  return Object.entries(agents).flatMap(([name, { tools, asks, outsideTools }]) => {
    const fault = (path: YamlPath, message: string): Fault => agentFault(files.agents, name, path, message);
    const position = tools.indexOf(ASK_AGENT);
    if (asks === undefined)
      return position === -1
        ? []
        : [fault(['tools', position], `${ASK_AGENT} needs to know whom; add asks: with names of agents`)];
    if (position === -1)
      return [fault(['asks'], `has no effect without the tool; add ${ASK_AGENT} to tools, or remove this`)];
    const faults = asks.flatMap((asked, index) => {
      const message = askFault(name, asked, agents);
      return message === undefined ? [] : [fault(['asks', index], message)];
    });
    const access = combineAccess(name, agents, servers);
    if (faults.length > 0 || outsideTools === 'together' || !access.isPrivate || !access.isOutside)
      return faults;
    const message =
      'lets results of private tools leave in a question: this agent and the agents it can ask have both private and outside tools. Let it ask only one kind, or set outsideTools: together';
    return [fault(['asks'], message)];
  });
}

function askFault(name: string, asked: string, agents: Agents): string | undefined {
  if (asked === name) return 'an agent cannot ask itself; remove it';
  const strategy = agents[asked]?.strategy;
  return strategy === undefined ? undefined : askedFault(asked, strategy);
}

/** Agents in `asks` that no file defines; the store can hold them. */
export function askRemarks(files: Pick<Files, 'agents'>): Fault[] {
  const { agents } = files.agents;
  return Object.entries(agents).flatMap(([name, { asks = [] }]) =>
    asks.flatMap((asked, index) => {
      if (Object.hasOwn(agents, asked)) return [];
      const message = `no file defines the agent "${asked}": it can be asked once it is stored (inquest agents push); ${describeExpected(asked, Object.keys(agents))}`;
      return [agentFault(files.agents, name, ['asks', index], message)];
    }),
  );
}

/** Whether an agent and all agents it can ask, directly or indirectly, have private or outside tools. */
function combineAccess(name: string, agents: Agents, servers: Readonly<Record<string, unknown>>) {
  const names = new Set([name]);
  for (const one of names) for (const target of agents[one]?.asks ?? []) names.add(target);
  const all = [...names].flatMap((one) => agents[one] ?? []);
  const tools = all.flatMap((agent) => agent.tools).filter((tool) => tool !== ASK_AGENT);
  const isOutside = (tool: string) => asObject(servers[tool.split('.')[0] ?? '']).reaches === 'outside';
  return {
    isPrivate: tools.some((tool) => !isOutside(tool)),
    isOutside: tools.some(isOutside) || all.some(({ nativeTools }) => nativeTools.some(isExternalNativeTool)),
  };
}
