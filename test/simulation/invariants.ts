// Checks the invariants of docs/reliability.md after a run.

import { isDeepStrictEqual } from 'node:util';
import { isTerminal } from '../../shared/schema/common.ts';
import {
  executionType,
  interactionType,
  messageType,
  paths,
  rejectedMessageType,
  sessionType,
  stageType,
  timelineEventType,
} from '../../shared/schema/documents.ts';
import type { DocumentType } from '../../shared/schema/documentType.ts';
import type { Execution } from '../../shared/schema/execution.ts';
import type { Session } from '../../shared/schema/session.ts';
import type { Stage } from '../../shared/schema/stage.ts';
import { type Fault, MAX_BURST, MAX_SKEW_MS } from './faults.ts';
import { checkTransitions, type Violate } from './transitions.ts';
import type { World } from './world.ts';

/** Facts about a run that are not in its record. */
export interface RunFacts {
  /** The sessions that the alerts had to open. */
  sessionIds: string[];
  /** The session whose cancellation was reported as successful; null for none. */
  cancelled: string | null;
  /** Whether the run had no faults. */
  peaceful: boolean;
  deadLetters: number;
  /** Number of deliveries of dead letters. */
  deadLetterDeliveries: number;
  /** Number of iteration messages published. */
  published: number;
}

/** Checks the stored documents and the record of the run; adds every violation to the record. */
export async function checkInvariants(run: RunFacts, world: World): Promise<void> {
  const { store, record } = world;
  const violate = (rule: string, detail: string) => void record.violations.push(`${rule}: ${detail}`);
  const all = async <T>(collection: string, type: DocumentType<T>): Promise<T[]> =>
    (await store.list({ collection }, type)).map(({ value }) => value);

  if ((await all(paths.sessions, sessionType)).length > run.sessionIds.length)
    violate('I1', 'an alert opened a second session');
  for (const rejected of await all(paths.rejectedMessages, rejectedMessageType)) {
    const { code, message } = rejected.failure;
    if (code === 'EXECUTION_UNKNOWN' && record.expired.size > 0) continue;
    violate('I1', `a message was rejected that this system had published: ${code} ${message}`);
  }
  for (const sessionId of run.sessionIds) {
    if (!record.expired.has(sessionId)) await checkSession(sessionId, run, world, violate);
  }
  checkMessages(run, world, violate);
  checkWrites(world, violate);
  checkTransitions(world, violate);
  checkActivities(world, violate);
}

/** Checks the documents of one session, none of which has expired. */
async function checkSession(sessionId: string, run: RunFacts, world: World, violate: Violate): Promise<void> {
  const { store } = world;
  const all = async <T>(collection: string, type: DocumentType<T>): Promise<T[]> =>
    (await store.list({ collection }, type)).map(({ value }) => value);
  const below = paths.session(sessionId);
  const session = (await store.get(below, sessionType))?.value;
  if (session === undefined) return violate('I1', 'the alert opened no session');
  const executions = await all(`${below}/executions`, executionType);
  const timeline = await all(`${below}/timeline`, timelineEventType);
  const messages = await all(`${below}/messages`, messageType);
  const interactions = await all(`${below}/interactions`, interactionType);
  const stages = await all(`${below}/stages`, stageType);

  if (!isTerminal(session.status)) violate('I1', `the session never ended: ${session.status}`);
  for (const { executionId, status } of executions) {
    if (!isTerminal(status)) violate('I1', `${executionId} never ended: ${status}`);
  }
  checkOutcome(session, executions, run, world, violate);
  checkStages(session, stages, violate);
  const spent = (documents: { tokens: { total: number } | null }[]) =>
    documents.reduce((sum, { tokens }) => sum + (tokens?.total ?? 0), 0);
  if (isTerminal(session.status) && session.tokens.total !== spent(executions))
    violate('tokens', `the session has ${session.tokens.total}, its executions ${spent(executions)}`);

  for (const execution of executions) {
    const { executionId, status, lastEvent, lastMessage, pendingCalls, lease, finalAnalysis } = execution;
    const events = timeline.filter((event) => event.executionId === executionId);
    const analyses = events.filter(({ eventType }) => eventType === 'final_analysis').length;
    const wanted = status === 'completed' ? 1 : 0;
    if (analyses !== wanted) violate('I2', `${executionId} is ${status} and has ${analyses} final analyses`);
    if ((finalAnalysis !== null) !== (status === 'completed'))
      violate('I2', `${executionId} is ${status}: ${finalAnalysis}`);

    const recorded = spent(interactions.filter((one) => one.executionId === executionId));
    if (execution.tokens.total !== recorded)
      violate('tokens', `${executionId} has ${execution.tokens.total}, its interactions ${recorded}`);
    const { failure } = execution;
    const said = events.some((one) => one.eventType === 'error' && one.metadata.code === failure?.code);
    if (failure !== null && !said) violate('I2', `no event of ${executionId} says ${failure.code}`);
    const own = messages.filter((message) => message.executionId === executionId);
    if (!isTerminal(status)) continue;
    if (!isNumberedTo(events, lastEvent))
      violate('I3', `events of ${executionId} are ${listNumbers(events)}, not 1..${lastEvent}`);
    if (!isNumberedTo(own, lastMessage))
      violate('I3', `messages of ${executionId} are ${listNumbers(own)}, not 1..${lastMessage}`);
    if (pendingCalls.length > 0 || lease !== null)
      violate('I3', `${executionId} has ended with something open`);
    const calls = events.filter(({ eventType }) => eventType === 'llm_tool_call').length;
    const results = events.filter(({ eventType }) => eventType === 'tool_result').length;
    if (calls !== results) violate('I3', `${executionId} has ${calls} calls and ${results} results`);
  }
  const once = new Set(interactions.map(({ executionId, iteration }) => `${executionId} ${iteration}`));
  if (once.size !== interactions.length) violate('I4', 'an iteration has two records of model calls');
}

