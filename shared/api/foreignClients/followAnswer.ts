// The answer to a client's question, whole or as a stream of server-sent events.

import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { errorMessage } from '../../core/errors.ts';
import { descendantPrefix } from '../../core/schema/coreDocuments.ts';
import type { Execution } from '../../core/schema/execution.ts';
import type { TimelineEvent } from '../../core/schema/timelineEvent.ts';
import type { LiveText } from '../../kits/live/liveText.ts';
import { answerParts } from '../../text/structuredAnswer.ts';
import { followSession } from '../events/followSession.ts';
import { Problem, problemDetails } from '../http/problem.ts';
import type { RequestDeps } from '../http/route.ts';
import { readAnswering } from './askForClient.ts';

/** The event of an answer. */
export type FinalEvent = Extract<TimelineEvent, { eventType: 'final_analysis' }>;

/** A question that has ended. */
interface WholeAnswer {
  /** The stored answer, the JSON of a structured one if it is asked for; null when there is no answer. */
  content: string | null;
  /** The execution that answered. */
  execution: Execution;
  /** The event of the answer; undefined when there is none. */
  final: FinalEvent | undefined;
}

/** A question that is or was answered. */
type FollowedQuestion = Pick<Execution, 'sessionId' | 'stageId' | 'executionId'>;

/** A server-sent event. */
interface ServerSentEvent {
  /** The name. Absent: none. */
  event?: string;
  /** The data, sent as JSON. */
  data: object;
}

/** The events of a stream in the form of a wire. */
export interface AnswerStream<S extends ServerSentEvent> {
  /** The first events. */
  start(execution: Execution): S[];
  /** The events for an event of the timeline. */
  of(event: TimelineEvent): S[];
  /** The events for the current output of a model. */
  ofLive(live: LiveText): S[];
  /** The events at the end of an answer. */
  end(execution: Execution): S[] | Promise<S[]>;
  /** The events while nothing happens, every 15 s. Absent: none. */
  wait?(): S[];
  /** The events when there is no answer. `isOurs`: whether the same request can succeed later. */
  fail(failure: { message: string; isOurs: boolean; code: string; execution?: Execution }): S[];
  /** Whether the current output of models is sent as well. Default: it is. */
  withLive?: boolean;
  /** The data of the last event of every stream. Absent: none. */
  last?: string;
}

/**
 * Waits until a question has ended.
 * @param asJson whether a structured answer is returned as JSON instead of text.
 * @throws Problem `NOT_FOUND` when it was deleted.
 */
export async function readWholeAnswer(
  answering: FollowedQuestion,
  { asJson, signal }: { asJson: boolean; signal: AbortSignal },
  deps: RequestDeps,
): Promise<WholeAnswer> {
  let final: FinalEvent | undefined;
  for await (const one of followAnswer(answering, { signal, withLive: false }, deps))
    if ('event' in one && one.event.executionId === answering.executionId)
      if (one.event.eventType === 'final_analysis') final = one.event;
  const execution = await readAnswering(answering, deps);
  const { finalAnalysis } = execution;
  const output = final?.metadata.output;
  const content = (asJson ? output : answerParts(output ?? '').answer) ?? finalAnalysis;
  return { content: finalAnalysis === null ? null : content, execution, final };
}

/** The problem of a question without an answer. */
export function noAnswer({ failure }: Execution): Problem {
  return new Problem('ANSWER_FAILED', explainFailure(failure));
}

