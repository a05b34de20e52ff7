// A fork beside its source: the first difference, and the outcome of both.

import * as z from 'zod';
import type { Store } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { descendantPrefix, paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { readPart } from '../../core/schema/parts.ts';
import type { TimelineEvent } from '../../core/schema/timelineEvent.ts';
import { causeWords } from '../../evidence/causeWords.ts';
import { readSessionView, type SessionView } from '../../kits/views/sessionView.ts';
import { FORK_TOOLS, type Fork, forkPart } from '../../schema/forkPart.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { quoteText } from '../../text/cut.ts';
import { NOT_RECORDED } from './recordedCalls.ts';

/** Characters of a step. */
const MAX_STEP = 400;

const stepSchema = z.strictObject({
  event: z.string().describe('`EXECUTION.NUMBER`'),
  text: z.string().describe('The call with its arguments, or the analysis, at most 400 characters'),
});
type Step = z.infer<typeof stepSchema>;

const sideSchema = z.strictObject({
  sessionId: z.string(),
  status: z.string(),
  verdict: z.string().nullable().describe('In words; null where claims were not checked'),
  causes: z.array(z.string()),
  analysis: z.string().nullable(),
  calls: z.int().describe('Calls after the event'),
  notRecorded: z.int().describe('Calls without a recorded result'),
  tokens: z.int(),
  usd: z.number().nullable().describe('Null where a price is unknown'),
});
type Side = z.infer<typeof sideSchema>;

/** A fork beside its source. */
export const forkComparisonSchema = z.strictObject({
  event: z.string().describe('Where the session was forked'),
  tools: z.enum(FORK_TOOLS),
  source: sideSchema.nullable().describe('Null if it cannot be read any more'),
  fork: sideSchema,
  first: z
    .strictObject({ source: stepSchema.nullable(), fork: stepSchema.nullable() })
    .nullable()
    .describe('The first steps that differ; a side is null where it has no further step'),
});

/**
 * @returns undefined for a session that does not exist, `no_fork` for one that was not forked.
 * @throws as `readSessionView`.
 */
export async function compareFork(
  sessionId: string,
  { store, clock }: { store: Store } & Pick<StateDeps, 'clock'>,
): Promise<z.infer<typeof forkComparisonSchema> | 'no_fork' | undefined> {
  const session = await store.get(paths.session(sessionId), sessionType);
  if (session === undefined) return undefined;
  const fork = readPart(forkPart, session.value);
  if (fork === undefined) return 'no_fork';
  const now = clock.now();
  const [own, source] = await Promise.all([
    readSessionView(sessionId, store, now),
    readSessionView(fork.of, store, now),
  ]);
  if (own === undefined) return undefined;
  const first = own.stages[0]?.executions[0]?.executionId ?? '';
  const isAfter = isAfterFork(fork);
  const before = source?.timeline.filter(isAfter);
  const after = own.timeline.filter(({ executionId }) => executionId === first);
  return {
    event: fork.event,
    tools: fork.tools,
    source:
      source === undefined ? null : { ...showSide(source, before ?? []), ...showChild(fork, before ?? []) },
    fork: showSide(own, after),
    first: before === undefined ? null : findDifference(listSteps(before), listSteps(after)),
  };
}

/** Whether an event is one of the forked agent, after the event of the fork. */
const isAfterFork =
  ({ executionId, iteration: first }: Fork) =>
  (event: TimelineEvent): boolean =>
    event.executionId === executionId && event.iteration !== null && event.iteration >= first;

/** Of an agent that another one asked, a fork has only the answer. */
function showChild({ executionId }: Fork, events: readonly TimelineEvent[]): Partial<Side> {
  if (!executionId.includes(descendantPrefix(''))) return {};
  const answer = events.find(({ eventType }) => eventType === 'final_analysis');
  return { verdict: null, causes: [], analysis: answer?.content ?? null };
}

function showSide(view: SessionView, events: readonly TimelineEvent[]): Side {
  const { sessionId, status, verdict, finalAnalysis, tokens, cost } = view;
  const isNotRecorded = ({ eventType, content }: TimelineEvent): boolean =>
    eventType === 'tool_result' && content.startsWith(NOT_RECORDED);
  return {
    sessionId,
    status,
    verdict: verdict?.sentence ?? null,
    causes: verdict?.causes.map(causeWords) ?? [],
    analysis: finalAnalysis,
    calls: events.filter(({ eventType }) => eventType === 'llm_tool_call').length,
    notRecorded: view.timeline.filter(isNotRecorded).length,
    tokens: tokens.total,
    usd: cost.unpricedCalls > 0 ? null : cost.usd,
  };
}

/** A step, and a key that equal steps share. */
type KeyedStep = Step & { key: string };

/** The calls and the analysis of an agent. */
function listSteps(events: readonly TimelineEvent[]): KeyedStep[] {
  return events.flatMap((event): KeyedStep[] => {
    const id = `${event.executionId}.${event.sequenceNumber}`;
    if (event.eventType === 'llm_tool_call') {
      const { toolName, arguments: given } = event.metadata;
      const sorted = Object.entries(parseCallArguments(given)).sort(([a], [b]) => (a < b ? -1 : 1));
      const key = JSON.stringify([toolName, sorted]);
      return [{ key, event: id, text: quoteText(`${toolName} ${given}`, MAX_STEP) }];
    }
    if (event.eventType !== 'final_analysis') return [];
    return [{ key: event.content.trim(), event: id, text: quoteText(event.content, MAX_STEP) }];
  });
}

function findDifference(source: readonly KeyedStep[], fork: readonly KeyedStep[]) {
  const at = Array.from({ length: Math.max(source.length, fork.length) }).findIndex(
    (_, index) => source[index]?.key !== fork[index]?.key,
  );
  if (at === -1) return null;
  return { source: showStep(source[at]), fork: showStep(fork[at]) };
}

const showStep = (step: KeyedStep | undefined): Step | null =>
  step === undefined ? null : { event: step.event, text: step.text };