const listNumbers = (documents: { sequenceNumber: number }[]) =>
  documents.map(({ sequenceNumber }) => sequenceNumber).join(',');
const isNumberedTo = (documents: { sequenceNumber: number }[], last: number) =>
  documents.length === last && documents.every(({ sequenceNumber }, index) => sequenceNumber === index + 1);

/** Every status must have a cause in the run. */
function checkOutcome(
  session: Session,
  executions: Execution[],
  run: RunFacts,
  world: World,
  violate: Violate,
): void {
  const { status, endedAt, deadline, failure, finalAnalysis, partial } = session;
  const isRefused = world.faults.has('commit_refused');
  const found = executions.some((execution) => execution.finalAnalysis !== null);
  if (isTerminal(status) && found && finalAnalysis === null && !isRefused)
    violate('stages', `the session is ${status} and lost the analyses of its agents`);
  if (isTerminal(status) && (partial !== null) !== (finalAnalysis !== null && status !== 'completed'))
    violate('stages', `the session is ${status}, its analysis partial for ${partial?.reason}`);
  if (run.cancelled === session.sessionId && status !== 'cancelled')
    violate('I1', `cancelled, but ${status}`);
  if (run.peaceful && status !== 'completed') violate('I1', `nothing went wrong, but ${status}`);
  // The two times may come from different clocks: of the process that opened the session and the one that ended it.
  if (status === 'timed_out' && (endedAt?.getTime() ?? 0) < deadline.getTime() - 2 * MAX_SKEW_MS)
    violate('I1', 'timed out before its deadline');
  const explained =
    /^(MODEL_|TOOL_SERVER_UNAVAILABLE|MAX_ITERATIONS|ITERATION_TIMEOUT|DEADLINE_EXCEEDED|CANCELLED)/;
  for (const cause of [failure, ...executions.map((execution) => execution.failure)]) {
    if (cause === null || explained.test(cause.code)) continue;
    if (cause.code === 'DELIVERY_EXHAUSTED' && run.deadLetters > 0) continue;
    if (cause.code === 'DOCUMENT_TOO_LARGE' && (isRefused || world.faults.has('answer_refused'))) continue;
    violate('I1', `nothing explains the failure ${cause.code}: ${cause.message}`);
  }
}

/**
 * The largest number of messages for each iteration: its predecessor publishes one, and each copy of the predecessor's
 * message publishes another one as long as the iteration is not claimed.
 */
const MESSAGES_PER_ITERATION = 3;

/** Repairs do not multiply: each sweep of an execution and each delivery of a dead letter publishes at most once. */
function checkMessages(run: RunFacts, { record, faults }: World, violate: Violate): void {
  const iterations = [...record.executions.values()].reduce((sum, { value }) => sum + value.iteration, 0);
  const { bySweep } = record.published;
  const allowed = MESSAGES_PER_ITERATION * iterations + bySweep + run.deadLetterDeliveries;
  // Each copy that is delivered before the successor is claimed publishes it once more.
  const count = (fault: Fault) => faults.get(fault) ?? 0;
  const copies =
    count('publish_doubled') +
    count('message_duplicated') +
    count('ack_lost') +
    count('acked_again') +
    MAX_BURST * count('message_burst');
  if (run.published - copies > allowed)
    violate(
      'messages',
      `${run.published} were published for ${iterations} iterations, ${bySweep} sweeps and ${run.deadLetterDeliveries} deliveries of dead letters`,
    );
}

