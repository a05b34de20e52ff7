// Gives new sessions a small model while a budget of tokens is nearly used up, so that it lasts for more of them.

import type { ModelSettings, PlannedAgent, UsageLimit } from '../../../schema/agent.ts';
import { usageType } from '../../../schema/documents.ts';
import type { Session } from '../../../schema/session.ts';
import type { StateDeps } from '../../kernel/deps.ts';
import type { AddedContext } from '../../kernel/feature/intakeFeature.ts';
import type { AdmittedAlert, IntakeConfig } from '../../kernel/intake/alert.ts';
import { dailyCount } from '../../kernel/tokens/usage.ts';

/** The used share of a day's tokens from which on sessions get the small model. */
const DEGRADE_AT = 0.8;
const UNCHANGED: AddedContext = { change: {}, notice: null };

/**
 * The small model for the agents of a session that starts now, if its day has few tokens left. Agents of another provider, and
 * sessions that are already stored, keep theirs.
 * @throws RetryableError when the store fails.
 */
export async function degradeByBudget(
  { session, budgets, deferral }: Pick<AdmittedAlert, 'session' | 'budgets' | 'deferral'>,
  { smallModel }: Pick<IntakeConfig, 'smallModel'>,
  deps: Pick<StateDeps, 'store'>,
): Promise<AddedContext> {
  if (smallModel === undefined || deferral !== undefined) return UNCHANGED;
  const scarce = await findScarce(budgets.dailyTokens, session.createdAt, deps);
  if (scarce === undefined) return UNCHANGED;
  const of = scarce.chain === null ? 'all chains' : `chain ${scarce.chain}`;
  const content = `At least ${DEGRADE_AT * 100} % of the ${scarce.limit} tokens of ${of} for this day (dailyTokens) are used: agents use ${smallModel.model} (smallModel).`;
  return {
    change: { chain: withModel(session.chain, smallModel) },
    notice: { code: 'budget_low', subject: 'dailyTokens', content },
  };
}

/** The first limit of which most is used. */
async function findScarce(
  limits: readonly UsageLimit[],
  at: Date,
  { store }: Pick<StateDeps, 'store'>,
): Promise<UsageLimit | undefined> {
  const counts = await Promise.all(
    limits.map(({ chain }) => store.get(dailyCount(chain, at).path, usageType)),
  );
  return limits.find(({ limit }, index) => (counts[index]?.value.count ?? 0) >= limit * DEGRADE_AT);
}

function withModel(chain: Session['chain'], model: ModelSettings): Session['chain'] {
  const small = (agent: PlannedAgent): PlannedAgent =>
    agent.model.provider === model.provider ? { ...agent, model } : agent;
  return {
    ...chain,
    stages: chain.stages.map((stage) => ({
      ...stage,
      agents: stage.agents.map(small),
      synthesis: stage.synthesis && small(stage.synthesis),
    })),
  };
}
