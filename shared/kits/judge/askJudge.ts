// Asks a model to judge an investigation: it reads the work as data, and answers with JSON of one form.

import type * as z from 'zod';
import type { CallReport, LlmClient, LlmRequest } from '../../core/contract/llm.ts';
import type { ModelSettings } from '../../core/schema/agent.ts';
import type { TokenUsage } from '../../core/schema/common.ts';
import type { JsonObject } from '../../text/json.ts';
import { limitText } from '../../text/limitText.ts';
import { frameData, frameRule } from '../../text/untrustedFrame.ts';
import { flexByDefault } from '../agents/serviceTier.ts';

/** UTF-8 bytes of an investigation that a judge reads, and the most tokens of its answer. */
export const MAX_RUN_BYTES = 60_000;
const MAX_TOKENS = 2_000;
/** Of one call. */
const TIMEOUT_MS = 120_000;

/** The model, and the nonce that frames the investigation. */
export interface Judge {
  llm: LlmClient;
  model: ModelSettings;
  nonce: string;
  signal: AbortSignal;
}

/** A question to a judge. */
interface Question {
  /** The first sentence of the prompt. */
  role: string;
  /** What it judges, behind the rule about data. */
  task: string;
  /** Facts of the caller, in front of the investigation. Empty: none. */
  facts: string;
  /** The investigation: data of others, cut at `MAX_RUN_BYTES`. */
  run: string;
  /** The form of the answer, as JSON Schema. */
  form: JsonObject;
}

/** The request of a question. Orders in the investigation are framed as data. */
export function judgeRequest(
  { role, task, facts, run, form }: Question,
  { model, nonce }: Pick<Judge, 'model' | 'nonce'>,
): LlmRequest {
  const text = (content: string) => [{ blockType: 'text' as const, textContent: content }];
  const framed = frameData(limitText(run, MAX_RUN_BYTES).content, { nonce, source: 'run' });
  return {
    model: { ...flexByDefault(model), maxOutputTokens: MAX_TOKENS },
    messages: [
      {
        role: 'system',
        blocks: text(`${role} ${frameRule(nonce)} ${task} Answer with JSON only: ${JSON.stringify(form)}`),
      },
      { role: 'user', blocks: text(`${facts}The investigation:\n${framed}`) },
    ],
    tools: [],
  };
}

/**
 * Sends the request of a question.
 * @returns the answer, undefined if it has another form, and the tokens of all attempts; null if unknown.
 * @throws any error of `llm`; the reason of `signal`.
 */
export async function askJudge<S extends z.ZodType>(
  request: LlmRequest,
  answerSchema: S,
  { llm, signal }: Pick<Judge, 'llm' | 'signal'>,
  report: CallReport = { requestBytes: 0, responseBytes: 0, attempts: 0, attemptErrors: [] },
): Promise<{ answer: z.output<S> | undefined; tokens: TokenUsage | null }> {
  const response = await llm.generate(request, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    report,
  });
  return { answer: readAnswer(response.text, answerSchema), tokens: report.usage ?? response.usage };
}

function readAnswer<S extends z.ZodType>(text: string, schema: S): z.output<S> | undefined {
  try {
    return schema.safeParse(JSON.parse(/\{[\s\S]*\}/.exec(text)?.[0] ?? '')).data;
  } catch {
    return undefined;
  }
}
