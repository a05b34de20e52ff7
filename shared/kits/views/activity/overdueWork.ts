// Counts the work that only the sweep continues: documents that are due and that no message will reach.

import * as z from 'zod';
import type { RawDocuments } from '../../../contract/rawDocuments.ts';
import type { Store } from '../../../core/contract/store.ts';
import { findDueExecutions } from '../../../core/kernel/execution/findDue.ts';
import { paths } from '../../../core/schema/coreDocuments.ts';

/** The work that waits for the sweep, of each kind at most 300. */
export const overdueWorkSchema = z.strictObject({
  /** Agents without a message, as after a process that died. Those of paused sessions wait for a person. */
  agents: z.int(),
  /** Sessions and questions that are to end or to start. */
  sessions: z.int(),
  /** Messages to destinations. */
  messages: z.int(),
  /** Scheduled checks. */
  checks: z.int(),
});
type OverdueWork = z.infer<typeof overdueWorkSchema>;

const MAX_READ = 300;

/**
 * The work that is due at `now`.
 * @throws RetryableError when the store fails.
 */
export async function readOverdue(
  { store, documents }: { store: Pick<Store, 'findByTime'>; documents: Pick<RawDocuments, 'getMany'> },
  now: Date,
): Promise<OverdueWork> {
  const due = { to: now, limit: MAX_READ };
  const findDue = async (collectionId: string): Promise<string[]> => {
    const pages =
      collectionId === 'executions'
        ? findDueExecutions(due, store)
        : store.findByTime({ collectionId, field: 'dueAt', ...due });
    for await (const page of pages) return page.slice(0, MAX_READ);
    return [];
  };
  const [executions = [], sessions = [], deliveries = [], groups = [], checks = []] = await Promise.all(
    ['executions', 'sessions', 'deliveries', 'deliveryGroups', 'checks'].map(findDue),
  );
  const sessionIds = executions.map((path) => path.split('/')[1] ?? '');
  const read = await documents.getMany([...new Set(sessionIds)].map(paths.session), ['steering.paused']);
  const paused = new Set(read.filter(({ fields }) => isPaused(fields)).map(({ id }) => id));
  return {
    agents: sessionIds.filter((id) => !paused.has(id)).length,
    sessions: sessions.length,
    messages: deliveries.length + groups.length,
    checks: checks.length,
  };
}

function isPaused(fields: ReadonlyMap<string, unknown>): boolean {
  const steering = fields.get('steering');
  return steering instanceof Map && steering.get('paused') instanceof Map;
}
