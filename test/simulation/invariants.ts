// Checks the invariants of docs/reliability.md after a run.

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { readWaitedBudgets } from '../../shared/alerts/schema/waitedBudgets.ts';
import type { Approval } from '../../shared/core/schema/approval.ts';
import { isTerminal } from '../../shared/core/schema/common.ts';
import { SESSION_EVENTS } from '../../shared/core/schema/coreDocuments.ts';
import type { DocumentType } from '../../shared/core/schema/documentType.ts';
import type { Execution } from '../../shared/core/schema/execution.ts';
import type { Interaction } from '../../shared/core/schema/interaction.ts';
import type { Message } from '../../shared/core/schema/message.ts';
import { readPart } from '../../shared/core/schema/parts.ts';
import type { Session } from '../../shared/core/schema/session.ts';
import type { Stage } from '../../shared/core/schema/stage.ts';
import type { ResultPart } from '../../shared/core/schema/storedResult.ts';
import type { TimelineEvent } from '../../shared/core/schema/timelineEvent.ts';
import { verdictPart } from '../../shared/evidence/schema/verdict.ts';
import { withTrigrams } from '../../shared/features/sessionSearch/trigrams.ts';
import { withFilters } from '../../shared/kits/views/sessionFilter.ts';
import {
  executionType,
  interactionType,
  messageType,
  paths,
  rejectedMessageType,
  resultPartType,
  sessionType,
  stageType,
  timelineEventType,
} from '../../shared/lists/documents.ts';
import { isForContrast } from '../../shared/schema/collected.ts';
import { listPart } from '../../shared/schema/filterTexts.ts';
import { searchPart } from '../../shared/search/searchPart.ts';
import { utcHour } from '../../shared/text/utcPeriod.ts';
import { isSameConclusion } from './features/chat/chatRule.ts';
import { checkLedger } from './features/claims/ledgerRule.ts';
import { strategyOfCheck } from './features/claims/simulatedLedger.ts';
import { checkCollect } from './features/collect/collectRule.ts';
import { FEATURE_RULES, type RunFacts } from './features/featureRules.ts';
import { checkModels } from './features/modelOutages/fallbackRule.ts';
import { checkWaited, isUnanswered } from './features/modelOutages/modelOutageRule.ts';
import { isProbe } from './features/outcomes/probeRule.ts';
import { checkInstructions } from './features/pins/instructionsRule.ts';
import { checkHotDocuments } from './hotDocumentRule.ts';
import { executionKey } from './record.ts';
import { checkTransitions, type Violate } from './transitions.ts';
import { checkTrees, checkTreesOf } from './treeRule.ts';
import { checkUpgrade, hasAwaitedNewerCode } from './upgradeRule.ts';
import type { World } from './world.ts';

/** Checks the stored documents and the record of the run; adds every violation to the record. */
export async function checkInvariants(run: RunFacts, world: World): Promise<void> {
  const { reader: store, record } = world;
  const violate = (rule: string, detail: string) => void record.violations.push(`${rule}: ${detail}`);
  const all = async <T>(collection: string, type: DocumentType<T>): Promise<T[]> =>
    (await store.list({ collection }, type)).map(({ value }) => value);

  if (record.sessions.size > run.alerts) violate('I1', 'an alert opened a second session');
  if (new Set(run.sessionIds).size < run.alerts) violate('I1', 'an alert opened no session of its own');
  for (const rejected of await all(paths.rejectedMessages, rejectedMessageType)) {
    const { code, samples } = rejected;
    if (code === 'EXECUTION_UNKNOWN' && record.expired.size > 0) continue;
    violate('I1', `a message was rejected that this system had published: ${code} ${samples[0]?.reason}`);
  }
  for (const sessionId of run.sessionIds) {
    if (!record.expired.has(sessionId)) await checkSession(sessionId, run, world, violate);
  }
  checkBudget(world, violate);
  checkMessages(run, world, violate);
  checkWrites(world, violate);
  checkTransitions(world, violate);
  checkTrees(world, violate);
  checkActivities(world, violate);
  checkApprovals(world, violate);
  for (const check of FEATURE_RULES) await check(world, violate, run);
  checkUpgrade(run.refused, world, violate);
  checkHotDocuments(world, violate);
}

