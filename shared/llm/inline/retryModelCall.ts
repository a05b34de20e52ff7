// Runs the attempts of one model call, the same for all clients: counts, reports and logs them, and retries
// where that can help.

import type { CallReport, GenerateOptions, LlmResponse } from '../../core/contract/llm.ts';
import { RetryableError } from '../../core/errors.ts';
import type { ModelSettings } from '../../core/schema/agent.ts';
import { addTokens, NO_TOKENS, type TokenUsage } from '../../core/schema/common.ts';
import type { AttemptOutcome, FailureKind } from '../failures.ts';
import type { CircuitPass, Circuits } from './circuits.ts';
import { type BackoffOptions, waitBeforeRetry } from './retryDelay.ts';

const MAX_ATTEMPTS = 3;

/** Failures for which the same or a similar request can succeed; others need a new configuration. */
const REPEATED: ReadonlySet<FailureKind> = new Set(['rate_limit', 'unavailable', 'network', 'cut', 'empty']);

/** Options of attempts: replacements for tests, and logs of failed attempts and unsent content. */
export interface AttemptOptions extends BackoffOptions {
  /** Receives every failed attempt, and notes on content that could not be sent. Fields hold no secrets. */
  log?: (message: string, fields: Record<string, unknown>) => void;
  /** Keep the calls of an instance from models that do not answer. Absent: every call is sent. */
  circuits?: Circuits;
}

/** A request changed because of a failure. `atOnce`: mended, so sent without waiting or counting. */
export interface ChangedRequest<Request> {
  /** The request of the next attempt. */
  request: Request;
  /** Whether to send it without a delay and without counting the attempt. Default: false. */
  atOnce?: boolean;
  /** The model whose circuit the next attempts use. Default: the same. */
  model?: ModelSettings;
}

/** The parts of the loop that differ between clients. `Request`: from which a client builds an attempt. */
export interface Attempts<Request> {
  /** The first word of log lines: `Gemini`. */
  client: string;
  /** The model that is asked. Absent: the call goes past the circuits. */
  model?: ModelSettings;
  /** The request of the first attempt. */
  request: Request;
  /**
   * One attempt. Thrown errors end the call.
   * @param onFirstPiece called when the first piece of an answer arrives; if it is never called, the answer
   *   starts when it is complete.
   */
  ask(request: Request, onFirstPiece: () => void): Promise<AttemptOutcome>;
  /**
   * The request to send after a failure. Undefined: the same request if a retry can help, else none. A
   * changed request makes any failure retryable.
   */
  change(kind: FailureKind, request: Request): ChangedRequest<Request> | undefined;
}

/** The data of one attempt that the report records. */
interface Received {
  /** UTF-8 bytes. */
  responseBytes: number;
  /** The billed tokens; null if the provider reports none. */
  usage: TokenUsage | null;
  /** The provider's own word for the end of the answer; null if there is none. */
  finishReason: string | null;
}

/**
 * Asks the model up to 3 times, with waits as in `waitBeforeRetry`. The call's report records attempts, their
 * errors and the finish reason of the last one.
 * @throws the error of the last attempt; that of an earlier one when its wait would pass the call's deadline,
 *   or when the model cannot be asked any more by then; the errors of `ask`; the signal's reason on abort;
 *   before the first attempt the errors of `Circuits.enter`.
 */
