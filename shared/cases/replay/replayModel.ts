// Replays a recorded session with a model: the session starts again as it was opened, its tools answer as
// recorded, and the model is asked. Inputs of people and outages come at the same number of model calls as in
// the record, because models differ in speed.

import { readSessionAlert } from '../../alerts/schema/alert.ts';
import type { SessionConfig } from '../../config/config.ts';
import { swapModel } from '../../config/mapAgents.ts';
import { routeAlert } from '../../config/routing.ts';
import type { GuardFor } from '../../core/contract/guard.ts';
import type { LlmClient } from '../../core/contract/llm.ts';
import type { ToolOutcome, ToolResult, ToolSource } from '../../core/contract/tools.ts';
import type { RuntimeDeps } from '../../core/kernel/deps.ts';
import type { Feature } from '../../core/kernel/feature/feature.ts';
import { SEARCH, SEARCH_CHANGES } from '../../core/schema/agent.ts';
import { composeStageId } from '../../core/schema/coreDocuments.ts';
import { iterationMessageSchema } from '../../core/schema/iterationMessage.ts';
import type { Session } from '../../core/schema/session.ts';
import { handleIteration } from '../../engine/handleIteration.ts';
import { inProcess } from '../../engine/inProcess.ts';
import { decideApproval } from '../../kits/approvals/decideApproval.ts';
import { listToolServers, recordedSources } from '../../kits/forks/recordedSources.ts';
import { alertBodyType, approvalType, paths, sessionType } from '../../lists/documents.ts';
import { createGuards } from '../../masking/guards.ts';
import { maskInstructions } from '../../masking/maskInstructions.ts';
import type { PublishedMessage } from '../../store/memory/memoryPublisher.ts';
import type { MemoryStore } from '../../store/memory/memoryStore.ts';
import { createToolConnector } from '../../tools/connectTools.ts';
import type { CaseTool } from '../caseFile.ts';
import { type CallCounts, createAnswers, NOT_RECORDED } from '../caseTools.ts';
import { missingAt, outageNotices } from '../outages.ts';
import { type RecordedSession, readRecordedSession } from '../recordedSession.ts';
import type { Recording } from '../recording.ts';
import {
  connectRecorded,
  createReplayEngine,
  createSteppingClock,
  type ReplayEngine,
  toPushEvent,
} from '../replayDeps.ts';
import {
  actionsOfPeople,
  childAgents,
  copyInputs,
  partsLeftOut,
  restoreOpenedSession,
  startSession,
} from '../replayStored.ts';
import { replaySteps, seededBytes } from '../runCase.ts';
import { liveSources, type ToolMode } from './liveTools.ts';
import { groupAnsweredCalls, toolsOfRecording } from './recordedCalls.ts';

/** The settings of a replay with a model. */
export interface ModelReplayOptions {
  /** The provider's id of the model of all agents; undefined: those of the configuration or of the record. */
  model: string | undefined;
  /** Chain and agents. Undefined: those of the record. */
  config: SessionConfig | undefined;
  llm: LlmClient;
  listPrices?: RuntimeDeps['listPrices'];
  tools: ToolMode;
  /** The servers of the configuration, and the file of their answers. Unused if all calls are recorded. */
  live: { sources: readonly ToolSource[]; file: string };
  /** Default: the standard rules and those of `config`. */
  maskerFor?: GuardFor | undefined;
  /** Makes nonces, which are the same when a replay is resumed. */
  seed: string;
  signal: AbortSignal;
}

/** The end of a replay with a model. */
export interface ModelReplay extends CallCounts {
  sessionId: string;
  store: MemoryStore;
  /** Parts of the record that were not injected, in words. */
  leftOut: string[];
}

/** Milliseconds of an answer on the clock of a replay, so that a resumed one sends equal requests. */
const ANSWER_MS = 10_000;

/**
 * Replays a session with a model, in a store in memory.
 * @throws the signal's reason; TerminalError for a record that cannot be read; any error of `llm` and of the
 * runtime.
 */
