// Gives the agents of a new session the service tier for its alert.

import { readSessionAlert } from '../../alerts/schema/alert.ts';
import { mapStages } from '../../config/mapAgents.ts';
import type { PlannedAgent } from '../../core/schema/agent.ts';
import { withTier } from '../../kits/agents/serviceTier.ts';
import type { IntakeFeature } from '../../kits/alerts/intakeFeature.ts';

/**
 * The feature. The summary and the check of claims keep the tier of their model, because their calls are
 * short. A person waits for answers to questions: they have no tier of a severity.
 * @param isCheck whether it is for checks.
 */
export function serviceTiers(isCheck: boolean): IntakeFeature {
  return {
    async addContext({ session }) {
      const { chain } = session;
      const alert = readSessionAlert(session);
      const staged = mapStages(chain, (agent) => withTier(agent, alert?.severity ?? 'warning', isCheck));
      const chat: { chat?: PlannedAgent } = chain.chat ? { chat: withTier(chain.chat, null, false) } : {};
      return { change: { chain: { ...staged, ...chat } }, notice: null };
    },
  };
}