export async function askUntilAnswered<Request>(
  attempts: Attempts<Request>,
  call: GenerateOptions,
  options: AttemptOptions,
): Promise<LlmResponse> {
  const { signal, report } = call;
  let { request, model } = attempts;
  let failures = 0;
  let last: unknown;
  while (true) {
    signal.throwIfAborted();
    const pass = enterCircuit(model, options, last);
    report.attempts += 1;
    delete report.finishReason;
    delete report.answerStarted;
    call.onProgress?.({ kind: 'attempt' });
    const outcome = await measureAttempt(report, options, () => askOnce(attempts, request, call, pass));
    if (outcome.kind === 'answer') return outcome.response;

    const { kind: what, error } = outcome.failure;
    last = error;
    const { code, message } = error;
    report.attemptErrors.push(`${code}: ${message}`);
    options.log?.(`${attempts.client} attempt failed`, {
      attempt: report.attempts,
      what,
      code,
      error: message,
    });
    const changed = attempts.change(what, request);
    request = changed?.request ?? request;
    model = changed?.model ?? model;
    const isMended = changed?.atOnce === true;
    if (!isMended) failures += 1;
    const mayHelp = changed !== undefined || REPEATED.has(what);
    if (!mayHelp || failures >= MAX_ATTEMPTS) throw error;
    if (!isMended) await waitBeforeRetry(failures, error, call, options);
    if (!(await mayRepeat(call))) throw error;
  }
}

/** Whether the caller allows a further request of its call. Never fails. */
export async function mayRepeat({ mayRepeat }: GenerateOptions): Promise<boolean> {
  return mayRepeat === undefined || (await mayRepeat().catch(() => false));
}

/** The right to send a request. Throws `last`, the error of the attempt before, if there is none. */
function enterCircuit(
  model: ModelSettings | undefined,
  { circuits }: AttemptOptions,
  last: unknown,
): CircuitPass | undefined {
  if (model === undefined || circuits === undefined) return undefined;
  try {
    return circuits.enter(model, last instanceof RetryableError && last.retryAfterMs !== undefined);
  } catch (error) {
    throw last ?? error;
  }
}

/** Measures an attempt. Without a test's clock, in the time of this machine. */
async function measureAttempt<T>(
  report: CallReport,
  { now = Date.now }: AttemptOptions,
  ask: () => Promise<T>,
): Promise<T> {
  const times: NonNullable<CallReport['attemptTimes']>[number] = { startedMs: now(), endedMs: now() };
  report.attemptTimes = [...(report.attemptTimes ?? []), times];
  return ask().finally(() => {
    times.endedMs = now();
    if (report.serviceTier !== undefined) times.serviceTier = report.serviceTier;
  });
}

/** One attempt, of which the circuit learns how it ended. */
async function askOnce<Request>(
  attempts: Attempts<Request>,
  request: Request,
  { signal, report, onBytes }: GenerateOptions,
  pass: CircuitPass | undefined,
): Promise<AttemptOutcome> {
  const onFirstPiece = () => {
    report.answerStarted = true;
    onBytes?.(true);
    pass?.answered();
  };
  try {
    const outcome = await attempts.ask(request, onFirstPiece);
    if (outcome.kind === 'answer' || report.responseBytes > 0) onFirstPiece();
    else pass?.failed(outcome.failure);
    return outcome;
  } catch (error) {
    if (signal.aborted && isTimeLimit(signal.reason)) pass?.timedOut();
    throw error;
  } finally {
    onBytes?.(false);
    pass?.cancelled();
  }
}

function isTimeLimit(reason: unknown): boolean {
  return reason instanceof RetryableError && ['ITERATION_TIMEOUT', 'MODEL_TIMEOUT'].includes(reason.code);
}

/** Logs content of a conversation that could not be passed on: one line per call. */
export function logLosses(notes: Iterable<string>, client: string, { log }: AttemptOptions): void {
  const distinct = [...new Set(notes)];
  if (distinct.length > 0) log?.(`${client} could not be sent all of the conversation`, { notes: distinct });
}

/** Records the data of an attempt, also of a failed one: it is billed all the same. */
export function noteReceived(report: CallReport, { responseBytes, usage, finishReason }: Received): void {
  report.responseBytes = responseBytes;
  if (usage !== null) report.usage = addTokens(report.usage ?? NO_TOKENS, usage);
  if (finishReason !== null) report.finishReason = finishReason;
}
