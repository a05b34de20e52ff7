// Sets the name under which readers see a session.

import { paths, sessionType } from '../../../schema/documents.ts';
import type { StateDeps } from '../../kernel/deps.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../../kernel/documents/races.ts';
import { replaceSession } from '../../kernel/session/replaceSession.ts';

/**
 * Names a session that runs or answers a question; an ended session keeps its name.
 * @throws RetryableError when other writers keep changing it, or the store fails; TerminalError if it cannot be read.
 */
export async function renameSession(
  sessionId: string,
  title: string,
  { store }: Pick<StateDeps, 'store'>,
): Promise<void> {
  await retryLostRaces(`session ${sessionId}`, SESSION_RACES, async () => {
    const stored = await store.get(paths.session(sessionId), sessionType);
    if (stored === undefined || stored.value.title === title) return;
    const { status, openStage } = stored.value;
    if (status !== 'in_progress' && openStage === null) return;
    const { ok } = await store.commit([replaceSession(stored, { ...stored.value, title })]);
    return ok ? undefined : RACE_LOST;
  });
}
