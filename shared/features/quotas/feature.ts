// Quotas of models and limits of observed systems, which all instances share.

import { UNLIMITED } from '../../core/iteration/context/features.ts';
import type { BudgetFeature, Feature } from '../../core/kernel/feature/feature.ts';
import { modelRequest, withQuotas } from './modelQuota.ts';
import { admitCalls, countCalls } from './serverQuota.ts';
import { slowDown } from './takeQuota.ts';

/**
 * Takes a part of a quota before each request and call. Without one the execution waits.
 * @param budgets reserve tokens before the quota is taken. Default: there is no limit of tokens.
 */
export function quotasFeature(budgets: Partial<BudgetFeature>): Feature {
  return {
    budgets: withQuotas({ ...UNLIMITED, ...budgets }),
    offerTools: (tools, context) => countCalls(tools, context),
    admitCalls,
    async afterFailure(context, { error }) {
      if (error.code !== 'MODEL_QUOTA') return undefined;
      const { agent, deps } = context;
      const refused = await modelRequest(context, agent.model, () => 0);
      if (refused !== undefined) await slowDown(refused.wanted, refused.quotas, deps);
      return undefined;
    },
  };
}