/** Checks the documents of one session, none of which has expired. */
async function checkSession(sessionId: string, run: RunFacts, world: World, violate: Violate): Promise<void> {
  const { reader: store } = world;
  const all = async <T>(collection: string, type: DocumentType<T>): Promise<T[]> =>
    (await store.list({ collection }, type)).map(({ value }) => value);
  const below = paths.session(sessionId);
  const session = (await store.get(below, sessionType))?.value;
  if (session === undefined) return violate('I1', 'the alert opened no session');
  const executions = await all(`${below}/executions`, executionType);
  const timeline = await all(`${below}/timeline`, timelineEventType);
  const messages = await all(`${below}/messages`, messageType);
  const interactions = await all(`${below}/interactions`, interactionType);
  const everyStage = await all(`${below}/stages`, stageType);
  const beside = ['chat', 'claims', 'probe'];
  const answers = everyStage.filter(({ kind }) => beside.includes(kind)).map(({ stageId }) => stageId);
  const stages = everyStage.filter(({ stageId }) => !answers.includes(stageId));
  const own = executions.filter(({ stageId }) => !answers.includes(stageId));

  const trigramsIn = (one: Session) => readPart(searchPart, one)?.trigrams.join();
  if (trigramsIn(withTrigrams(session)) !== trigramsIn(session))
    violate('search', `${sessionId} is not found by the words that it holds`);
  const filtersIn = (one: Session) => readPart(listPart, one)?.filters.join();
  // Code of release 0.2.0 stored none.
  const isOld = filtersIn(session) === undefined && world.plan.upgrade === 'released';
  if (!isOld && filtersIn(withFilters(session)) !== filtersIn(session))
    violate('search', `${sessionId} is not found by the filters that it passes`);
  if (session.status === 'deferred') return checkDeferred(session, executions, world, violate);
  if (!isTerminal(session.status)) violate('I1', `the session never ended: ${session.status}`);
  checkWaited(session, executions, world, violate);
  for (const { executionId, status } of executions) {
    if (!isTerminal(status)) violate('I1', `${executionId} never ended: ${status}`);
  }
  const summaryStage = stages.find(({ kind }) => kind === 'exec_summary')?.stageId;
  const isSummary = ({ stageId }: { stageId: string }) => stageId === summaryStage;
  const ofStages = own.filter(({ parentExecutionId }) => parentExecutionId === null);
  const agents = ofStages.filter((execution) => !isSummary(execution));
  checkOutcome(session, ofStages, run, world, violate);
  checkPartial(session, agents, timeline, violate);
  checkStages(session, stages, ofStages, violate);
  if (!world.faults.has('commit_refused')) checkBestAnalysis(session, stages, ofStages, violate);
  checkTreesOf(
    session,
    { executions, timeline, messages, refused: world.faults.has('answer_refused') },
    violate,
  );
  await checkLedger(session, { stages: everyStage, executions, messages }, world, violate);
  checkSummary(session, { stages, executions: own, timeline }, world, violate);
  checkSessionEvents(session, timeline, violate);
  const spent = (documents: { tokens: { total: number } | null }[]) =>
    documents.reduce((sum, { tokens }) => sum + (tokens?.total ?? 0), 0);
  if (isTerminal(session.status) && session.tokens.total !== spent(executions))
    violate('tokens', `the session has ${session.tokens.total}, its executions ${spent(executions)}`);

  for (const execution of executions) {
    const { executionId, status, lastEvent, lastMessage, pendingCalls, lease, finalAnalysis } = execution;
    const events = timeline.filter((event) => event.executionId === executionId);
    const result = isSummary(execution) ? 'executive_summary' : 'final_analysis';
    const analyses = events.filter(({ eventType }) => eventType === result).length;
    const isCheck = strategyOfCheck(executionId) !== undefined || isProbe(execution);
    const wanted = status === 'completed' && !isCheck ? 1 : 0;
    if (analyses !== wanted) violate('I2', `${executionId} is ${status} and has ${analyses} final analyses`);
    if ((finalAnalysis !== null) !== (status === 'completed' && !isProbe(execution)))
      violate('I2', `${executionId} is ${status}: ${finalAnalysis}`);

    const recorded = spent(interactions.filter((one) => one.executionId === executionId));
    if (execution.tokens.total !== recorded)
      violate('tokens', `${executionId} has ${execution.tokens.total}, its interactions ${recorded}`);
    const { failure } = execution;
    const said = events.some((one) => one.eventType === 'error' && one.metadata.code === failure?.code);
    if (failure !== null && !said) violate('I2', `no event of ${executionId} says ${failure.code}`);
    const told = messages.filter((message) => message.executionId === executionId);
    if (!isTerminal(status)) continue;
    if (!isNumberedTo(events, lastEvent))
      violate('I3', `events of ${executionId} are ${listNumbers(events)}, not 1..${lastEvent}`);
    if (!isNumberedTo(told, lastMessage))
      violate('I3', `messages of ${executionId} are ${listNumbers(told)}, not 1..${lastMessage}`);
    if (pendingCalls.length > 0 || lease !== null)
      violate('I3', `${executionId} has ended with something open`);
    const calls = events.filter(({ eventType }) => /^(llm|mcp)_tool_call$/.test(eventType)).length;
    const results = events.filter(({ eventType }) => eventType === 'tool_result').length;
    if (calls !== results) violate('I3', `${executionId} has ${calls} calls and ${results} results`);
  }
  checkResults(messages, await all(paths.results(sessionId), resultPartType), violate);
  const answered = interactions.filter((one) => !isUnanswered(one));
  const once = new Set(answered.map(({ executionId, iteration }) => `${executionId} ${iteration}`));
  if (once.size !== answered.length) violate('I4', 'an iteration has two records of model calls');

  for (const execution of executions) {
    const { executionId } = execution;
    const isOwn = (document: { executionId: string }) => document.executionId === executionId;
    checkOutages(execution, timeline.filter(isOwn), messages.filter(isOwn), violate);
    // The copied messages of a fork have the instructions that its source has pinned.
    const isCopied = ({ createdAt }: Message) =>
      session.kind === 'fork' && createdAt.getTime() === execution.createdAt.getTime();
    const told = messages.filter((message) => isOwn(message) && !isCopied(message));
    checkInstructions(executionId, timeline.filter(isOwn), told, world, violate);
    checkModels(execution, timeline.filter(isOwn), interactions.filter(isOwn), world, violate);
    checkIterations(execution, timeline.filter(isOwn), interactions.filter(isOwn), violate);
    const own = [timeline.filter(isOwn), messages.filter(isOwn), interactions.filter(isOwn)] as const;
    if (!isProbe(execution)) checkCollect(execution, ...own, world, violate);
  }
}

