// Finds the sessions that a sweep has to check because they are late. Reads grow with late sessions, not with
// open ones.

import type { Store } from '../contract/store.ts';
import { findDueExecutions } from '../kernel/execution/findDue.ts';

/** Sessions by id with paths of late executions; none if the session is late for another reason. */
export type LateSessions = Map<string, string[]>;

/** Documents of a page: only paths, so that a response stays below 100 kB. */
const PAGE_SIZE = 300;

/**
 * Sessions with late executions, sessions that are late themselves, and sessions of which an execution has
 * ended since `endedSince`: the process that ended it can have died before it advanced the stage.
 * @throws RetryableError when the store fails or has no index for the queries.
 */
export async function findLateSessions(endedSince: Date, now: Date, store: Store): Promise<LateSessions> {
  const limit = PAGE_SIZE;
  const [late, sessions, ended] = await Promise.all([
    collect(() => findDueExecutions({ to: now, limit }, store)),
    collect(() => store.findByTime({ collectionId: 'sessions', field: 'dueAt', to: now, limit })),
    collect(() =>
      store.findByTime({ collectionId: 'executions', field: 'endedAt', from: endedSince, limit }),
    ),
  ]);
  const found: LateSessions = new Map();
  for (const path of [...late, ...sessions, ...ended]) found.set(sessionIdIn(path), []);
  for (const path of late) found.get(sessionIdIn(path))?.push(path);
  return found;
}

async function collect(find: () => AsyncIterable<string[]>): Promise<string[]> {
  const paths: string[] = [];
  for await (const page of find()) paths.push(...page);
  return paths;
}

/** The session of `sessions/{sessionId}/executions/{executionId}`, or of `sessions/{sessionId}`. */
const sessionIdIn = (path: string): string => path.split('/')[1] ?? '';
