// Gemini's answers in the background: an interaction is created, read when it has ended, and deleted.

import type {
  BackgroundAnswer,
  BackgroundCall,
  BackgroundModel,
  Submission,
  Submitted,
} from '../../contract/backgroundModel.ts';
import type { LlmRequest } from '../../core/contract/llm.ts';
import { InquestError, TerminalError } from '../../core/errors.ts';
import { addTokens, NO_TOKENS } from '../../core/schema/common.ts';
import { asObject, asText, jsonBytes } from '../../text/json.ts';
import { createAnswerLimit } from '../answerLimit.ts';
import { type Environment, listKnownSecrets } from '../credentials.ts';
import { geminiBackend } from '../gemini/backend.ts';
import { changeAfter } from '../gemini/client.ts';
import { geminiFailure } from '../gemini/errors.ts';
import { judgeAnswer } from '../gemini/judgeAnswer.ts';
import type { RequestOptions } from '../gemini/request.ts';
import { isFailedStatus } from '../httpFailures.ts';
import { fromWireName, wireNames } from '../wireNames.ts';
import { createStepCollector } from './collectSteps.ts';
import { interactionRemover } from './removeInteraction.ts';
import { interactionRequest } from './request.ts';
import { requestInteraction, type Transport } from './sendInteraction.ts';
import { isRunning } from './steps.ts';

/** Statuses after which the API can have started the work. Others, 503 among them, refuse it. */
const DOUBTFUL: ReadonlySet<unknown> = new Set([500, 502, 504]);
/** Errors of connections that were never made. */
const UNCONNECTED = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN/;

/** The backend, and the address of webhooks. */
interface BackgroundOptions {
  /** Backend and key (`geminiBackend`). */
  env: Environment;
  /** Values beside those of `env` that are masked in all messages. */
  secrets?: readonly string[] | undefined;
  /** The address that gets webhooks. Absent: that of a registered webhook, if there is one. */
  webhookUrl?: (() => string | undefined) | undefined;
  /** Sends requests. Default: the global one. */
  fetch?: typeof fetch | undefined;
}

/** Gemini in the background. Its key is looked for at the first request. */
export function createBackgroundModel({
  env,
  secrets = [],
  webhookUrl = () => undefined,
  fetch: sender = fetch,
}: BackgroundOptions): BackgroundModel {
  const known = [...listKnownSecrets(env), ...secrets, env.GOOGLE_API_KEY ?? '', env.GEMINI_API_KEY ?? ''];
  const transport = (signal: AbortSignal, through = sender): Transport => ({
    backend: geminiBackend(env),
    fetch: (url, init) => through(url, { ...init, redirect: 'error' }),
    signal,
  });
  const describe = (thrown: unknown, { model: { model } }: LlmRequest) =>
    geminiFailure(thrown, { model, streaming: false, secrets: known });
  const describeError = (thrown: unknown, request: LlmRequest): InquestError =>
    thrown instanceof InquestError ? thrown : describe(thrown, request).error;

  /** Sends a question. One that is refused, so that nothing works on it, can be sent again with a change. */
  async function send(
    request: LlmRequest,
    submission: Submission,
    call: BackgroundCall,
    changes: RequestOptions,
  ): Promise<Submitted> {
    const { signal, report } = call;
    try {
      const address = webhookUrl();
      const body = {
        ...interactionRequest(request, changes),
        store: true,
        background: true,
        webhook_config: {
          ...(address !== undefined && { uris: [address] }),
          user_metadata: { ...submission },
        },
      };
      report.requestBytes = jsonBytes(body);
      const answer = asObject(await (await requestInteraction(transport(signal), 'POST', '', body)).json());
      const id = asText(answer.id);
      if (id !== undefined) return { kind: 'accepted', id };
      const error = new TerminalError('MODEL_BAD_REQUEST', 'Gemini answered a question without an id.');
      return { kind: 'unknown', error };
    } catch (thrown) {
      // A request that was given up can have arrived.
      const kind = !signal.aborted && wasRefused(thrown) ? 'refused' : 'unknown';
      const changed =
        kind === 'refused' ? changeAfter(describe(thrown, request).kind, changes, request) : undefined;
      if (changed?.atOnce) return send(request, submission, call, changed.request);
      return { kind, error: describeError(thrown, request) };
    }
  }

  return {
    ...interactionRemover(env, sender),
    submit(request, submission, call) {
      call.report.provider = 'gcp.gemini';
      return send(request, submission, call, {});
    },

    async read(request, id, call): Promise<BackgroundAnswer> {
      const limit = createAnswerLimit(request.model, undefined);
      const limited: typeof fetch = async (url, init) => limit.limitBody(await sender(url, init));
      try {
        const path = `/${encodeURIComponent(id)}`;
        const response = await requestInteraction(transport(call.signal, limited), 'GET', path);
        return readInteraction(asObject(await response.json()), request, call, known);
      } catch (thrown) {
        call.signal.throwIfAborted();
        const tooLarge = limit.failure();
        if (tooLarge !== undefined) return { kind: 'failed', error: tooLarge.error };
        if (asObject(thrown).status === 404) return { kind: 'missing' };
        return { kind: 'unread', error: describeError(thrown, request) };
      }
    },
  };
}

function readInteraction(
  interaction: Record<string, unknown>,
  request: LlmRequest,
  { report }: BackgroundCall,
  secrets: readonly string[],
): BackgroundAnswer {
  if (isRunning(interaction.status)) return { kind: 'running' };
  const names = wireNames(request.tools.map((tool) => tool.name));
  const collector = createStepCollector({
    callIdPrefix: `call_${request.messages.length}_`,
    toolName: (wire) => fromWireName(wire, names.fromWire),
  });
  report.provider = 'gcp.gemini';
  report.answerStarted = true;
  try {
    collector.add({ interaction });
  } catch (thrown) {
    const context = { model: request.model.model, streaming: false, secrets };
    return { kind: 'failed', error: geminiFailure(thrown, context).error };
  } finally {
    const { steps = [], usage, finishReason, serviceTier } = collector.answer();
    const askedTier = request.model.serviceTier;
    if (serviceTier !== null && (askedTier !== undefined || serviceTier !== 'standard'))
      report.serviceTier = serviceTier;
    report.responseBytes = jsonBytes(steps);
    if (usage !== null) report.usage = addTokens(report.usage ?? NO_TOKENS, usage);
    if (finishReason !== null) report.finishReason = finishReason;
  }
  const judged = judgeAnswer(collector.answer(), request, secrets);
  return judged.kind === 'answer'
    ? { kind: 'answered', response: judged.response }
    : { kind: 'failed', error: judged.failure.error };
}

/** Whether the API cannot work on a request that failed. */
function wasRefused(thrown: unknown): boolean {
  // Thrown before anything was sent.
  if (thrown instanceof InquestError) return true;
  const { status } = asObject(thrown);
  if (isFailedStatus(status)) return !DOUBTFUL.has(status);
  const { cause } = thrown instanceof Error ? thrown : { cause: undefined };
  return UNCONNECTED.test(String(asObject(cause).code));
}