/** What a message says is stored whole is stored, by the one that stored the message. */
function checkResults(messages: Message[], parts: ResultPart[], violate: Violate): void {
  for (const { executionId, sequenceNumber, blocks } of messages) {
    for (const block of blocks) {
      if (block.blockType !== 'tool_result' || block.stored === undefined) continue;
      const { firstPart, parts: count, bytes, digest } = block.stored;
      const text = parts
        .filter((part) => part.executionId === executionId && part.sequenceNumber === sequenceNumber)
        .filter(({ part }) => part >= firstPart && part < firstPart + count)
        .map((part) => part.text)
        .join('');
      const found = createHash('sha256').update(text).digest('hex').slice(0, 16);
      if (Buffer.byteLength(text) !== bytes || found !== digest)
        violate('results', `result ${sequenceNumber} of ${executionId} is not stored as its message says`);
    }
  }
}

/** No hour has too many sessions, users' aside. Waiting ones start when there is room. */
function checkBudget({ plan, record }: World, violate: Violate): void {
  if (plan.sessionsPerHour === null) return;
  const opened = new Map<string, number>();
  for (const session of record.sessions.values()) {
    const { sessionId, createdAt, deferral, status } = session;
    const begins = startsOf(sessionId, record);
    if (begins.length > 1) violate('budget', `${sessionId} was started ${begins.length} times`);
    // One that the TTL policy has deleted waits no longer.
    const waits = status === 'deferred' && readWaitedBudgets(session) !== null;
    if (waits && plan.sweep && !record.expired.has(sessionId))
      violate('budget', `${sessionId} still waits for a budget`);
    const isSwept = begins.some((target) => target === 'sweep') && deferral?.reason !== 'settling';
    const at = deferral === null ? createdAt : isSwept ? deferral.startedAt : null;
    if (at !== null) opened.set(utcHour(at), (opened.get(utcHour(at)) ?? 0) + 1);
  }
  for (const [hour, count] of opened) {
    if (count > plan.sessionsPerHour) violate('budget', `${count} sessions of ${hour} were opened`);
  }
}

/** What started a deferred session: the target of each commit that did. */
function startsOf(sessionId: string, { commits }: World['record']): string[] {
  const path = paths.session(sessionId);
  let status = '';
  return commits.flatMap(({ by, writes }) => {
    const before = status;
    status = (writes.find((write) => write.path === path)?.value as Session | undefined)?.status ?? before;
    return before === 'deferred' && status === 'in_progress' ? [by.target] : [];
  });
}

