// Step 6 of intake for a new session, context: data of features, such as runbook and earlier sessions.

import type { SessionNotice } from '../../../core/kernel/session/sessionEvents.ts';
import { NOT_STEERED } from '../../../core/schema/session.ts';
import type { AdmittedAlert } from '../../../kits/alerts/alert.ts';
import { deferredSession } from '../../../kits/alerts/deferredSession.ts';
import type { Intake } from '../context/features.ts';

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
  { config, features, deps }: Intake,
): Promise<InformedAlert> {
  const { session: informed, notices } = await features.addContext(admitted, config, deps);
  const session = { ...informed, steering: { ...NOT_STEERED, events: notices.length } };
  const { deferral } = admitted;
  return {
    ...admitted,
    session: deferral === undefined ? session : deferredSession(session, deferral),
    notices,
  };
}
