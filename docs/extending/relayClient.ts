// A client of "Relay", a text model behind a small HTTP protocol: POST /v1/answers, one JSON answer, no
// stream.

import * as z from 'zod';
import type { GenerateOptions, LlmClient, LlmResponse } from '../../shared/core/contract/llm.ts';
import { type Environment, listKnownSecrets, maskKeys } from '../../shared/llm/credentials.ts';
import {
  type AttemptOutcome,
  cutAnswer,
  emptyAnswer,
  modelFailure,
  quoteProvider,
} from '../../shared/llm/failures.ts';
import { kindOfStatus } from '../../shared/llm/httpFailures.ts';
import {
  type AttemptOptions,
  askUntilAnswered,
  noteReceived,
} from '../../shared/llm/inline/retryModelCall.ts';
import { wireMessages } from '../../shared/llm/langchain/messages.ts';
import { parseJson } from '../../shared/text/json.ts';

const answerSchema = z.object({
  text: z.string(),
  finish: z.string(),
  tokens: z.object({ input: z.int().nonnegative(), output: z.int().nonnegative() }),
});

/**
 * A client of the Relay at `RELAY_URL`, with the key `RELAY_API_KEY`. Tools are not bound: Relay knows only
 * text.
 */
export function createRelayClient(options: AttemptOptions & { env: Environment }): LlmClient {
  const { env } = options;
  const secrets = listKnownSecrets(env);

  async function attempt(body: string, { signal, report }: GenerateOptions): Promise<AttemptOutcome> {
    report.requestBytes = Buffer.byteLength(body);
    report.responseBytes = 0;
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${env.RELAY_API_KEY}` };
    try {
      const response = await fetch(`${env.RELAY_URL}/v1/answers`, { method: 'POST', headers, body, signal });
      const text = await response.text();
      return response.ok ? readAnswer(text, report) : readRefusal(response, maskKeys(text, secrets));
    } catch {
      // An abort looks like a broken connection. The thrown error is no cause: it may quote the headers.
      signal.throwIfAborted();
      return { kind: 'failure', failure: modelFailure('network', 'Relay cannot be reached.') };
    }
  }

  return {
    async generate({ model, messages }, call) {
      const request = JSON.stringify({ model: model.model, messages: wireMessages(messages) });
      const ask = (body: string) => attempt(body, call);
      const attempts = { client: 'Relay', model, request, ask, change: () => undefined };
      return askUntilAnswered(attempts, call, options);
    },
  };
}

function readRefusal({ status, headers }: Response, text: string): AttemptOutcome {
  const seconds = Number(headers.get('retry-after') ?? undefined);
  const details = Number.isNaN(seconds) ? {} : { retryAfterMs: seconds * 1000 };
  const message = `Relay refused the request (${status}): ${quoteProvider(text)}`;
  return { kind: 'failure', failure: modelFailure(kindOfStatus(status), message, details) };
}

function readAnswer(body: string, report: GenerateOptions['report']): AttemptOutcome {
  const { data } = answerSchema.safeParse(parseJson(body));
  if (data === undefined) return { kind: 'failure', failure: cutAnswer() };
  const { text, finish, tokens } = data;
  const usage = { ...tokens, thinking: 0, cached: 0, total: tokens.input + tokens.output };
  // Before the answer is judged: one that cannot be used is billed too.
  noteReceived(report, { responseBytes: Buffer.byteLength(body), usage, finishReason: finish });
  if (text.trim() === '') return { kind: 'failure', failure: emptyAnswer('no text') };
  const response: LlmResponse = {
    text,
    thinking: '',
    toolCalls: [],
    blocks: [{ blockType: 'text', textContent: text }],
    groundings: [],
    citations: [],
    codeExecutions: [],
    searchEntryPoint: null,
    usage,
    finishReason: finish,
    modelVersion: null,
    finishMessage: null,
    truncated: finish === 'length',
  };
  return { kind: 'answer', response };
}