/** Nothing but a migration writes a deferred session again, and nothing of it runs. */
function checkDeferred(
  { sessionId }: Session,
  executions: Execution[],
  world: World,
  violate: Violate,
): void {
  const { plan, record } = world;
  if (executions.length > 0) violate('budget', `${sessionId} is deferred, and has executions`);
  // An incident defers its session by rules of its own.
  if (plan.incidents !== null || plan.grouped !== null) return;
  if (plan.sessionsPerHour === null) violate('budget', `${sessionId} is deferred, and there is no budget`);
  const touched = record.commits.filter(
    ({ by, writes }) =>
      by.target !== 'migrate' && writes.some(({ path }) => path.startsWith(paths.session(sessionId))),
  );
  if (touched.length !== 1)
    violate('budget', `${sessionId} is deferred, and was written ${touched.length} times`);
}

/** Timeline and model are told once of each outage, and that it ended before they are told of the next. */
function checkOutages(
  { executionId, createdAt: began }: Execution,
  timeline: TimelineEvent[],
  messages: Message[],
  violate: Violate,
): void {
  const events = timeline.filter(
    (event) => event.eventType === 'error' && event.metadata.code === 'TOOL_SERVER_UNAVAILABLE',
  );
  const told = messages
    // What an execution begins with quotes what others were told.
    .filter(({ role, createdAt }) => role === 'user' && createdAt.getTime() !== began.getTime())
    .map(({ blocks }) => JSON.stringify(blocks))
    .flatMap((text) => [
      ...(text.includes('cannot be reached') ? ['gone'] : []),
      ...(text.includes('can be reached again') ? ['back'] : []),
    ]);
  const outages = told.filter((what) => what === 'gone').length;
  if (told.some((what, index) => what !== (index % 2 === 0 ? 'gone' : 'back')))
    violate('outages', `${executionId} was told ${told.join(', ')}`);
  if (events.length !== outages)
    violate('outages', `${executionId} has ${events.length} events of ${outages} outages`);
}

/** Every earlier iteration asked the model, unless it collected or had no time left. */
function checkIterations(
  { executionId, collects }: Execution,
  timeline: TimelineEvent[],
  interactions: Interaction[],
  violate: Violate,
): void {
  const timedOut = timeline.filter(({ status }) => status === 'timed_out').map((event) => event.iteration);
  const forContrast = timeline
    .filter((event) => event.eventType === 'mcp_tool_call')
    .filter(({ metadata }) => isForContrast(metadata.callId));
  const asked = new Set([
    ...[...interactions, ...forContrast].map(({ iteration }) => iteration),
    ...timedOut,
  ]);
  const last = Math.max(0, ...interactions.map(({ iteration }) => iteration));
  for (let iteration = collects ? 2 : 1; iteration < last; iteration++) {
    if (!asked.has(iteration)) violate('outages', `iteration ${iteration} of ${executionId} asked nothing`);
  }
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
  const { status, endedAt, deadline, failure, finalAnalysis } = session;
  const isRefused = world.faults.has('commit_refused');
  const planned = session.chain.stages.length;
  const found = executions.some(
    ({ stageId, finalAnalysis: own }) => own !== null && Number.parseInt(stageId, 10) <= planned,
  );
  if (isTerminal(status) && found && finalAnalysis === null && !isRefused)
    violate('stages', `the session is ${status} and lost the analyses of its agents`);
  if (run.cancelled === session.sessionId && status !== 'cancelled')
    violate('I1', `cancelled, but ${status}`);
  if (run.peaceful && status !== 'completed') violate('I1', `nothing went wrong, but ${status}`);
  // The two times can be of different clocks: of the opening and the ending process.
  const ends = executions.filter((one) => one.status === 'timed_out').map((one) => one.deadline.getTime());
  if (
    status === 'timed_out' &&
    (endedAt?.getTime() ?? 0) < Math.min(deadline.getTime(), ...ends) - 2 * world.plan.maxSkewMs
  )
    violate('I1', 'timed out before its deadline');
  const explained = /^(MODEL_|MAX_ITERATIONS|ITERATION_TIMEOUT|DEADLINE_EXCEEDED|CANCELLED)/;
  for (const cause of [failure, ...executions.map((execution) => execution.failure)]) {
    if (cause === null || explained.test(cause.code)) continue;
    // Two generations of code that work side by side for longer than a deployment takes.
    if (cause.code === 'SCHEMA_TOO_NEW' && hasAwaitedNewerCode(session.sessionId, world)) continue;
    if (cause.code === 'BUDGET_REACHED' && world.plan.tokens !== null) continue;
    if (cause.code === 'DELIVERY_EXHAUSTED' && run.deadLetters > 0) continue;
    if (cause.code === 'DOCUMENT_TOO_LARGE' && (isRefused || world.faults.has('answer_refused'))) continue;
    violate('I1', `nothing explains the failure ${cause.code}: ${cause.message}`);
  }
}

