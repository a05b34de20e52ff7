// Calls that an agent made before in the same way.

import type { EventOf } from '../../../../shared/api/types.ts';
import { stepId } from '../../model/address.ts';
import type { CallStep } from '../../model/steps.ts';
import type { Timeline } from '../../model/timeline.ts';

type ResultEvent = EventOf<'tool_result'>;

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
  return {
    href: `#${stepId(before)}`,
    iteration: before.iteration,
    isEqual: result && other && isSameResult(result, other),
  };
}

/** Undefined where the known parts do not show it. */
function isSameResult(one: ResultEvent, other: ResultEvent): boolean | undefined {
  if (one.bytes !== other.bytes || one.lines !== other.lines) return false;
  return one.cut || other.cut ? undefined : one.content === other.content;
}
