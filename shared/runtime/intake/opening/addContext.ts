// Step 6 of intake for a new session, context: its runbook, earlier sessions about the same alert, and alerts that share labels
// with it. Nothing that is missing prevents the session.

import { isInvestigated } from '../../../alerts/status.ts';
import type { RunbookConfig } from '../../../config/runbooks.ts';
import { cleanText } from '../../../masking/cleanText.ts';
import type { Masker } from '../../../masking/masker.ts';
import { NOT_STEERED, type Session } from '../../../schema/session.ts';
import { deferredSession } from '../../kernel/session/deferredSession.ts';
import type { IntakeDeps } from '../../kernel/session/intakeDeps.ts';
import { alsoFiringNotice, type SessionNotice } from '../../kernel/session/sessionEvents.ts';
import { reinvestigationOf } from '../incident/reinvestigation.ts';
import type { AdmittedAlert } from './admitSession.ts';
import { noteAlert } from './noteAlert.ts';
import { mayHaveRunbook, NO_RUNBOOK, resolveRunbook } from './resolveRunbook.ts';

/** An alert whose session is complete, but for its id. */
export interface InformedAlert extends AdmittedAlert {
  /** The first events of the session, after the one about its deferral. */
  notices: SessionNotice[];
}

/**
 * Completes the session of an alert.
 * @throws RetryableError when the store fails.
 */
export async function addContext(
  admitted: AdmittedAlert,
  runbooks: RunbookConfig,
  deps: IntakeDeps,
): Promise<InformedAlert> {
  const { alert, masker, correlation, deferral, problem } = admitted;
  const { chain, tenantId, userId } = admitted.session;
  const { runbook, notice } = mayHaveRunbook(alert, chain.name, runbooks)
    ? await resolveRunbook({ alert, chain: chain.name, masker }, runbooks, deps)
    : NO_RUNBOOK;
  const seen = await deps.findSeen({ alert, tenantId, userId, masker }, deps);
  const isNoted = correlation !== null && isInvestigated(alert.status);
  const alsoFiring = isNoted ? await noteAlert({ ...admitted.session, alert }, correlation, deps) : [];
  const related = alsoFiring.length === 0 ? null : alsoFiringNotice(alsoFiring);
  const again =
    problem?.session === undefined || problem.again === undefined ? null : reinvestigationOf(problem.session);
  const notices = [notice, again?.notice ?? null, seen.notice, related].filter((one) => one !== null);
  const session: Session = {
    ...admitted.session,
    ...{ runbook, seenBefore: seen.seenBefore, correlation, alsoFiring },
    steering: { ...NOT_STEERED, events: notices.length },
    reinvestigates: again && {
      ...again.reinvestigates,
      text: maskAgain(again.reinvestigates.text, masker),
    },
  };
  return {
    ...admitted,
    session: deferral === undefined ? session : deferredSession(session, deferral),
    notices,
  };
}

/** Masks a stored text: the rules of masking can have changed since it was stored. */
function maskAgain(text: string | null, masker: Masker): string | null {
  return text === null ? null : cleanText(masker, text).text;
}