/** The agents without an analysis that a session shows; it counts the others. */
const MOST_SHOWN = 20;
/** Characters of a call that it shows at least. */
const SHOWN_CALL = 300;

/** An incomplete session leaves its work in document and event; a caveat is never lost. */
function checkPartial(
  { status, failure, partial, caveats, finalAnalysis }: Session,
  executions: Execution[],
  timeline: TimelineEvent[],
  violate: Violate,
): void {
  if (!isTerminal(status)) return;
  const told = timeline.filter(
    ({ executionId, metadata }) =>
      executionId === SESSION_EVENTS && 'code' in metadata && metadata.code === 'partial_result',
  );
  const wanted = status === 'completed' ? 0 : 1;
  if (told.length !== wanted)
    violate('partial', `the session is ${status} and has ${told.length} such events`);
  if ((partial !== null) !== (wanted === 1))
    violate('partial', `the session is ${status}: ${partial?.reason}`);
  if (partial !== null && (partial.reason !== failure?.code || told[0]?.content !== partial.text))
    violate('partial', `ended by ${failure?.code}, partial for ${partial.reason}: ${told[0]?.content}`);
  if (partial !== null && !partial.text.includes('could not be read')) {
    const unfinished = executions.filter((execution) => execution.finalAnalysis === null);
    const shown = unfinished.filter(({ executionId }) => partial.text.includes(`(${executionId})`));
    const [, rest = '0'] = /(\d+) earlier agents without an analysis are not shown/.exec(partial.text) ?? [];
    const missing = Math.max(0, unfinished.length - MOST_SHOWN);
    if (shown.length !== unfinished.length - missing || Number(rest) !== missing)
      violate(
        'partial',
        `shows ${shown.length} of ${unfinished.length} agents and says that ${rest} are missing`,
      );
    for (const { executionId } of shown) {
      const calls = timeline.filter(
        (event) => event.executionId === executionId && event.eventType === 'llm_tool_call',
      );
      const last = calls.at(-1)?.content;
      // The text shows long arguments in part.
      if (last !== undefined && !partial.text.includes(last.slice(0, SHOWN_CALL)))
        violate('partial', `${last} is missing`);
    }
  }
  const marked = executions.flatMap(
    ({ executionId, caveats: own, finalAnalysis: analysis, missingServers }) => {
      const codes: string[] = [...own];
      if (analysis === null) codes.push('AGENT_WITHOUT_ANALYSIS');
      if (missingServers.length > 0 && !own.includes('TOOL_SERVER_UNAVAILABLE'))
        codes.push('TOOL_SERVER_MISSING');
      return codes.map((code) => `${executionId} ${code}`);
    },
  );
  // An answer by rule marks an execution that has no such caveat of its own.
  const shown = caveats
    .filter(({ code }) => code !== 'BY_RULE')
    .map(({ executionId, code }) => `${executionId} ${code}`);
  if (finalAnalysis !== null && shown.sort().join() !== marked.sort().join())
    violate('partial', `the session has the caveats ${shown}, its executions ${marked}`);
}

/** The events of the session as a whole have no gap; one says who cancelled it. */
function checkSessionEvents({ cancellation }: Session, timeline: TimelineEvent[], violate: Violate): void {
  const own = timeline.filter(({ executionId }) => executionId === SESSION_EVENTS);
  if (!isNumberedTo(own, own.length)) violate('I3', `events of the session are ${listNumbers(own)}`);
  const told = own.filter(({ metadata }) => 'code' in metadata && metadata.code === 'cancel_requested');
  if (told.length !== (cancellation === null ? 0 : 1))
    violate('cancel', `${told.length} events say that it was cancelled by ${cancellation?.by}`);
}

/** Maximum messages per iteration, for any number of copies: its own, and one repair. */
const MESSAGES_PER_ITERATION = 2;

/**
 * Copies and repairs do not multiply messages: each iteration is published once and repaired once, and beside
 * that each sweep of an execution, each dead letter, and each decision of a person or the end of its time
 * publishes at most once.
 */
