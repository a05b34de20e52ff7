// Checks that an agent's native tools fit its model.

import { nativeToolFaults as findFaults } from '../agents/optionFaults.ts';
import { listAgentModels } from './agentModels.ts';
import type { Fault } from './configError.ts';
import type { Files } from './files.ts';
import { agentFault } from './readAgents.ts';

/** Faults of `combineNativeTools` in validated agents, and of native tools beside skills. */
export function nativeToolFaults({ agents, models }: Pick<Files, 'agents' | 'models'>): Fault[] {
  return Object.entries(agents.agents).flatMap(([name, agent]) =>
    findFaults(agent, listAgentModels(agent, models)).map(({ path, message }) =>
      agentFault(agents, name, path, message),
    ),
  );
}
