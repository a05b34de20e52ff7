// The findings of a session, for an agent that answers a question about it: analyses and their evidence.

import { InquestError } from '../../core/errors.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import type { Finding } from '../../core/prompts/findings.ts';
import type { Execution } from '../../core/schema/execution.ts';
import type { Session } from '../../core/schema/session.ts';
import { loadStages, plannedStages } from '../../core/stage/earlierStages.ts';
import { readSteps } from '../../core/stage/readWork.ts';

/** Replaces an analysis that equals the conclusion. */
const AS_CONCLUDED = '(the final analysis above)';

/**
 * Returns the conclusion of a session, then the analysis and evidence of each agent, in the order of the
 * stages. A chat has no findings. If the evidence cannot be read, returns only the conclusion: a read failure
 * must not block a question.
 */
export async function chatFindings(
  session: Session,
  deps: Pick<StateDeps, 'store' | 'log'>,
): Promise<Finding[]> {
  const concluded = listConclusion(session);
  if (session.kind === 'chat') return concluded;
  try {
    return [...concluded, ...(await loadChatEvidence(session, deps))];
  } catch (error) {
    if (!(error instanceof InquestError)) throw error;
    const { sessionId } = session;
    deps.log.warn(
      { sessionId, err: error },
      'the evidence of a session cannot be read; the question is asked without it',
    );
    return concluded;
  }
}

function listConclusion({ finalAnalysis, partial, caveats }: Session): Finding[] {
  const left = partial === null ? [] : [{ agent: 'what was left', analysis: partial.text }];
  if (finalAnalysis === null) return left;
  return [{ agent: 'final', analysis: finalAnalysis, caveats: caveats.map(({ code }) => code) }, ...left];
}

/** Each execution of the session's stages and its descendants, except one that repeats the conclusion. */
async function loadChatEvidence(session: Session, deps: Pick<StateDeps, 'store'>): Promise<Finding[]> {
  const stages = await loadStages(session, plannedStages(session), deps);
  const executions = stages.flatMap(({ name, executions, descendants }) =>
    [...executions, ...descendants].map((execution) => ({ stage: name, execution })),
  );
  const findings = await Promise.all(
    executions.map(async ({ stage, execution }) => ({
      agent: execution.agentName,
      stage,
      analysis: describeAnalysis(execution, session),
      caveats: execution.caveats,
      evidence: await readSteps(execution, deps.store),
    })),
  );
  return findings.filter(
    ({ analysis, evidence }) => analysis !== AS_CONCLUDED || evidence.steps.length + evidence.unread > 0,
  );
}

function describeAnalysis({ finalAnalysis, failure, status }: Execution, session: Session): string {
  if (finalAnalysis === null) return `(no result: ${failure?.message ?? status})`;
  return finalAnalysis === session.finalAnalysis ? AS_CONCLUDED : finalAnalysis;
}