function checkMessages(run: RunFacts, { record, faults }: World, violate: Violate): void {
  const iterations = [...record.executions.values()].reduce((sum, { value }) => sum + value.iteration, 0);
  // Where the mark of a repair was lost, the next delivery cannot know of it.
  const { bySweep, unmarked } = record.published;
  const doubled = faults.get('publish_doubled') ?? 0;
  const expired = [...record.approvals.values()].filter(({ status }) => status === 'expired').length;
  // An iteration that older code refuses stays unclaimed, and a copy of its alert repairs it.
  const { refusals } = record;
  const repairs =
    bySweep + run.deadLetters + record.decisions.length + expired + doubled + refusals + unmarked;
  if (run.published > MESSAGES_PER_ITERATION * iterations + repairs)
    violate(
      'messages',
      `${run.published} were published for ${iterations} iterations, ${bySweep} sweeps and ${run.deadLetters} dead letters`,
    );
}

/** Every stage has ended as its policy says, and a completed session has run all stages of its chain. */
function checkStages(session: Session, stages: Stage[], executions: Execution[], violate: Violate): void {
  const { status, chain, finalAnalysis } = session;
  const verdict = readPart(verdictPart, session) ?? null;
  for (const stage of stages) {
    if (!isTerminal(stage.status)) violate('I1', `stage ${stage.stageId} never ended`);
    const own = executions.filter(({ stageId }) => stageId === stage.stageId).map((one) => one.status);
    const completed = own.filter((one) => one === 'completed').length;
    const needsAll = stage.kind === 'investigation' && chain.stages[stage.index - 1]?.successPolicy === 'all';
    const isEnough = completed >= (needsAll ? own.length : 1) && !own.includes('cancelled');
    if (isTerminal(stage.status) && isEnough !== (stage.status === 'completed'))
      violate('stages', `${stage.stageId} is ${stage.status}, its executions are ${own}`);
    if (status === 'completed' && stage.status !== 'completed' && stage.kind !== 'exec_summary')
      violate('stages', `completed, but ${stage.stageId} is ${stage.status}`);
  }
  const wanted = chain.stages.reduce((count, { synthesis }) => count + (synthesis === null ? 1 : 2), 0);
  const run = stages.filter(({ kind }) => kind !== 'exec_summary').length;
  const isStopped = verdict !== null && verdict.value === chain.stopWhen && run < wanted;
  if (status === 'completed' && ((run !== wanted && !isStopped) || finalAnalysis === null))
    violate('stages', `completed with ${run} of ${wanted} stages: ${finalAnalysis}`);
}

/**
 * One executive summary at most, the same in session and timeline, written for every session that found
 * something and had time. How writing it went changes nothing else of the session.
 */
function checkSummary(
  session: Session,
  { stages, executions, timeline }: { stages: Stage[]; executions: Execution[]; timeline: TimelineEvent[] },
  { faults, plan }: World,
  violate: Violate,
): void {
  const { status, failure, chain, conclusion, executiveSummary, finalAnalysis, endedAt, deadline } = session;
  if (!isTerminal(status)) return;
  const events = timeline.filter(({ eventType }) => eventType === 'executive_summary');
  const own = stages.filter(({ kind }) => kind === 'exec_summary');
  const said = events[0]?.content ?? null;
  const isRefused = faults.has('commit_refused');
  if (events.length > 1 || own.length > 1)
    violate('summary', `${own.length} stages wrote ${events.length} summaries`);
  if (executiveSummary !== said && !(isRefused && executiveSummary === null))
    violate('summary', `the session has ${executiveSummary}, its timeline ${said}`);
  if (said === null && own.length > 0) {
    const ids = own.flatMap(({ expectedExecutions }) => expectedExecutions);
    const isTold = timeline.some(
      ({ executionId, eventType }) => ids.includes(executionId) && eventType === 'error',
    );
    if (!isTold) violate('summary', 'nothing says why there is none');
  }
  // A check of claims keeps it, too.
  if (conclusion === null ? own.length > 0 : own.length === 0 && !plan.ledger)
    violate('summary', `${own.length} stages, and the session concluded ${conclusion?.status}`);
  if (conclusion !== null && status !== 'cancelled') {
    if (status !== conclusion.status && !isRefused)
      violate('summary', `the session concluded ${conclusion.status}, and is ${status}`);
    if (failure?.code !== conclusion.failure?.code && !isRefused)
      violate('summary', `the session concluded by ${conclusion.failure?.code}, and has ${failure?.code}`);
  }
  if (chain.summary === undefined || isRefused || own.length > 0 || finalAnalysis === null) return;
  // An answer by rule has none.
  if (session.caveats.some(({ code }) => code === 'BY_RULE')) return;
  // A budget that an agent reached can leave no tokens for it; then an event of the session names the budget.
  const namesBudget = timeline.some(
    ({ executionId, metadata }) =>
      executionId === SESSION_EVENTS && 'code' in metadata && metadata.code === 'budget_reached',
  );
  if (namesBudget && executions.some(({ budgetReached }) => budgetReached !== null)) return;
  const hadTime = (endedAt?.getTime() ?? 0) < deadline.getTime() - 2 * plan.maxSkewMs;
  const broken = executions.some((execution) => execution.failure?.code === 'DOCUMENT_INVALID');
  if (hadTime && status !== 'cancelled' && !broken)
    violate('summary', `the session is ${status} with an analysis, and has no summary`);
}

