// Calls that are made before an agent is asked: which there are, and the rule that they are made once, in the
// first iteration, change nothing, fail nothing, and stand in front of every conversation.

import type { CollectCall } from '../../../../shared/core/schema/agent.ts';
import type { Execution } from '../../../../shared/core/schema/execution.ts';
import type { Interaction } from '../../../../shared/core/schema/interaction.ts';
import type { Message } from '../../../../shared/core/schema/message.ts';
import type { TimelineEvent } from '../../../../shared/core/schema/timelineEvent.ts';
import { isForContrast } from '../../../../shared/schema/collected.ts';
import { READ_TOOL } from '../../helpers.ts';
import { executionKey } from '../../record.ts';
import { CHANGE_TOOL } from '../../simulatedModel.ts';
import type { World } from '../../world.ts';
import { isContrastResult } from '../claims/rulesRule.ts';

type Violate = (rule: string, detail: string) => void;

const read = (name: string): CollectCall => ({ tool: READ_TOOL, arguments: JSON.stringify({ name }) });

/** Two that look, one that would change something, and one whose label the alerts of a run do not have. */
export const SIMULATED_COLLECT: CollectCall[] = [
  read('web-1'),
  { tool: CHANGE_TOOL, arguments: JSON.stringify({ name: 'web-2' }) },
  read(`\${labels.pod}`),
  read('web-3'),
];
const MADE = `${READ_TOOL} ${CHANGE_TOOL} ${READ_TOOL}`;
const MADE_FOR_RULES = `${READ_TOOL} ${READ_TOOL}`;

/** One write of an execution: what was collected leaves neither a failure nor a time-out behind. */
export function checkCollected(was: Execution, is: Execution, violate: Violate): void {
  if (!is.collects || was.iteration !== 1 || is.iteration !== 2) return;
  if (is.consecutiveTimeouts > 0 || is.lastInteractionFailed)
    violate('collect', `${is.executionId} begins with ${is.consecutiveTimeouts} time-outs and a failure`);
}

/** An execution at its end. */
export function checkCollect(
  execution: Execution,
  timeline: TimelineEvent[],
  messages: Message[],
  interactions: Interaction[],
  { plan, record }: World,
  violate: Violate,
): void {
  const { executionId, collects, iteration, limits, caveats } = execution;
  const own = executionKey(execution);
  const made = timeline
    .filter((event) => event.eventType === 'mcp_tool_call')
    .filter(({ metadata }) => !isForContrast(metadata.callId));
  if (!collects) {
    if (made.length > 0) violate('collect', `${executionId} collects, and was not to`);
    return;
  }
  const names = made.map(({ metadata }) => metadata.toolName).join(' ');
  const skipped = timeline.filter(
    (event) => event.eventType === 'notice' && event.metadata.code === 'collect_skipped',
  ).length;
  const hasBegun = made.length + skipped > 0;
  const [wanted, left] = plan.rules ? [MADE_FOR_RULES, 0] : [MADE, 1];
  if ((hasBegun || iteration > 1) && (names !== wanted || skipped !== left))
    violate('collect', `${executionId} made ${names}, and left out ${skipped}`);
  if (made.some((event) => event.iteration !== 1))
    violate('collect', `${executionId} collects after its first iteration`);
  if (interactions.some((one) => one.iteration === 1))
    violate('collect', `${executionId} asks its model before it has collected`);
  const changing = record.activities.some(
    (one) => executionKey(one) === own && one.iteration === 1 && one.kind === 'tool' && !one.readOnly,
  );
  if (changing) violate('collect', `${executionId} changes something before it begins`);
  const firstAnswer = messages.findIndex(({ role }) => role === 'assistant');
  const before = messages.slice(0, firstAnswer === -1 ? undefined : firstAnswer);
  const results = before.filter((one) => one.role === 'tool' && !isContrastResult(one)).length;
  if (interactions.length > 0 && results !== made.length)
    violate('collect', `${executionId} begins with ${results} of ${made.length} results`);
  // With other models the number of iterations says less.
  const last = limits.maxIterations + 1;
  if (plan.fallback === 0 && caveats.includes('MAX_ITERATIONS') && iteration !== last + 1)
    violate('collect', `${executionId} concludes in iteration ${iteration} of ${last}`);
}
