// Gives new sessions' agents budgets, and a small model when one is nearly used up.

import { budgetText, DEGRADE_AT, withLimits } from '../../config/budgets.ts';
import { mapAgents, mapStages } from '../../config/mapAgents.ts';
import { chainLimits, limitsOfSession } from '../../config/sessionLimits.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { captureFailure } from '../../core/kernel/documents/reading.ts';
import type { UsageLimit } from '../../core/schema/agent.ts';
import type { AdmittedAlert, IntakeConfig } from '../../kits/alerts/alert.ts';
import type { AddedContext } from '../../kits/alerts/intakeFeature.ts';
import { readUsed } from '../../kits/allowances/takeAllowance.ts';
import { tokenAllowance } from '../../kits/budgets/usageLimits.ts';

/**
 * The budgets of a session's agents, and the small model for those of a session that starts now, if a budget
 * has few tokens left. Agents of another provider, and sessions that are already stored, keep theirs.
 * @throws RetryableError when the store fails.
 */
export async function degradeByBudget(
  { session, budgets, deferral }: Pick<AdmittedAlert, 'session' | 'budgets' | 'deferral'>,
  config: Pick<IntakeConfig, 'smallModel' | 'budgetRules' | 'reserveForCritical'>,
  deps: Pick<StateDeps, 'store' | 'clock'>,
): Promise<AddedContext> {
  const named = limitsOfSession(session, config);
  const chain = mapAgents(session.chain, (agent) =>
    withLimits(agent, named, chainLimits(agent, session, config)),
  );
  const { smallModel } = config;
  const limits = [...named, ...budgets.dailyTokens];
  const isSmall = smallModel !== undefined && deferral === undefined;
  const scarce = isSmall ? await findScarce(limits, session.createdAt, deps) : undefined;
  if (scarce === undefined || smallModel === undefined) return { change: { chain }, notice: null };
  const { budget } = scarce;
  const ofDay = `${scarce.chain === null ? 'all chains' : `chain ${scarce.chain}`} for this day (dailyTokens)`;
  const of = budget === undefined ? ofDay : `${budgetText(budget)} for this ${budget.period}`;
  const content = `At least ${DEGRADE_AT * 100} % of the ${scarce.limit} tokens of ${of} are used: agents use ${smallModel.model} (smallModel).`;
  const small = mapStages(chain, (agent) =>
    agent.model.provider === smallModel.provider ? { ...agent, model: smallModel } : agent,
  );
  return {
    change: { chain: small },
    notice: { code: 'budget_low', subject: budget?.name ?? 'dailyTokens', content },
  };
}

/** The first limit of which most is used. */
async function findScarce(
  limits: readonly UsageLimit[],
  at: Date,
  deps: Pick<StateDeps, 'store' | 'clock'>,
): Promise<UsageLimit | undefined> {
  // A broken count keeps no alert from its session.
  const counts = await Promise.all(
    limits.map((limit) => captureFailure(readUsed(tokenAllowance(limit), at, deps))),
  );
  return limits.find(({ limit }, index) => (counts[index]?.value ?? 0) >= limit * DEGRADE_AT);
}