export async function replayWithModel(
  recording: Recording,
  options: ModelReplayOptions,
): Promise<ModelReplay> {
  const recorded = await readRecordedSession(recording);
  const clock = createSteppingClock(recorded.session.createdAt);
  const counts: CallCounts = { calls: 0, unrecorded: [] };
  const leftOut = partsLeftOut(recorded);
  const progress = { answers: 0 };
  const maskerFor =
    options.maskerFor ?? createGuards(options.config ? { rules: options.config.masking } : {});
  const answer = createAnswers(toolsOfRecording(recorded), counts, recorded.session.createdAt);
  const deps = createReplayEngine({
    clock,
    agents: childAgents(recorded),
    maskerFor,
    randomBytes: seededBytes(options.seed),
    llm: {
      async generate(request, call) {
        const response = await options.llm.generate(request, call);
        clock.step(ANSWER_MS);
        progress.answers++;
        return response;
      },
    },
    ...(options.listPrices && { listPrices: options.listPrices }),
  });
  await copyInputs(recording, recorded, deps.store);
  const session = await openSession(recording, recorded, options);
  await startSession(session, deps);
  const agents = [...recorded.agents.values()].map(({ agent }) => agent);
  const named = listToolServers([...agents, ...session.chain.stages.flatMap((stage) => stage.agents)]);
  const inputs = listPersonInputs(recorded);
  const decided = new Set<string>();
  const searches = createAnswers(searchTools(recorded), counts, session.createdAt);
  let delivery = 0;
  let handle = async (): Promise<void> => {};
  /** Acts as people did before a message, and prepares its deliveries. */
  const prepare = async (message: PublishedMessage): Promise<typeof handle> => {
    await actUntil(progress.answers, inputs, deps);
    if (message.topic !== 'iterations') return async () => {};
    const { iteration } = iterationMessageSchema.parse(JSON.parse(message.data.toString()));
    const connectTools =
      options.tools === 'recorded'
        ? connectRecorded(
            recordedSources(
              recorded.toolLists,
              named,
              () => findRecordedMoment(recorded, iteration, delivery),
              (call, options) => answer(call, options) ?? NOT_RECORDED,
            ),
          )
        : createToolConnector(
            liveSources(options.live.sources, {
              recorded: answer,
              counts,
              file: options.live.file,
              mode: options.tools,
              mask: (text) => maskerFor(session.maskKey).mask(text).text,
            }),
            { warn: () => {} },
          );
    const event = toPushEvent(message, clock.now());
    const features = [...deps.features, recordedSearches(searches)];
    return () => handleIteration(event, { ...deps, connectTools, features });
  };
  const queue = inProcess({
    steps: {
      ...replaySteps(clock.step, options.signal),
      publisher: deps.publisher,
      async deliver(message, attempt) {
        options.signal.throwIfAborted();
        delivery = attempt;
        if (attempt === 1) handle = await prepare(message);
        await handle();
      },
    },
  });
  for (;;) {
    await queue.drain();
    const paused = inputs.findIndex(({ isResume }) => isResume);
    if (await decideApprovals(recorded, deps, leftOut, decided)) continue;
    // Nothing continues a paused session but the input that resumes it.
    if (paused === -1 || !(await isPaused(session.sessionId, deps))) break;
    for (const { act } of inputs.splice(0, paused + 1)) await act(deps);
  }
  if (recorded.stages.some(({ kind }) => kind === 'chat')) leftOut.push('questions about the result');
  for (const { name } of inputs) leftOut.push(`${name}: the replay ended before`);
  return { ...counts, sessionId: session.sessionId, store: deps.store, leftOut };
}

async function openSession(
  { store }: Recording,
  recorded: RecordedSession,
  { config, model, seed }: ModelReplayOptions,
): Promise<Session> {
  const session = restoreOpenedSession(recorded);
  const alert = readSessionAlert(session);
  if (config === undefined || alert === null) return { ...session, chain: swapModel(session.chain, model) };
  const bodies = await store.list(
    { collection: `${paths.session(session.sessionId)}/alertBody` },
    alertBodyType,
  );
  const ordered = bodies.map(({ value }) => value).toSorted((a, b) => a.part - b.part);
  const { chain } = routeAlert(config, alert, ordered.map(({ text }) => text).join(''));
  const masker = createGuards({ rules: config.masking })(session.maskKey);
  return {
    ...session,
    chain: swapModel(maskInstructions(chain, masker), model),
    dataNonce: seededBytes(seed)(6).toString('hex'),
    currentStageId: composeStageId(1, chain.stages[0]?.name ?? ''),
    deadline: new Date(session.createdAt.getTime() + config.sessionDeadlineMs(chain.name)),
  };
}