/** A session shows what the latest stage that found anything has found, however it ended. */
function checkBestAnalysis(
  { status, finalAnalysis }: Session,
  stages: Stage[],
  executions: Execution[],
  violate: Violate,
): void {
  if (!isTerminal(status)) return;
  const rank = ({ index, kind }: Stage) => 2 * index + (kind === 'synthesis' ? 1 : 0);
  const found = stages
    .filter(({ kind }) => kind !== 'exec_summary')
    .toSorted((a, b) => rank(a) - rank(b))
    .map(({ stageId }) => executions.filter((one) => one.stageId === stageId && one.finalAnalysis !== null))
    .findLast((analyses) => analyses.length > 0);
  for (const execution of found ?? []) {
    if (!finalAnalysis?.includes(execution.finalAnalysis ?? ''))
      violate('stages', `the session is ${status} without the analysis of ${execution.executionId}`);
  }
}

/** An execution has a few kilobytes, with a bit per waiting call and its last error. */
const EXECUTION_BYTES = 5_000;
const CALL_BYTES = 300;

/** Documents are created once, not written after their end, and do not grow with the iteration number. */
function checkWrites({ record, plan }: World, violate: Violate): void {
  const created = new Set<string>();
  const endedBy = new Map<string, number>();
  const stored = new Map<string, unknown>();
  for (const [index, { by, writes }] of record.commits.entries()) {
    for (const { op, path, value } of writes) {
      if (op === 'delete') {
        // The outage of a model ends, and another one starts.
        if (path.startsWith('modelOutages/')) created.delete(path);
        continue;
      }
      const [, sessionId = '', collection = '', id = ''] = path.split('/');
      // Who does not find the pins of a session that is being deleted pins again, with the same list of tools
      // in the same commit; who watches it, watches it anew.
      const isAnew =
        ['pinnedTools', 'toolLists', 'control'].includes(collection) && record.expired.has(sessionId);
      const isState = ['', 'executions', 'stages', 'control'].includes(collection);
      const { status: approvalStatus } = path.startsWith('approvals/') ? (value as Approval) : {};
      const decided = (stored.get(path) as Approval | undefined)?.status;
      if (approvalStatus !== undefined && decided !== undefined && decided !== 'pending')
        violate('approvals', `${path} was ${decided} and becomes ${approvalStatus}`);
      if (op === 'create' && created.has(path) && !isAnew) violate('I3', `${path} was created twice`);
      // What fires again has its alert in the place of one that was resolved.
      const isNewBody = collection === 'alertBody' && (plan.incidents ?? plan.grouped) !== null;
      // probeRule.ts has the rules of outcomes, incidentRule.ts and groupingRule.ts those of counts.
      // forkRule.ts has the rules of links.
      const isRuled = ['outcomes', 'alertCounts', 'forks'].includes(collection);
      if (op === 'replace' && !isState && !isNewBody && !isRuled)
        violate('I3', `${path} was changed after it was written`);
      created.add(path);

      const owner =
        collection === '' || collection === 'stages'
          ? path
          : executionKey({ sessionId, executionId: id.split('.')[0] });
      const ended = endedBy.get(owner);
      // A migration may find that a document was brought up meanwhile, and writes it as it is.
      const isSame =
        (by.target === 'migrate' && isDeepStrictEqual(value, stored.get(path))) ||
        (collection === '' && ended !== undefined && isSameConclusion(value, stored.get(path)));
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
      const own = writes.filter((write) => !write.path.includes('~') || write.path.includes(`/${id}.`));
      const guidance = own.filter(({ value }) => JSON.stringify(value).includes('</guidance-')).length;
      const documents = 10 + 3 * (plan.trees ? 10 : 4) + guidance;
      if (own.length > documents && op === 'replace')
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
      const [, sessionId = '', collection, id = ''] = path.split('/');
      if (collection === 'interactions')
        storedAt.set(`${sessionId}/${id.replace(/\.(forced_conclusion|executive_summary)$/, '')}`, at);
      if (collection === 'timeline') {
        const key = reserved.get(`${sessionId}/${id}`);
        // Only the process that ran the call stores its result; others store that its effect is unverified.
        const ran = record.activities.some((activity) => activity.key === key && activity.by === by);
        if (key !== undefined && ran) storedAt.set(key, at);
      }
      if (collection !== 'executions') continue;
      const { executionId, iteration, pendingCalls } = value as Execution;
      for (const { index, resultEvent } of pendingCalls) {
        const event = `${sessionId}/${executionId}.${String(resultEvent).padStart(6, '0')}`;
        reserved.set(event, `${sessionId}/${executionId}/${iteration}/${index}`);
      }
    }
  }
  const changes = new Map<string, number>();
  for (const activity of record.activities) {
    const { kind, iteration, key, readOnly, recovery, startedAt, by } = activity;
    const own = executionKey(activity);
    const subject = kind === 'model' ? `${own}.${String(iteration).padStart(3, '0')}` : (key ?? '');
    const stored = storedAt.get(subject);
    // With different clocks a lease can be live and over; only one of the two can write.
    if (stored !== undefined && startedAt > stored && !by.overtaken.has(own))
      violate('I4', `${by.process.name} #${by.id} repeats ${kind} ${subject}, whose result is stored`);
    // A tool that knows the key can be repeated. A call can overtake a probe of another clock.
    const mayRepeat = recovery === 'repeat' || (recovery === 'probe' && by.overtaken.has(own));
    if (kind === 'tool' && !readOnly && !mayRepeat) changes.set(subject, (changes.get(subject) ?? 0) + 1);
  }
  for (const [key, runs] of changes) {
    if (runs > 1) violate('I4', `the call ${key} changes something and was run ${runs} times`);
  }
}

