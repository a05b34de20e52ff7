// Simulates a model that answers with calls, conclusions, unusable text or errors, or does not answer.

import { answer as finishedAnswer } from '../../shared/core/contract/llm.fixture.ts';
import type {
  ConversationMessage,
  LlmClient,
  LlmRequest,
  LlmResponse,
  Progress,
} from '../../shared/core/contract/llm.ts';
import type { ToolCall } from '../../shared/core/contract/tools.ts';
import { type ErrorCode, RetryableError, TerminalError } from '../../shared/core/errors.ts';
import { ASK_AGENT } from '../../shared/core/schema/agent.ts';
import type { Message } from '../../shared/core/schema/message.ts';
import { pause } from '../../shared/engine/testing/simulatedProcess.ts';
import { paths } from '../../shared/lists/documents.ts';
import { type Circuits, createCircuits } from '../../shared/llm/inline/circuits.ts';
import { startActivity } from './activity.ts';
import { reserveInRecord, usageOf, useInRecord } from './features/budgets/tokenRule.ts';
import { answerOfCheck, stepOf } from './features/claims/simulatedLedger.ts';
import { checkAsked, hasNext } from './features/modelOutages/fallbackRule.ts';
import { HELPERS, READ_TOOL } from './helpers.ts';
import { executionKey, type Invocation, type Process } from './record.ts';
import type { World } from './world.ts';

/** A tool that changes something. */
export const CHANGE_TOOL = 'sim.change';
/** Tools that change something: their recovery, and whether a person must approve them. */
export const KEYED_TOOL = 'sim.keyed';
export const PROBED_TOOL = 'sim.probed';
export const APPROVED_TOOLS = ['sim.restart', 'sim.restart_keyed', 'sim.restart_probed'] as const;

/** An error that only a bug in the project's own code throws. */
export class SimulatedBug extends Error {}

/** The model client of one invocation. */
export function simulatedModel(
  by: Invocation,
  strategyOf: (executionId: string) => string,
  world: World,
): LlmClient {
  return {
    async generate(request, { signal, report, onProgress }) {
      const { sessionId = '', executionId = '', iteration = 0 } = by;
      checkConversation(request.messages, by, world);
      const written = world.record.executions.get(executionKey(by));
      if (written?.by === by) checkAsked(request.model, written.value, world);
      const { model } = request.model;
      const pass =
        world.plan.modelOutage === null ? undefined : circuitsOf(by.process, world).enter(request.model);
      const tokens = reserveInRecord(request, by, world);
      const end = startActivity(
        { kind: 'model', by, sessionId, executionId, iteration, model, tokens },
        world,
      );
      const usage = usageOf(request, world);
      report.attempts = 1;
      report.requestBytes = 1_000;
      const stopSpeaking = onProgress === undefined ? () => {} : composeAnswer(onProgress, by, world);
      try {
        const answered = await untilAborted(
          signal,
          answer(by, strategyOf(executionId), request, world, () => {
            report.answerStarted = true;
            pass?.answered();
          }),
        );
        return { ...answered, usage };
      } catch (error) {
        if (hasNext(error, request.model, world)) by.changesModels = true;
        if (error instanceof RetryableError && error.code === 'MODEL_UNAVAILABLE')
          pass?.failed({ kind: 'unavailable', error });
        // A stream that was cut off is billed too.
        if (error instanceof RetryableError && error.code === 'MODEL_STREAM_CUT') report.usage = usage;
        throw error;
      } finally {
        useInRecord(by, usage.total, world);
        pass?.cancelled();
        stopSpeaking();
        end();
      }
    },
  };
}

/** The circuit breakers of each instance. */
const circuits = new WeakMap<Process, Circuits>();

function circuitsOf(process: Process, { random, time }: World): Circuits {
  const known =
    circuits.get(process) ??
    createCircuits({ random: () => random.int(0, 999) / 1_000, now: () => time.now() + process.skewMs });
  circuits.set(process, known);
  return known;
}

const WORDS = 'What the logs say of it may mean that the disk is full, or that it will be. ';

/** What a model says at most; then it is silent. */
const MAX_PIECES = 20;

/** Thinks aloud, four times a second, until the returned function is called. */
function composeAnswer(
  onProgress: (progress: Progress) => void,
  { process }: Invocation,
  { time }: World,
): () => void {
  let stop = () => {};
  let pieces = 0;
  const tick = () => {
    onProgress({ kind: 'thinking', delta: WORDS });
    if (++pieces < MAX_PIECES) stop = time.after(250, tick, process);
  };
  onProgress({ kind: 'attempt' });
  stop = time.after(250, tick, process);
  return () => stop();
}

async function answer(
  by: Invocation,
  strategy: string,
  request: LlmRequest,
  world: World,
  began: () => void,
): Promise<LlmResponse> {
  if (world.isIn(world.plan.modelOutage)) {
    await pause(by.process, world.drawMs(50, 2_000), world);
    throw new RetryableError('MODEL_UNAVAILABLE', 'the model is down');
  }
  // Without sweep nothing ends a long pause: models start each answer, and fail within.
  const mayBeOut = world.plan.sweep;
  if (world.drawFault('model_hung')) {
    if (!mayBeOut || world.random.chance(0.5)) began();
    return await new Promise<never>(() => {});
  }
  const slow = world.drawFault('model_slow');
  await pause(by.process, slow ? world.drawMs(20_000, 200_000) : world.drawMs(300, 8_000), world);
  if (world.drawFault('model_failed')) {
    const code = world.random.pick<ErrorCode>(['MODEL_UNAVAILABLE', 'MODEL_STREAM_CUT', 'MODEL_TIMEOUT']);
    if (!mayBeOut || code !== 'MODEL_UNAVAILABLE') began();
    throw new RetryableError(code, 'the model failed');
  }
  if (world.drawFault('model_out_of_quota')) {
    if (!mayBeOut) began();
    const retryAfterMs = world.drawMs(1_000, world.random.pick([90_000, 900_000]));
    throw new RetryableError('MODEL_QUOTA', 'no quota is left', { retryAfterMs });
  }
  began();
  if (world.drawFault('bug')) throw new SimulatedBug('this code is wrong');
  if (world.drawFault('model_blocked')) throw new TerminalError('MODEL_BLOCKED', 'the prompt was blocked');
  return composeResponse(by, strategy, request, world);
}

