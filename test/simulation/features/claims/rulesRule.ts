// Rules over collected results: the calls and the alert of such a run, and the rules that a fact has a
// healthy sibling, stands once before the first answer, and is the analysis only where no agent has one.

import { isDeepStrictEqual } from 'node:util';
import type { CollectCall } from '../../../../shared/core/schema/agent.ts';
import type { Execution } from '../../../../shared/core/schema/execution.ts';
import type { Message } from '../../../../shared/core/schema/message.ts';
import { readPart } from '../../../../shared/core/schema/parts.ts';
import type { Session } from '../../../../shared/core/schema/session.ts';
import { verdictPart } from '../../../../shared/evidence/schema/verdict.ts';
import { answerByRule } from '../../../../shared/features/claims/judgeByRule.ts';
import { isRuleFact } from '../../../../shared/prompt/ruleFact.ts';
import { isForContrast } from '../../../../shared/schema/collected.ts';
import type { World } from '../../world.ts';
import { isContrast, SEEN, SUSPECT } from './simulatedLedger.ts';

/** The suspected pod of the alert, and another one of its workload, by which code looks for contrast. */
export const RULE_ALERT = { labels: { cluster: 'sim', namespace: 'shop', pod: SUSPECT } };
/** The calls that the rules read. */
export const ruleCollect = (tool: string): CollectCall[] =>
  SEEN.map((name) => ({ tool, arguments: JSON.stringify({ name }) }));

type Violate = (rule: string, detail: string) => void;

/** Calls for contrast of an agent. */
const MOST_CALLS = 6;

/** A healthy pod, as a call for contrast finds it. */
export const isWell = ({ blocks }: Message): boolean =>
  blocks.some(
    (block) =>
      block.blockType === 'tool_result' &&
      !block.isError &&
      /status: "True"[\s\S]*reason: Completed/.test(block.textContent),
  );

/** Whether a message has the result of a call for contrast that an agent's rules made. */
export const isContrastResult = ({ blocks: [block] }: Message): boolean =>
  block?.blockType === 'tool_result' && isForContrast(block.toolUseId);

/** Whether a message has a result of a call for contrast, of rules or before a check of claims. */
const isOfContrast = (message: Message): boolean => isContrast(message) || isContrastResult(message);

/** Checks the facts of a session, and its answer by rule. */
export async function checkRules(
  session: Session,
  { executions, messages }: { executions: Execution[]; messages: Message[] },
  { plan, reader }: Pick<World, 'plan' | 'reader'>,
  violate: Violate,
): Promise<void> {
  const { sessionId } = session;
  const verdict = readPart(verdictPart, session) ?? null;
  for (const { executionId, limits } of executions) {
    const own = messages
      .filter((message) => message.executionId === executionId)
      .toSorted((a, b) => a.sequenceNumber - b.sequenceNumber);
    const answer = own.findIndex(({ role }) => role === 'assistant');
    const facts = own.flatMap(({ blocks: [block] }, index) =>
      block?.blockType === 'text' && isRuleFact(block.textContent) ? [index] : [],
    );
    const asked = own.filter(isContrastResult);
    if (!plan.rules && facts.length + asked.length > 0) violate('rules', `${executionId} has rules`);
    if (facts.length > 1) violate('rules', `${executionId} has ${facts.length} facts`);
    if (facts.some((index) => answer !== -1 && index > answer))
      violate('rules', `${executionId} has a fact after its first answer`);
    if (asked.length > Math.min(MOST_CALLS, limits.maxIterations === 1 ? 0 : 1))
      violate('rules', `${executionId} makes ${asked.length} calls for contrast`);
    if (facts.length > 0 && !messages.some((one) => isOfContrast(one) && isWell(one)))
      violate('rules', `${executionId} has a fact, and no sibling was found well`);
  }
  if (!session.caveats.some(({ code }) => code === 'BY_RULE')) return;
  const numbers = executions.map(({ stageId }) => Number.parseInt(stageId, 10));
  const last = Math.max(...numbers.filter((number) => number <= session.chain.stages.length));
  const isAnalysed = executions.some(
    ({ finalAnalysis }, index) => numbers[index] === last && finalAnalysis !== null,
  );
  if (isAnalysed || session.status === 'cancelled')
    violate('rules', `${sessionId} is answered by rule, and is ${session.status}`);
  const again = await answerByRule(session, reader, session.endedAt ?? session.deadline);
  if (!isDeepStrictEqual(again?.verdict, verdict))
    violate(
      'rules',
      `${sessionId} is ${JSON.stringify(verdict)}, by its documents ${JSON.stringify(again?.verdict)}`,
    );
}
