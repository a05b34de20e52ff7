// Replays a recorded session with stored answers and results: today's code must give the same documents.

import { alertPart } from '../alerts/schema/alert.ts';
import { correlationPart } from '../alerts/schema/correlation.ts';
import { dependenciesPart } from '../alerts/schema/dependencies.ts';
import { reinvestigationPart } from '../alerts/schema/reinvestigation.ts';
import { rerunPart } from '../alerts/schema/rerun.ts';
import { routingPart } from '../alerts/schema/routing.ts';
import { checkPart } from '../alerts/schema/sessionCheck.ts';
import { runbookPart } from '../alerts/schema/usedRunbook.ts';
import { changesPart } from '../changes/change.ts';
import { MAX_DELIVERIES } from '../core/contract/publisher.ts';
import { createDocument, type Store } from '../core/contract/store.ts';
import { RetryableError } from '../core/errors.ts';
import type { Feature } from '../core/kernel/feature/feature.ts';
import { FRESH_SESSION } from '../core/kernel/session/freshSession.ts';
import { publishIteration } from '../core/kernel/state/nextIteration.ts';
import type { PlannedAgent } from '../core/schema/agent.ts';
import { SEARCH } from '../core/schema/agent.ts';
import { SESSION_EVENTS } from '../core/schema/coreDocuments.ts';
import { iterationMessageSchema } from '../core/schema/iterationMessage.ts';
import { readPart, type WithParts, withPart } from '../core/schema/parts.ts';
import type { Session } from '../core/schema/session.ts';
import type { TimelineEvent } from '../core/schema/timelineEvent.ts';
import { cancelSession } from '../core/session/cancelSession.ts';
import { startStage } from '../core/stage/startStage.ts';
import type { Engine } from '../engine/createEngine.ts';
import { handleIteration } from '../engine/handleIteration.ts';
import { handleTick } from '../engine/handleTick.ts';
import { decideApproval } from '../kits/approvals/decideApproval.ts';
import { callKey } from '../kits/forks/answeredCalls.ts';
import { areToolsRecorded, listToolServers, recordedSources } from '../kits/forks/recordedSources.ts';
import { askQuestion } from '../kits/questions/askQuestion.ts';
import { addGuidance } from '../kits/steering/addGuidance.ts';
import { pauseSession, resumeSession } from '../kits/steering/pauseSession.ts';
import { requestPart } from '../kits/views/chat/requestContext.ts';
import {
  alertBodyType,
  approvalType,
  executionType,
  knowledgeType,
  paths,
  sessionType,
  timelineEventType,
} from '../lists/documents.ts';
import { SWEEP_FEATURES } from '../lists/sweepFeatures.ts';
import { seenPart } from '../search/seenSession.ts';
import type { PublishedMessage } from '../store/memory/memoryPublisher.ts';
import { missingAt, outageNotices } from './outages.ts';
import { recordedModel } from './recordedModel.ts';
import { type RecordedSession, readRecordedSession } from './recordedSession.ts';
import type { Recording } from './recording.ts';
import {
  connectRecorded,
  createReplayEngine,
  createSetClock,
  type ReplayEngine,
  type SetClock,
  toPushEvent,
} from './replayDeps.ts';

interface Replayed {
  sessionId: string;
  /** The documents of the replay. */
  store: Store;
  /** Parts of the record that the replay leaves out, in words. Empty: it is complete. */
  leftOut: string[];
}

/**
 * Replays a session.
 * @throws TerminalError for a record that cannot be read; any error of the runtime.
 */
export async function replayStored(recording: Recording): Promise<Replayed> {
  const recorded = await readRecordedSession(recording);
  const clock = createSetClock(recorded.session.createdAt);
  const deps = createReplayEngine({ clock, agents: childAgents(recorded) });
  const leftOut = partsLeftOut(recorded);
  await copyInputs(recording, recorded, deps.store);
  const session = restoreOpenedSession(recorded);
  await startSession(session, deps);
  const run = { recorded, clock, deps, people: actionsOfPeople(recorded) };
  await deliverAll(run);
  for (const stage of recorded.stages.filter(({ kind }) => kind === 'chat')) {
    const question = recorded.timeline.find(
      (event) => event.eventType === 'user_question' && event.stageId === stage.stageId,
    );
    if (question?.eventType !== 'user_question') continue;
    clock.set(stage.createdAt);
    const agent = plannedAgent(recorded, question.executionId);
    const by = question.metadata.askedBy;
    await askQuestion(session.sessionId, { text: question.content, by, agent }, deps);
    await deliverAll(run);
  }
  return { sessionId: session.sessionId, store: deps.store, leftOut };
}

interface Run {
  recorded: RecordedSession;
  clock: SetClock;
  deps: ReplayEngine;
  /** In order; each is removed when it was done. */
  people: Action[];
}

