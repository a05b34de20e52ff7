// Quotas of models and limits of observed systems, which all instances share.

import type { BudgetFeature, Feature } from '../../core/kernel/feature/feature.ts';
import { modelRequest, withQuotas } from './modelQuota.ts';
import { admitCalls, countCalls } from './serverQuota.ts';
import { slowDown } from './takeQuota.ts';
import type { Deadlines } from './waitForQuota.ts';

/**
 * Takes a part of a quota before each request and call. Without one the execution waits.
 * @param budgets reserve tokens before the quota is taken.
 */
export function quotasFeature(budgets: BudgetFeature, deadlines: Deadlines): Feature {
  return {
    budgets: withQuotas(budgets, deadlines),
    offerTools: (tools, context) => countCalls(tools, context),
    admitCalls: (context, wave) => admitCalls(context, wave, deadlines),
    async afterFailure(context, { error }) {
      if (error.code !== 'MODEL_QUOTA') return undefined;
      const { agent, deps } = context;
      const refused = await modelRequest(context, agent.model, () => 0, deadlines);
      if (refused !== undefined) await slowDown(refused.asked, refused.quotas, deps);
      return undefined;
    },
  };
}