/** Every stage has ended, and a completed session has run all stages of its chain. */
function checkStages({ status, chain, finalAnalysis }: Session, stages: Stage[], violate: Violate): void {
  for (const stage of stages) {
    if (!isTerminal(stage.status)) violate('I1', `stage ${stage.stageId} never ended`);
  }
  const wanted = chain.stages.reduce((count, { synthesis }) => count + (synthesis === null ? 1 : 2), 0);
  if (status === 'completed' && (stages.length !== wanted || finalAnalysis === null))
    violate('stages', `completed with ${stages.length} of ${wanted} stages: ${finalAnalysis}`);
}

/** An execution document is a few kilobytes, with a bit for each call it waits for and its last error or analysis. */
const EXECUTION_BYTES = 5_000;
const CALL_BYTES = 300;

/** Documents are created once, not written after their end, and do not grow with the iteration number. */
function checkWrites({ record }: World, violate: Violate): void {
  const created = new Set<string>();
  const endedBy = new Map<string, number>();
  const stored = new Map<string, unknown>();
  for (const [index, { by, writes }] of record.commits.entries()) {
    for (const { op, path, value } of writes) {
      const [, , collection = '', id = ''] = path.split('/');
      const isState = ['', 'executions', 'stages'].includes(collection);
      if (op === 'create' && created.has(path)) violate('I3', `${path} was created twice`);
      if (op === 'replace' && !isState) violate('I3', `${path} was changed after it was written`);
      created.add(path);

      const owner = collection === '' || collection === 'stages' ? path : `executions/${id.split('.')[0]}`;
      const ended = endedBy.get(owner);
      // A migration may find that a document was brought up meanwhile, and writes it as it is.
      const isSame = by.target === 'migrate' && isDeepStrictEqual(value, stored.get(path));
      stored.set(path, value);
      if (ended !== undefined && ended < index && !isSame) violate('I5', `${path} was written after its end`);
      const { status } = value as { status?: string };
      if (isState && status !== undefined && isTerminal(status) && ended === undefined)
        endedBy.set(owner, index);

      if (collection !== 'executions') continue;
      const execution = value as Execution;
      const bytes = JSON.stringify(execution).length;
      const texts = (execution.finalAnalysis?.length ?? 0) + (execution.lastErrorMessage?.length ?? 0);
      const allowed = EXECUTION_BYTES + 2 * texts + CALL_BYTES * execution.pendingCalls.length;
      if (bytes > allowed) violate('I6', `${path} has grown to ${bytes} bytes`);
      // Answer, its events and interaction, and for each call its event, its result and the result's message.
      const documents = 10 + 3 * 4;
      if (writes.length > documents && op === 'replace')
        violate('I6', `${writes.length} documents in one commit of ${path}`);
    }
  }
}

/** Stored results are not produced again, and calls that change something run at most once. */
function checkActivities({ record }: World, violate: Violate): void {
  const storedAt = new Map<string, number>();
  const reserved = new Map<string, string>();
  for (const { at, by, writes } of record.commits) {
    for (const { path, value } of writes) {
      const [, , collection, id = ''] = path.split('/');
      if (collection === 'interactions') storedAt.set(id.replace('.forced_conclusion', ''), at);
      if (collection === 'timeline') {
        const key = reserved.get(id);
        // Only the process that ran the call stores its result; others store that its effect is unverified.
        const ran = record.activities.some((activity) => activity.key === key && activity.by === by);
        if (key !== undefined && ran) storedAt.set(key, at);
      }
      if (collection !== 'executions') continue;
      const { sessionId, executionId, iteration, pendingCalls } = value as Execution;
      for (const { index, resultEvent } of pendingCalls) {
        const event = `${executionId}.${String(resultEvent).padStart(6, '0')}`;
        reserved.set(event, `${sessionId}/${executionId}/${iteration}/${index}`);
      }
    }
  }
  const changes = new Map<string, number>();
  for (const { kind, executionId, iteration, key, readOnly, startedAt, by } of record.activities) {
    const subject = kind === 'model' ? `${executionId}.${String(iteration).padStart(3, '0')}` : (key ?? '');
    const stored = storedAt.get(subject);
    if (stored !== undefined && startedAt > stored)
      violate('I4', `${by.process.name} #${by.id} repeats ${kind} ${subject}, whose result is stored`);
    if (kind === 'tool' && !readOnly) changes.set(subject, (changes.get(subject) ?? 0) + 1);
  }
  for (const [key, runs] of changes) {
    if (runs > 1) violate('I4', `the call ${key} changes something and was run ${runs} times`);
  }
}