/** Does what people did before that many answers of models. */
async function actUntil(
  answers: number,
  inputs: ReturnType<typeof listPersonInputs>,
  deps: ReplayEngine,
): Promise<void> {
  for (let next = inputs[0]; next !== undefined && next.after <= answers; next = inputs[0]) {
    inputs.shift();
    await next.act(deps);
  }
}

/** What people did, each with the number of answers of models that were stored before. */
function listPersonInputs(recorded: RecordedSession) {
  return actionsOfPeople(recorded).map(({ at, act, name, isResume }) => ({
    act,
    name,
    isResume,
    after: recorded.interactions.filter(({ createdAt }) => createdAt < at).length,
  }));
}

/** The state of servers at a delivery of an iteration of the record; the latest for further iterations. */
function findRecordedMoment(recorded: RecordedSession, iteration: number, delivery: number) {
  const { interactions, session } = recorded;
  const later = interactions.filter((one) => one.iteration > iteration);
  const at = later.reduce<Date>(
    (first, { createdAt }) => (createdAt < first ? createdAt : first),
    session.endedAt ?? new Date(8.64e15),
  );
  return { at, missing: missingAt(outageNotices(recorded), { iteration, delivery }) };
}

const SEARCHES = [SEARCH, SEARCH_CHANGES];

/** Searches of knowledge and changes, whose data is not part of a recording. */
function searchTools(recorded: RecordedSession): CaseTool[] {
  const answers = groupAnsweredCalls(recorded);
  return SEARCHES.map((name) => ({
    name,
    description: '',
    yields: 'text',
    parameters: [],
    covers: [],
    answers: answers.get(name) ?? [],
  }));
}

function recordedSearches(
  answer: (call: { name: string; arguments: string }) => ToolOutcome | undefined,
): Feature {
  return {
    offerTools: (tools) => ({
      ...tools,
      list: () => tools.list(),
      execute(call, options): Promise<ToolResult> {
        if (!SEARCHES.includes(call.name)) return tools.execute(call, options);
        const { content, isError } = answer(call) ?? NOT_RECORDED;
        return Promise.resolve({
          callId: call.callId,
          name: call.name,
          content,
          isError,
          durationMs: 0,
          truncated: false,
          timedOut: false,
        });
      },
    }),
  };
}

/** Decides waiting calls as people did in the record; denies others. @returns whether there was one. */
async function decideApprovals(
  { approvals }: RecordedSession,
  deps: ReplayEngine,
  leftOut: string[],
  decided: Set<string>,
): Promise<boolean> {
  const found = await deps.store.list({ collection: paths.approvals }, approvalType);
  const pending = found
    .map(({ value }) => value)
    .filter(({ status, approvalId }) => status === 'pending' && !decided.has(approvalId));
  for (const { approvalId, toolName, arguments: given } of pending) {
    const before = approvals.find(
      (one) => one.toolName === toolName && one.arguments === given && one.status !== 'pending',
    );
    if (before === undefined)
      leftOut.push(`the approval of ${toolName}: the record has no decision about it`);
    decided.add(approvalId);
    const verdict = before?.status === 'approved' ? ('approved' as const) : ('denied' as const);
    const reason = before === undefined ? 'No one decides in a replay.' : before.reason;
    await decideApproval(approvalId, { verdict, by: before?.decidedBy ?? 'replay', reason }, deps);
  }
  return pending.length > 0;
}

async function isPaused(sessionId: string, { store }: ReplayEngine): Promise<boolean> {
  const session = await store.get(paths.session(sessionId), sessionType);
  return session?.value.steering.paused !== null;
}