/** An approval is decided once; people are told what is stored; what was not approved never ran. */
function checkApprovals({ record }: World, violate: Violate): void {
  const isGone = (sessionId: string) => record.expired.has(sessionId);
  const events = record.commits.flatMap(({ writes }) =>
    writes
      .filter(({ path }) => path.split('/')[2] === 'timeline')
      .map(({ value }) => value as TimelineEvent)
      .flatMap((event) => (event.eventType === 'notice' ? [event.metadata] : [])),
  );
  const count = (approvalId: string, code: string) =>
    events.filter((metadata) => metadata.approvalId === approvalId && metadata.code === code).length;
  for (const { approvalId, status, sessionId, decidedBy } of record.approvals.values()) {
    const session = record.sessions.get(sessionId);
    if (status === 'pending' && !isGone(sessionId) && session !== undefined && isTerminal(session.status))
      violate('approvals', `${approvalId} is pending after its session has ended`);
    const isDecided = status === 'approved' || status === 'denied' || status === 'expired';
    if (count(approvalId, 'approval_requested') !== 1)
      violate('approvals', `${approvalId} was not told once`);
    if (count(approvalId, 'approval_decided') !== (isDecided ? 1 : 0))
      violate('approvals', `${approvalId} is ${status}, and its decision was not told once`);
    const told = record.decisions.filter((one) => one.approvalId === approvalId);
    const decided = told.filter(({ outcome }) => outcome.kind === 'decided');
    // The same decision of the same person at the same moment is one.
    const winners = new Set(decided.map(({ decision }) => `${decision.verdict} by ${decision.by}`));
    if (winners.size > 1) violate('approvals', `${approvalId} was ${[...winners].join(', and ')}`);
    for (const { decision, outcome } of told) {
      if (outcome.kind === 'unknown') {
        if (!isGone(sessionId)) violate('approvals', `${approvalId} is unknown to ${decision.by}`);
        continue;
      }
      const isTold = {
        decided: decision.by === decidedBy && decision.verdict === status,
        already_decided: outcome.approval.decidedBy === decidedBy && outcome.approval.status === status,
        expired: status === 'expired',
        ended: status === 'ended' || isGone(sessionId) || session?.status === 'cancelled',
      }[outcome.kind];
      if (!isTold) violate('approvals', `${decision.by} is told ${outcome.kind}; ${approvalId} is ${status}`);
    }
  }
}
