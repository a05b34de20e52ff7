// What the agents of a session were told, and which of them have read it.

import type { Store } from '../../contract/store.ts';
import type { Guidance } from '../../schema/control.ts';
import { executionType, guidanceType, paths, sessionType } from '../../schema/documents.ts';
import { chatStageIds } from '../chat/chatStage.ts';

/** A guidance and its readers. */
export interface GuidanceState {
  guidance: Guidance;
  /** Ids of the executions whose model was asked with it. */
  readBy: string[];
  /** `pending`: an agent may still read it. `unread`: none will, because the session has ended. */
  state: 'read' | 'pending' | 'unread';
}

/**
 * All guidance of a session, in order.
 * @throws RetryableError when the store fails; TerminalError for a broken document.
 */
export async function listGuidance(sessionId: string, store: Store): Promise<GuidanceState[]> {
  const [session, guidance, executions] = await Promise.all([
    store.get(paths.session(sessionId), sessionType),
    store.list({ collection: paths.allGuidance(sessionId) }, guidanceType),
    store.list({ collection: paths.executions(sessionId) }, executionType),
  ]);
  const mayBeRead = session?.value.status === 'in_progress';
  // Who answers questions after the end is told nothing of it.
  const answering = new Set(session === undefined ? [] : chatStageIds(session.value));
  const agents = executions.filter(({ value }) => !answering.has(value.stageId));
  return guidance.map(({ value }) => {
    const readBy = agents.flatMap((one) => (one.value.guidanceTaken >= value.number ? [one.id] : []));
    return { guidance: value, readBy, state: readBy.length > 0 ? 'read' : mayBeRead ? 'pending' : 'unread' };
  });
}
