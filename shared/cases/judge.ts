// An optional model that judges runs: it names faults, for trends. No score of the code depends on it.

import { askJudge, type Judge, judgeRequest } from '../kits/judge/askJudge.ts';
import { FAULT_FORM, FAULTS, type Judgement, judgementSchema } from '../kits/judge/judgement.ts';
import type { Truth } from './caseFile.ts';
import type { Score } from './score.ts';

/** The first sentence of the judge's prompt; no other prompt has it. */
export const JUDGE_ROLE = 'You judge the investigation of an incident whose cause is known.';

/**
 * Asks a judge about a run. The run is data: it is framed, and orders in it are not followed.
 * @returns undefined if the answer cannot be read.
 * @throws any error of `llm`; the reason of `signal`.
 */
export async function judgeRun(
  score: Score,
  { causes, evidence }: Truth,
  judge: Judge,
): Promise<Judgement | undefined> {
  const { verdict, causes: named, made, evidence: stated, analysis } = score;
  const request = judgeRequest(
    {
      role: JUDGE_ROLE,
      task: 'Name the faults of the investigation, tools that it lacked, and tools whose description is unclear.',
      facts: `The true causes: ${JSON.stringify(causes)}\nLines that prove them: ${JSON.stringify(evidence)}\n`,
      run: JSON.stringify({ verdict, named, calls: made, stated, analysis }, null, 1),
      form: FAULT_FORM,
    },
    judge,
  );
  const { answer } = await askJudge(request, judgementSchema, judge);
  return answer && { ...answer, model: judge.model.model };
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
