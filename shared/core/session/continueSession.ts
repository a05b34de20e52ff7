// Continues a session whose opening was interrupted.

import type { StateDeps } from '../kernel/deps.ts';
import { readOrWarn, UNREADABLE } from '../kernel/documents/reading.ts';
import { paths, sessionType } from '../schema/coreDocuments.ts';
import { resumeStage } from '../stage/advanceStage.ts';

/** Publishes the messages that an earlier delivery did not publish before it died. */
export async function continueSession(
  sessionId: string,
  deps: StateDeps,
): Promise<{ outcome: 'already_open'; sessionId: string }> {
  // An unreadable session contains the alert already; a sweep, perhaps of newer code, repairs it.
  const consequence = `session ${sessionId} is not resumed by its alert`;
  const session = await readOrWarn(
    deps.store.get(paths.session(sessionId), sessionType),
    consequence,
    deps.log,
  );
  // The key is kept longer than some sessions.
  if (session !== undefined && session !== UNREADABLE)
    await readOrWarn(resumeStage(session.value, deps), consequence, deps.log);
  return { outcome: 'already_open', sessionId };
}
