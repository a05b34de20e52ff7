// An optional model that judges runs: it names faults, for trends. No score of the code depends on it.

import type { CallReport, LlmClient } from '../core/contract/llm.ts';
import type { ModelSettings } from '../core/schema/agent.ts';
import { flexByDefault } from '../kits/agents/serviceTier.ts';
import { limitText } from '../text/limitText.ts';
import { frameData, frameRule } from '../text/untrustedFrame.ts';
import type { Truth } from './caseFile.ts';
import { FAULTS, type Judgement, judgementSchema } from './judgement.ts';
import type { Score } from './score.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    faults: { type: 'array', items: { type: 'string', enum: FAULTS } },
    missingTools: { type: 'array', items: { type: 'string' } },
    unclearTools: { type: 'array', items: { type: 'string' } },
    reason: { type: 'string' },
  },
  required: ['faults', 'missingTools', 'unclearTools', 'reason'],
};

/** The first sentence of the judge's prompt; no other prompt has it. */
export const JUDGE_ROLE = 'You judge the investigation of an incident whose cause is known.';
/** UTF-8 bytes of a run that a judge reads, and of its answer. */
const MAX_RUN_BYTES = 60_000;
const MAX_TOKENS = 2_000;
/** Of one call. */
const TIMEOUT_MS = 120_000;

/**
 * Asks a judge about a run. The run is data: it is framed, and orders in it are not followed.
 * @returns undefined if the answer cannot be read.
 * @throws any error of `llm`; the reason of `signal`.
 */
export async function judgeRun(
  score: Score,
  { causes, evidence }: Truth,
  { llm, model, nonce, signal }: { llm: LlmClient; model: ModelSettings; nonce: string; signal: AbortSignal },
): Promise<Judgement | undefined> {
  const report: CallReport = { requestBytes: 0, responseBytes: 0, attempts: 0, attemptErrors: [] };
  const { verdict, causes: named, made, evidence: stated, analysis } = score;
  const run = JSON.stringify({ verdict, named, calls: made, stated, analysis }, null, 1);
  const text = (content: string) => [{ blockType: 'text' as const, textContent: content }];
  const response = await llm.generate(
    {
      model: { ...flexByDefault(model), maxOutputTokens: MAX_TOKENS },
      messages: [
        {
          role: 'system',
          blocks: text(
            `${JUDGE_ROLE} ${frameRule(nonce)} Name the faults of the investigation, tools that it lacked, and tools whose description is unclear. Answer with JSON only: ${JSON.stringify(SCHEMA)}`,
          ),
        },
        {
          role: 'user',
          blocks: text(
            `The true causes: ${JSON.stringify(causes)}\nLines that prove them: ${JSON.stringify(evidence)}\nThe investigation:\n${frameData(limitText(run, MAX_RUN_BYTES).content, { nonce, source: 'run' })}`,
          ),
        },
      ],
      tools: [],
    },
    { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]), report },
  );
  return readJudgement(response.text, model.model);
}

function readJudgement(text: string, model: string): Judgement | undefined {
  const json = /\{[\s\S]*\}/.exec(text)?.[0];
  let value: unknown;
  try {
    value = JSON.parse(json ?? '');
  } catch {
    return undefined;
  }
  const read = judgementSchema.safeParse(value);
  return read.success ? { ...read.data, model } : undefined;
}

/** How often a judge named each fault, by model. */
export function faultCounts(
  scores: readonly Score[],
): { model: string; judged: number; faults: Record<string, number> }[] {
  const judged = scores.filter(({ judgement }) => judgement !== undefined);
  return [...Map.groupBy(judged, ({ model }) => model)].map(([model, own]) => {
    const named = own.flatMap(({ judgement }) => judgement?.faults ?? []);
    const faults = FAULTS.map((fault) => [fault, named.filter((one) => one === fault).length] as const);
    return { model, judged: own.length, faults: Object.fromEntries(faults) };
  });
}
