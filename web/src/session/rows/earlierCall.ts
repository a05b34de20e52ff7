// Calls that an agent made before in the same way.

import { stepId } from '../../model/address.ts';
import type { CallStep } from '../../model/steps.ts';
import type { Timeline } from '../../model/timeline.ts';

/** A call with the same tool and arguments. */
interface EarlierCall {
  href: string;
  iteration: number;
  /** Whether it had the same result; undefined while one of them has none, or only a part is known. */
  isEqual: boolean | undefined;
}

/** The first call of the same agent in an earlier iteration with the same tool and arguments. */
export function earlierCall(timeline: Timeline, { call, result }: CallStep): EarlierCall | undefined {
  const before = timeline.callsLike(call).find(({ iteration }) => (iteration ?? 0) < (call.iteration ?? 0));
  if (before === undefined || before.iteration === null) return undefined;
  const other = timeline.resultOf(before);
  const isKnown = result !== undefined && other !== undefined && !result.cut && !other.cut;
  return {
    href: `#${stepId(before)}`,
    iteration: before.iteration,
    isEqual: isKnown ? result.content === other.content : undefined,
  };
}
