// Lists the guidance of a session, and the agents that have read it.

import * as z from 'zod';
import type { Store } from '../../core/contract/store.ts';
import { chatStageIds } from '../../core/kernel/conversation/chatStage.ts';
import { guidanceSchema } from '../../core/schema/control.ts';
import { executionType, guidanceType, paths, sessionType } from '../../core/schema/coreDocuments.ts';
import type { OnUnreadable } from '../../core/schema/readable.ts';
import { listReadable } from './readable.ts';

/** A guidance and its readers. */
export const guidanceStateSchema = z.strictObject({
  guidance: guidanceSchema.omit({ expireAt: true }),
  /** Ids of the executions whose model calls included it. */
  readBy: z.array(z.string()),
  /** `pending`: an agent can still read it. `unread`: no agent will, because the session has ended. */
  state: z.enum(['read', 'pending', 'unread']),
});
type GuidanceState = z.infer<typeof guidanceStateSchema>;

/**
 * All guidance of a session, in order.
 * @param onUnreadable called with each unreadable document: guidance, and executions that can have read it.
 * @throws RetryableError when the store fails; as `DocumentType.decode` for the document of the session.
 */
export async function listGuidance(
  sessionId: string,
  store: Store,
  onUnreadable?: OnUnreadable,
): Promise<GuidanceState[]> {
  const [session, guidance, executions] = await Promise.all([
    store.get(paths.session(sessionId), sessionType),
    listReadable({ collection: paths.allGuidance(sessionId) }, guidanceType, store),
    listReadable({ collection: paths.executions(sessionId) }, executionType, store),
  ]);
  const mayBeRead = session?.value.status === 'in_progress';
  // Agents that answer questions after the end do not get guidance.
  const answering = new Set(session === undefined ? [] : chatStageIds(session.value));
  const agents = executions.values.filter(({ stageId }) => !answering.has(stageId));
  for (const one of [...guidance.unreadable, ...executions.unreadable]) onUnreadable?.(one);
  return guidance.values.map(({ expireAt: _, ...value }) => {
    const readBy = agents.flatMap((one) => (one.guidanceTaken >= value.number ? [one.executionId] : []));
    return { guidance: value, readBy, state: readBy.length > 0 ? 'read' : mayBeRead ? 'pending' : 'unread' };
  });
}