/** Streams the answer. If the client disconnects, the question is still answered and stored. */
export function streamAnswer<S extends ServerSentEvent>(
  context: Context,
  answering: FollowedQuestion,
  stream: AnswerStream<S>,
  deps: RequestDeps,
): Response {
  return streamSSE(context, async (sse) => {
    const left = new AbortController();
    sse.onAbort(() => left.abort());
    const send = async (all: S[]) => {
      for (const { event, data } of all)
        await sse.writeSSE({ ...(event !== undefined && { event }), data: JSON.stringify(data) });
    };
    try {
      await send(stream.start(await readAnswering(answering, deps)));
      const { withLive = true } = stream;
      for await (const one of followAnswer(answering, { signal: left.signal, withLive }, deps))
        if ('live' in one) await send(stream.ofLive(one.live));
        else await send('event' in one ? stream.of(one.event) : (stream.wait?.() ?? []));
      if (left.signal.aborted) return;
      const execution = await readAnswering(answering, deps);
      const { finalAnalysis, failure } = execution;
      const code = failure?.code ?? 'ANSWER_FAILED';
      await send(
        finalAnalysis === null
          ? stream.fail({ message: explainFailure(failure), isOurs: false, code, execution })
          : await stream.end(execution),
      );
    } catch (error) {
      deps.log.warn({ sessionId: answering.sessionId }, `a stream failed: ${errorMessage(error)}`);
      const { detail, code, status } = problemDetails(error, deps.mask);
      await send(stream.fail({ message: detail, isOurs: status >= 500, code }));
    }
    if (stream.last !== undefined) await sse.writeSSE({ data: stream.last });
  });
}

function explainFailure(failure: Execution['failure']): string {
  return failure === null ? 'the question was not answered' : `${failure.code}: ${failure.message}`;
}

/** The events of an answer and of asked agents, each once; with `withLive` the models' live output. */
async function* followAnswer(
  { sessionId, stageId, executionId }: FollowedQuestion,
  { signal, withLive }: { signal: AbortSignal; withLive: boolean },
  deps: RequestDeps,
): AsyncGenerator<{ event: TimelineEvent } | { live: LiveText } | { isWaiting: true }, void> {
  const seen = new Set<string>();
  const isOf = (id: string | null) =>
    id === executionId || id?.startsWith(descendantPrefix(executionId)) === true;
  const keyOf = ({ executionId: id, sequenceNumber }: TimelineEvent) => `${id}.${sequenceNumber}`;
  const take = (event: TimelineEvent) => isOf(event.executionId) && !seen.has(keyOf(event));
  const options = { sessionId, take, order: causalOrder(), isOver: isOver(stageId), withLive, signal };
  for await (const one of followSession(options, deps)) {
    if (one.kind === 'live' && isOf(one.live.executionId) && !one.ended) yield { live: one.live };
    if (one.kind === 'heartbeat') yield { isWaiting: true };
    if (one.kind !== 'event' || seen.has(keyOf(one.event))) continue;
    seen.add(keyOf(one.event));
    yield { event: one.event };
  }
}

const isOver =
  (stageId: string) =>
  ({ openStage }: { openStage: { stageId: string } | null }): boolean =>
    openStage?.stageId !== stageId;

/** Creates a function that orders an answer's events, by batch. It remembers which call asked an agent. */
function causalOrder(): (events: readonly TimelineEvent[]) => TimelineEvent[] {
  const childOf = new Map<string, string>();
  return (events) => {
    const byExecution = Map.groupBy(events, ({ executionId }) => executionId);
    const ordered: TimelineEvent[] = [];
    const place = (executionId: string): void => {
      const own = byExecution.get(executionId) ?? [];
      byExecution.delete(executionId);
      for (const event of own) {
        const { eventType, metadata } = event;
        if (eventType === 'llm_tool_call' && metadata.childExecutionId !== undefined)
          childOf.set(completionCallKey(event.executionId, metadata.callId), metadata.childExecutionId);
        const child =
          eventType === 'tool_result'
            ? childOf.get(completionCallKey(event.executionId, metadata.callId))
            : undefined;
        if (child !== undefined) place(child);
        ordered.push(event);
      }
    };
    for (const executionId of [...byExecution.keys()]) place(executionId);
    return ordered;
  };
}

const completionCallKey = (executionId: string | null, callId: string): string =>
  JSON.stringify([executionId, callId]);
