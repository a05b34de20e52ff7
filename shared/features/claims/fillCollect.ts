// Fills the time and the alert's own condition into the calls that a stage collects. Pure.

import { readSessionAlert } from '../../alerts/schema/alert.ts';
import type { CollectCall } from '../../core/schema/agent.ts';
import type { WithParts } from '../../core/schema/parts.ts';
import { argumentsAt } from '../../evidence/probe.ts';
import { queryOfAlert } from '../../evidence/symptom.ts';

const CONDITION = JSON.stringify(`\${condition}`);

/** The calls with `${now-1h}` and `${condition}` filled in; without a condition fewer calls. */
export function fillCollect(collect: readonly CollectCall[], session: WithParts, now: Date): CollectCall[] {
  const alert = readSessionAlert(session);
  const urls = [alert?.url, ...(alert?.links ?? []).map(({ url }) => url)].filter((url) => url != null);
  const query = queryOfAlert(urls);
  return collect.flatMap(({ tool, arguments: args }) => {
    // A condition that looks like a reference would be filled in as one.
    if (args.includes(CONDITION) && (query === undefined || query.includes(`\${`))) return [];
    const timed = argumentsAt({ arguments: args }, now);
    return [{ tool, arguments: timed.replaceAll(CONDITION, () => JSON.stringify(query)) }];
  });
}
