// Scores an ended investigation by a judge model: once, within the budgets of tokens.

import type { CallReport } from '../../core/contract/llm.ts';
import { createDocument, type Store } from '../../core/contract/store.ts';
import type { AlertDeps } from '../../core/kernel/deps.ts';
import { randomHex } from '../../core/kernel/deps.ts';
import { callTokens } from '../../core/kernel/tokens/estimateTokens.ts';
import { describeSteps } from '../../core/prompts/evidence.ts';
import { isTerminal } from '../../core/schema/common.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import type { Session } from '../../core/schema/session.ts';
import { openDayLedger } from '../../kits/budgets/tokenLedger.ts';
import { countAgain } from '../../kits/counts/count.ts';
import { askJudge, type Judge, judgeRequest, MAX_RUN_BYTES } from '../../kits/judge/askJudge.ts';
import { FAULT_FORM } from '../../kits/judge/judgement.ts';
import {
  CRITERIA,
  MAX_POINTS,
  RUBRIC,
  type SessionScore,
  scoreAnswerSchema,
  sessionScoreType,
} from '../../kits/judge/sessionScore.ts';
import { chatFindings } from '../../kits/questions/chatFindings.ts';
import { cleanText } from '../../masking/cleanText.ts';

/** The first sentence of the judge's prompt; no other prompt has it. */
const SCORE_ROLE = 'You judge the investigation of an incident. Its true cause is not known to you.';

const FORM = {
  ...FAULT_FORM,
  properties: {
    points: {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(CRITERIA).map(([name, description]) => [
          name,
          { type: 'integer', minimum: 0, maximum: MAX_POINTS, description },
        ]),
      ),
      required: Object.keys(CRITERIA),
    },
    ...FAULT_FORM.properties,
  },
  required: ['points', ...FAULT_FORM.required],
};

/** Where a score comes from: the model, and who asks for it. */
interface ScoreRequest {
  /** Undefined: only a stored score is returned. */
  judge: Pick<Judge, 'llm' | 'model'> | undefined;
  by: string;
}

/** The result of a request for a score. */
type ScoreOutcome =
  | { kind: 'scored'; score: SessionScore; isNew: boolean }
  | { kind: 'unknown_session' }
  | { kind: 'off' }
  /** It runs, is a chat, or has nothing to judge. */
  | { kind: 'not_ended' }
  | { kind: 'budget'; budget: string }
  | { kind: 'unreadable' };

type Deps = Pick<AlertDeps, 'clock' | 'log' | 'maskerFor' | 'randomBytes'> & { store: Store };

/**
 * The score of a session: the stored one, else a new one. A judge whose answer cannot be read stores nothing.
 * @throws any error of the judge's model; RetryableError when the store fails.
 */
export async function scoreSession(
  sessionId: string,
  { judge, by }: ScoreRequest,
  deps: Deps,
): Promise<ScoreOutcome> {
  const path = sessionScoreType.paths.score(sessionId);
  const stored = await deps.store.get(path, sessionScoreType);
  if (stored !== undefined) return { kind: 'scored', score: stored.value, isNew: false };
  const session = (await deps.store.get(paths.session(sessionId), sessionType))?.value;
  if (session === undefined) return { kind: 'unknown_session' };
  if (judge === undefined) return { kind: 'off' };
  const { status, kind, finalAnalysis, partial } = session;
  if (!isTerminal(status) || kind === 'chat' || (finalAnalysis ?? partial) === null)
    return { kind: 'not_ended' };
  const answered = await judgeSession(session, judge, deps);
  if (answered.kind !== 'answered') return answered;
  const { answer, tokens } = answered;
  const masker = deps.maskerFor(session.maskKey);
  const mask = (text: string) => cleanText(masker, text).text;
  const score: SessionScore = {
    sessionId,
    rubric: RUBRIC,
    provider: judge.model.provider,
    model: judge.model.model,
    points: answer.points,
    total: Object.values(answer.points).reduce((sum, one) => sum + one, 0),
    faults: [...new Set(answer.faults)],
    missingTools: answer.missingTools.map(mask),
    unclearTools: answer.unclearTools.map(mask),
    reason: mask(answer.reason),
    tokens,
    by,
    expireAt: session.expireAt,
    createdAt: deps.clock.now(),
  };
  const { ok } = await deps.store.commit([
    createDocument(path, sessionScoreType, score),
    countAgain(score, score.createdAt),
  ]);
  if (ok) return { kind: 'scored', score, isNew: true };
  // Another request was first.
  const first = await deps.store.get(path, sessionScoreType);
  return first === undefined
    ? { kind: 'unknown_session' }
    : { kind: 'scored', score: first.value, isNew: false };
}

/** Asks the judge within the daily tokens of the session's agents. */
async function judgeSession(session: Session, { llm, model }: Pick<Judge, 'llm' | 'model'>, deps: Deps) {
  const request = judgeRequest(
    {
      role: SCORE_ROLE,
      task: `Give each criterion 0 to ${MAX_POINTS} points, and name the faults of the investigation, tools that it lacked, and tools whose description is unclear. Claims without a result that shows them get no points for evidence.`,
      facts: '',
      run: await describeSession(session, deps),
      form: FORM,
    },
    { model, nonce: randomHex(deps, 6) },
  );
  const limits = session.chain.stages[0]?.agents[0]?.limits.dailyTokens ?? [];
  const ledger = openDayLedger(limits, deps);
  const { input, output } = callTokens(request);
  const most = input + output;
  const reserved = await ledger.reserve({ tokens: most, conclusion: most });
  if (reserved.kind === 'refused') return { kind: 'budget' as const, budget: reserved.budget };
  const report: CallReport = { requestBytes: 0, responseBytes: 0, attempts: 0, attemptErrors: [] };
  try {
    const { answer, tokens } = await askJudge(
      request,
      scoreAnswerSchema,
      { llm, signal: new AbortController().signal },
      report,
    );
    reserved.settle(tokens?.total ?? most);
    return answer === undefined
      ? { kind: 'unreadable' as const }
      : { kind: 'answered' as const, answer, tokens };
  } finally {
    // A call that failed can have used tokens.
    reserved.settle(report.usage?.total ?? (report.responseBytes > 0 ? most : 0));
    await ledger.close();
  }
}

/** Analyses, calls and the heads of their results, each with an equal share of what a judge reads. */
async function describeSession(session: Session, deps: Deps): Promise<string> {
  const findings = await chatFindings(session, deps);
  const room = Math.floor(MAX_RUN_BYTES / 2 / Math.max(1, findings.length));
  const parts = findings.map(({ agent, analysis, evidence }) =>
    [
      `## ${agent}`,
      analysis,
      ...(evidence === undefined ? [] : [`Calls:\n${describeSteps(evidence, room)}`]),
    ].join('\n\n'),
  );
  const [first, ...rest] = parts;
  return [first ?? '', `# The input\n\n${session.input}`, ...rest].join('\n\n');
}
