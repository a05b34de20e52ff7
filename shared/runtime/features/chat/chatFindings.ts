// What a session found, for an agent that answers a question about it: its analysis, and what each agent's work rests on.

import { InquestError } from '../../../errors.ts';
import type { Finding } from '../../../prompt/findings.ts';
import type { Execution } from '../../../schema/execution.ts';
import type { Session } from '../../../schema/session.ts';
import type { StateDeps } from '../../kernel/deps.ts';
import { loadStages, plannedStages } from '../../stage/earlierStages.ts';
import { readWork } from '../../stage/readWork.ts';

/** Stands for an analysis that the conclusion repeats. */
const AS_CONCLUDED = '(the final analysis above)';

/**
 * The conclusion of a session, then each of its agents with its analysis and evidence, in the order of the stages. A chat has
 * none. Where the store does not give the evidence, only the conclusion: nothing of this must keep a person from asking.
 */
export async function chatFindings(
  session: Session,
  deps: Pick<StateDeps, 'store' | 'log'>,
): Promise<Finding[]> {
  const concluded = conclusionOf(session);
  if (session.kind === 'chat') return concluded;
  try {
    return [...concluded, ...(await evidenceOf(session, deps))];
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

/** What a session ended with. */
function conclusionOf({ finalAnalysis, partial, caveats }: Session): Finding[] {
  const left = partial === null ? [] : [{ agent: 'what was left', analysis: partial.text }];
  if (finalAnalysis === null) return left;
  return [{ agent: 'final', analysis: finalAnalysis, caveats: caveats.map(({ code }) => code) }, ...left];
}

/** Each execution of the session's stages, and those below it, but for one that only repeats the conclusion. */
async function evidenceOf(session: Session, deps: Pick<StateDeps, 'store'>): Promise<Finding[]> {
  const stages = await loadStages(session, plannedStages(session), deps);
  const executions = stages.flatMap(({ name, executions, descendants }) =>
    [...executions, ...descendants].map((execution) => ({ stage: name, execution })),
  );
  const findings = await Promise.all(
    executions.map(async ({ stage, execution }) => ({
      agent: execution.agentName,
      stage,
      analysis: analysisOf(execution, session),
      caveats: execution.caveats,
      evidence: await readWork(execution, deps.store),
    })),
  );
  return findings.filter(
    ({ analysis, evidence }) => analysis !== AS_CONCLUDED || evidence.steps.length + evidence.unread > 0,
  );
}

function analysisOf({ finalAnalysis, failure, status }: Execution, session: Session): string {
  if (finalAnalysis === null) return `(no result: ${failure?.message ?? status})`;
  return finalAnalysis === session.finalAnalysis ? AS_CONCLUDED : finalAnalysis;
}