/** What the model concludes from a request. */
export function composeResponse(
  by: Invocation,
  strategy: string,
  request: LlmRequest,
  world: World,
): LlmResponse {
  if (world.drawFault('model_answer_unusable')) return response('', []);
  const check = answerOfCheck(strategy, world);
  if (check !== undefined) return response(check, []);
  const bound = request.tools.map(({ name }) => name);
  const calls = strategy === 'react' || (strategy === 'native-thinking' && bound.length > 0);
  const mark = world.nextMark();
  const depth = world.record.executions.get(executionKey(by))?.value.depth ?? 0;
  // Where agents ask others, they do so first.
  const isFirst = world.plan.trees && depth === 0 && by.iteration === 1;
  const scripted = world.plan.ledger && calls ? stepOf(request, strategy, world) : undefined;
  if (scripted !== undefined) return response(scripted.text, scripted.calls);
  if (!calls || (!isFirst && world.random.chance(depth === 0 ? 0.3 : 0.6))) {
    const result = world.plan.checks && world.random.chance(0.5) ? '\nCheck result: healthy' : '';
    const analysis = `It was the disk of web. ${mark}${result}`;
    return response(strategy === 'react' ? `Thought: Enough.\nFinal Answer: ${analysis}` : analysis, []);
  }
  const tool = () => {
    const changing = world.plan.approvals
      ? world.random.pick([CHANGE_TOOL, KEYED_TOOL, KEYED_TOOL, PROBED_TOOL])
      : CHANGE_TOOL;
    return world.plan.approvals && world.random.chance(0.5)
      ? world.random.pick([...APPROVED_TOOLS])
      : world.random.pick([READ_TOOL, changing]);
  };
  const maxCalls = world.plan.trees && depth === 0 && world.random.chance(0.1) ? 10 : 4;
  const mayAsk = world.plan.trees && (strategy === 'react' || bound.includes(ASK_AGENT));
  const asking = mayAsk && (isFirst || world.random.chance(0.4));
  const call = (): { name: string; arguments: string } =>
    asking && world.random.chance(0.7)
      ? { name: ASK_AGENT, arguments: question(world) }
      : { name: tool(), arguments: args() };
  // Few enough that the same call is made a third time now and then.
  const args = () => JSON.stringify({ name: `web-${world.random.int(1, 4)}` });
  if (strategy === 'react') {
    const { name, arguments: input } = call();
    return response(`Thought: I look. ${mark}\nAction: ${name}\nAction Input: ${input}`, []);
  }
  const count = world.random.int(isFirst ? 2 : 1, maxCalls);
  return response(
    '',
    Array.from({ length: count }, (_, index) => ({
      callId: `${mark}-${index}`,
      ...call(),
    })),
  );
}

/** What an agent asks another one; now and then somebody that there is not, or with little time. */
function question({ random, nextMark }: World): string {
  const name = random.chance(0.05) ? 'nobody' : random.pick([...HELPERS]);
  const timeout = random.pick([undefined, 30, 30, 60]);
  return JSON.stringify({ agent_name: name, input_text: `Why? ${nextMark()}`, ...(timeout && { timeout }) });
}

/** The model gets what is stored. Checked only while the execution is held. */
export function checkConversation(
  shown: readonly ConversationMessage[],
  by: Invocation,
  { record }: World,
): void {
  const { sessionId = '', executionId = '' } = by;
  if (record.executions.get(executionKey(by))?.by !== by) return;
  const own = `${paths.messages(sessionId)}/${executionId}.`;
  const stored = record.commits
    .flatMap(({ writes }) => writes)
    .filter(({ path }) => path.startsWith(own))
    .map(({ value }) => value as Message)
    .sort((a, b) => a.sequenceNumber - b.sequenceNumber);
  // Guidance and a forced conclusion add messages, which are stored together with the answer.
  const isGuidance = (message: ConversationMessage) => JSON.stringify(message).includes('</guidance-');
  const added = shown.slice(stored.length).filter((message) => !isGuidance(message));
  if (shown.length < stored.length || added.length > 1)
    record.violations.push(
      `conversation: the model is shown ${shown.length} of ${stored.length} messages of ${executionId}`,
    );
  for (const [index, message] of stored.entries()) {
    const [wanted, found] = [marksOf(message), marksOf(shown[index])];
    if (wanted !== found)
      record.violations.push(
        `conversation: message ${index + 1} of ${executionId} is ${wanted}, and the model is shown ${found}`,
      );
  }
}

/** The marks in a value, each once. */
export function marksOf(value: unknown): string {
  return [...new Set(JSON.stringify(value)?.match(/#\d+#/g))].join(' ');
}

function response(text: string, toolCalls: ToolCall[]): LlmResponse {
  const calls = toolCalls.map(({ callId, name }) => ({
    functionCall: { id: callId, name: name.replace('.', '__') },
  }));
  const parts = text === '' ? calls : [{ text }, ...calls];
  return finishedAnswer({
    text,
    toolCalls,
    replay: { provider: 'google', model: 'simulated', data: JSON.stringify(parts) },
    modelVersion: 'simulated',
  });
}

/** Rejects with the signal's reason on abort, as the real clients do. */
export async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
