// Lists the guidance of a session, and the agents that have read it.

import * as z from 'zod';
import type { Store } from '../../core/contract/store.ts';
import { chatStageIds } from '../../core/kernel/conversation/chatStage.ts';
import { type Guidance, guidanceSchema } from '../../core/schema/control.ts';
import { executionType, guidanceType, paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { listReadable } from './readable.ts';
import { type Page, readPage } from './readPage.ts';

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
 * A page of the guidance of a session, in order. Reads its agents, too: each of them can be a reader.
 * @throws RetryableError when the store fails; as `DocumentType.decode` for the document of the session.
 */
export async function listGuidance(
  sessionId: string,
  store: Store,
  page: { after?: string | undefined; limit?: number } = {},
): Promise<Page<GuidanceState>> {
  const show = (_: string, { expireAt: _end, ...guidance }: Guidance) => guidance;
  const [session, { items, ...rest }, executions] = await Promise.all([
    store.get(paths.session(sessionId), sessionType),
    readPage({ collection: paths.allGuidance(sessionId), type: guidanceType, ...page, show }, store),
    listReadable({ collection: paths.executions(sessionId) }, executionType, store),
  ]);
  const mayBeRead = session?.value.status === 'in_progress';
  // Agents that answer questions after the end do not get guidance.
  const answering = new Set(session === undefined ? [] : chatStageIds(session.value));
  const agents = executions.values.filter(({ stageId }) => !answering.has(stageId));
  const states = items.map((guidance): GuidanceState => {
    const readBy = agents.flatMap((one) => (one.guidanceTaken >= guidance.number ? [one.executionId] : []));
    return { guidance, readBy, state: readBy.length > 0 ? 'read' : mayBeRead ? 'pending' : 'unread' };
  });
  return { ...rest, items: states, unreadable: [...rest.unreadable, ...executions.unreadable] };
}