/** Stores a session with its first stage, and publishes its first messages. */
export async function startSession(session: Session, deps: ReplayEngine): Promise<void> {
  const start = { index: 1, kind: 'investigation' as const, findings: [] };
  const { writes, executions } = startStage(session, start, session.createdAt, deps);
  await deps.store.commit([
    createDocument(paths.session(session.sessionId), sessionType, session),
    ...writes,
  ]);
  for (const execution of executions) await publishIteration(deps.publisher, execution);
}

/** The session as its opening stored it. */
export function restoreOpenedSession({ session, stages, timeline }: RecordedSession): Session {
  const opening = timeline.filter(isOfOpening(session));
  const { tenantId, createdAt } = session;
  const events = opening.length - (session.deferral === null ? 0 : 1);
  const opened: Session = {
    ...session,
    ...FRESH_SESSION,
    tenantId,
    ...openingParts(session, opening),
    deferral: session.deferral,
    steering: { ...FRESH_SESSION.steering, events: Math.max(0, events) },
    status: 'in_progress',
    currentStageId: stages.find(({ index }) => index === 1)?.stageId ?? session.currentStageId,
  };
  return { ...opened, dueAt: opened.deadline, createdAt };
}

/** The parts that the opening stored. */
function openingParts(session: Session, opening: readonly TimelineEvent[]): WithParts {
  const kept = (names: readonly string[]) =>
    Object.fromEntries(Object.entries(session.parts).filter(([name]) => names.includes(name)));
  const parts = kept(OPENING_PARTS.map(({ name }) => name));
  const { alsoFiring } = readPart(correlationPart, session) ?? {};
  // Alerts of the record stay related; later ones are not looked for.
  const related = opening.some(isAlsoFiring) && alsoFiring !== undefined ? { alsoFiring } : undefined;
  return withPart(correlationPart, { parts }, related);
}

/** The parts that nothing changes after the opening. */
const OPENING_PARTS = [
  alertPart,
  changesPart,
  checkPart,
  dependenciesPart,
  reinvestigationPart,
  requestPart,
  rerunPart,
  routingPart,
  runbookPart,
  seenPart,
];

/** Whether an event was stored at the opening. Short sessions can have a verdict in that millisecond. */
const isOfOpening =
  ({ createdAt }: Pick<Session, 'createdAt'>) =>
  (event: TimelineEvent): boolean =>
    event.executionId === SESSION_EVENTS &&
    event.createdAt.getTime() === createdAt.getTime() &&
    !(event.eventType === 'notice' && event.metadata.code === 'verdict');

const isAlsoFiring = (event: TimelineEvent): boolean =>
  event.eventType === 'notice' && event.metadata.code === 'also_firing';

/** Documents that are inputs: the alert, events of the opening, named entries of the knowledge base. */
export async function copyInputs(
  { store: from }: Recording,
  recorded: RecordedSession,
  store: Store,
): Promise<void> {
  const { session, timeline, agents } = recorded;
  const { sessionId, tenantId } = session;
  const bodies = await from.list({ collection: `${paths.session(sessionId)}/alertBody` }, alertBodyType);
  const keys = [...agents.values()].flatMap(({ agent }) => agent.resources ?? []);
  const entries = await Promise.all(
    [...new Set(keys)].map((key) => from.get(paths.knowledgeEntry(tenantId, key), knowledgeType)),
  );
  const opening = timeline.filter(isOfOpening(session));
  const writes = [
    ...bodies.map(({ path, value }) => createDocument(path, alertBodyType, value)),
    ...entries.flatMap((one) =>
      one === undefined ? [] : [createDocument(one.path, knowledgeType, one.value)],
    ),
    ...opening.map((event) =>
      createDocument(paths.event(sessionId, SESSION_EVENTS, event.sequenceNumber), timelineEventType, event),
    ),
  ];
  for (const write of writes) await store.commit([write]);
}

/** An action of a person while a session ran. */
interface Action {
  at: Date;
  /** For people. */
  name: string;
  /** Whether it resumes a paused session. */
  isResume: boolean;
  act(deps: ReplayEngine): Promise<unknown>;
}

/** The actions of people while the session ran, in order. */
export function actionsOfPeople({ session, timeline, guidance }: RecordedSession): Action[] {
  const { sessionId, cancellation } = session;
  const controls = timeline.flatMap((event): Action[] => {
    if (event.eventType !== 'notice' || event.executionId !== SESSION_EVENTS) return [];
    const { code, subject: by = 'a person' } = event.metadata;
    const act = { paused: pauseSession, resumed: resumeSession }[code as 'paused'];
    if (act === undefined) return [];
    const of = { at: event.createdAt, name: code, isResume: code === 'resumed' };
    return [{ ...of, act: (deps) => act(sessionId, { by }, deps) }];
  });
  const told = guidance.map(
    ({ text, givenBy: by, createdAt: at }): Action => ({
      at,
      name: 'guidance',
      isResume: false,
      act: (deps) => addGuidance(sessionId, { text, by }, deps),
    }),
  );
  const cancelled: Action[] = cancellation
    ? [
        {
          at: cancellation.at,
          name: 'cancellation',
          isResume: false,
          act: (deps) => cancelSession(sessionId, deps, cancellation),
        },
      ]
    : [];
  return [...controls, ...told, ...cancelled].toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

/** Delivers every message, in the order in which the record has the iterations. */
async function deliverAll(run: Run): Promise<void> {
  const { recorded, deps, clock } = run;
  const done = new Set<PublishedMessage>();
  for (;;) {
    const waiting = deps.publisher.published.filter((one) => one.topic === 'iterations' && !done.has(one));
    const [next] = waiting
      .map((message) => ({ message, ...findIterationTimes(recorded, readIterationMessage(message)) }))
      .toSorted((a, b) => a.start.getTime() - b.start.getTime());
    const [act] = run.people;
    if (act !== undefined && (next === undefined || act.at <= next.start)) {
      run.people.shift();
      clock.set(act.at);
      await act.act(deps);
    } else if (next !== undefined) {
      done.add(next.message);
      clock.set(next.end);
      await noteRelated(run, next.end);
      await deliverMessage(run, next.message);
    } else if (!(await settleApprovals(run))) return;
  }
}

/** A stage starts with the alerts that were related then; the record has those of its latest stage. */
async function noteRelated({ recorded, deps }: Run, at: Date): Promise<void> {
  const { session, stages } = recorded;
  const later = stages.filter(({ index, kind }) => index > 1 && kind !== 'chat');
  const { alsoFiring } = readPart(correlationPart, session) ?? {};
  if (alsoFiring === undefined || !later.some(({ createdAt }) => createdAt <= at)) return;
  const path = paths.session(session.sessionId);
  deps.store.rewrite(path, (data) => {
    const { parts } = data as Partial<WithParts>;
    return { ...data, parts: { ...parts, [correlationPart.name]: { alsoFiring } } };
  });
}

const readIterationMessage = ({ data }: PublishedMessage) =>
  iterationMessageSchema.parse(JSON.parse(data.toString()));

function findIterationTimes(
  { session, conversations, interactions, executions, stages, timeline }: RecordedSession,
  { executionId, iteration }: { executionId: string; iteration: number },
): { start: Date; end: Date } {
  const call = interactions.find((one) => one.executionId === executionId && one.iteration === iteration);
  const own = [
    ...[...(conversations.get(executionId)?.values() ?? [])]
      .filter((one) => one.iteration === iteration)
      .map(({ at }) => at),
    ...timeline
      .filter((one) => one.executionId === executionId && one.iteration === iteration)
      .map(({ createdAt }) => createdAt),
  ].toSorted((a, b) => a.getTime() - b.getTime());
  const start = call?.createdAt ?? own[0] ?? session.createdAt;
  // The notice about an approval has the time at which it expires.
  const asked = timeline.find(
    (one) =>
      one.executionId === executionId &&
      one.iteration === iteration &&
      one.eventType === 'notice' &&
      one.metadata.code === 'approval_requested',
  );
  const end = asked?.createdAt ?? own.at(-1) ?? start;
  const execution = executions.find((one) => one.executionId === executionId);
  const isLast = execution?.iteration === iteration && execution.endedAt !== null;
  // The end of the last execution starts the next stage, whose prompt has the time.
  const stage = stages.find(({ stageId }) => stageId === execution?.stageId);
  const following = stages
    .filter(({ kind, createdAt }) => kind !== 'chat' && stage?.endedAt?.getTime() === createdAt.getTime())
    .at(0);
  return {
    start,
    end: isLast && following !== undefined && stage?.kind !== 'chat' ? following.createdAt : end,
  };
}

async function deliverMessage(run: Run, message: PublishedMessage): Promise<void> {
  const { deps, clock } = run;
  const read = readIterationMessage(message);
  for (let delivery = 1; ; delivery++) {
    try {
      await handleIteration(toPushEvent(message, clock.now()), iterationEngine(run, read, delivery));
      return;
    } catch (error) {
      if (!(error instanceof RetryableError) || delivery === MAX_DELIVERIES) throw error;
      const { value } = (await deps.store.get(
        paths.execution(read.sessionId, read.executionId),
        executionType,
      )) ?? { value: undefined };
      const pause = value?.notBefore ?? new Date(clock.now().getTime() + (error.retryAfterMs ?? 1_000));
      clock.set(pause > clock.now() ? pause : new Date(clock.now().getTime() + 1_000));
    }
  }
}

/** The engine of a delivery of one iteration: its model and its servers answer as recorded. */
function iterationEngine(
  { recorded, deps }: Run,
  read: { executionId: string; iteration: number },
  delivery: number,
): Engine {
  const notices = outageNotices(recorded).filter(({ executionId }) => executionId === read.executionId);
  const missing = missingAt(notices, { iteration: read.iteration, delivery });
  const moment = () => ({ at: findIterationTimes(recorded, read).end, missing });
  const named = listToolServers([...recorded.agents.values()].map(({ agent }) => agent));
  const sources = recordedSources(recorded.toolLists, named, moment, (call) => {
    const found = recorded.results.get(callKey(read.executionId, call.callId));
    if (found === undefined)
      return { content: 'Not recorded.', isError: true, timedOut: false, noAnswer: true as const };
    const { block, text } = found;
    const event = recorded.timeline.find(
      (one) =>
        one.executionId === read.executionId &&
        one.eventType === 'tool_result' &&
        one.metadata.callId === call.callId,
    );
    return {
      content: text,
      isError: block.isError,
      timedOut: event?.status === 'timed_out',
      ...(block.noAnswer && { noAnswer: true as const }),
    };
  });
  return {
    ...deps,
    features: [...deps.features, recordedSearch(recorded, read.executionId)],
    llm: recordedModel(recorded, read),
    connectTools: connectRecorded(sources),
  };
}

/** Answers calls of `search` as recorded: the knowledge base of then is not part of a recording. */
function recordedSearch({ results, executions }: RecordedSession, executionId: string): Feature {
  const entries = executions.find((one) => one.executionId === executionId)?.reads.entries ?? [];
  return {
    offerTools: (tools) => ({
      ...tools,
      list: () => tools.list(),
      execute(call, options) {
        const found = call.name === SEARCH ? results.get(callKey(executionId, call.callId)) : undefined;
        if (found === undefined) return tools.execute(call, options);
        const { isError, noAnswer } = found.block;
        return Promise.resolve({
          callId: call.callId,
          name: call.name,
          content: found.text,
          isError,
          durationMs: 0,
          truncated: false,
          timedOut: false,
          yields: 'state' as const,
          ...(entries.length > 0 && { entries }),
          ...(noAnswer && { noAnswer }),
        });
      },
    }),
  };
}

/** Decides the approvals that wait as people did. @returns whether there was one. */
async function settleApprovals({ recorded, deps, clock }: Run): Promise<boolean> {
  for (const { approvalId, status, decidedBy, decidedAt, reason, until } of recorded.approvals) {
    const stored = await deps.store.get(paths.approval(approvalId), approvalType);
    if (stored?.value.status !== 'pending' || status === 'pending') continue;
    clock.set(decidedAt ?? new Date(until.getTime() + 1));
    if (status === 'approved' || status === 'denied')
      await decideApproval(approvalId, { verdict: status, by: decidedBy ?? 'a person', reason }, deps);
    else await handleTick(deps, SWEEP_FEATURES);
    return true;
  }
  return false;
}

/** The agents that others asked, as they were. */
export function childAgents(recorded: RecordedSession): Record<string, PlannedAgent> {
  const asked = recorded.executions.filter(({ parentExecutionId }) => parentExecutionId !== null);
  return Object.fromEntries(
    asked.flatMap(({ executionId, agentName }) => {
      const agent = plannedAgent(recorded, executionId);
      return agent === undefined ? [] : [[agentName, agent]];
    }),
  );
}

function plannedAgent(
  { agents, executions }: RecordedSession,
  executionId: string,
): PlannedAgent | undefined {
  const agent = agents.get(executionId)?.agent;
  const limits = executions.find((one) => one.executionId === executionId)?.limits;
  return agent && limits && { ...agent, limits };
}

/** The parts of a record that no replay can inject. */
export function partsLeftOut(recorded: RecordedSession): string[] {
  const { session, toolLists, agents, interactions } = recorded;
  const missing = new Set(outageNotices(recorded).flatMap(({ began }) => began.map(({ name }) => name)));
  const asked = [...agents.values()].filter(({ executionId }) =>
    interactions.some((one) => one.executionId === executionId),
  );
  const unknown = listToolServers(asked.map(({ agent }) => agent)).filter((name) => !missing.has(name));
  return [
    ...(unknown.length > 0 && toolLists.length === 0 ? ['tools not recorded'] : []),
    ...(areToolsRecorded(toolLists) ? [] : ['a list of tools was too large to be stored']),
    ...(session.kind === 'chat' ? ['a chat without an investigation'] : []),
    ...(session.waitedUntil === null ? [] : ['waiting for a model']),
  ];
}
