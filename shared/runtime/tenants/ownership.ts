// Whose a stored document is. Every collection is named here, so that a new one cannot be read by other tenants because
// nobody thought of it.

import type { COLLECTIONS } from '../../schema/collections.ts';
import { paths } from '../../schema/documents.ts';
import { DEFAULT_TENANT } from '../../schema/session.ts';

/** How the tenant of a document is known. */
type Ownership =
  /** Its field `tenantId` says it. */
  | 'tenant'
  /** It is that of the session in its field `sessionId`. */
  | 'session'
  /** It stands below a session, whose it is. */
  | 'below'
  /** Of the installation: every tenant reads it, operators write it. */
  | 'shared'
  /** Of the installation: operators alone. */
  | 'operators'
  /** The same; what a tenant uses up is counted, and the count is no tenant's to read. */
  | 'counted';

const OWNERSHIP = {
  sessions: 'tenant',
  correlations: 'tenant',
  requests: 'tenant',
  chatKeys: 'tenant',
  knowledge: 'tenant',
  alertKeys: 'session',
  approvals: 'session',
  agents: 'shared',
  runbooks: 'shared',
  // Found by what the source says, under a key that holds the tenant; sessions say the rest.
  incidents: 'operators',
  // In the order in which the sweep starts them, for all tenants.
  waitingSessions: 'operators',
  rejectedMessages: 'operators',
  droppedAlerts: 'operators',
  counters: 'operators',
  // What a request is let in by, before its tenant is known.
  apiKeys: 'operators',
  // Also below sessions, where the path decides.
  usage: 'counted',
  alertBody: 'below',
  alertCounts: 'below',
  stages: 'below',
  executions: 'below',
  agentSnapshots: 'below',
  timeline: 'below',
  messages: 'below',
  parts: 'below',
  results: 'below',
  interactions: 'below',
  control: 'below',
  guidance: 'below',
  live: 'below',
  feedback: 'below',
  pinnedTools: 'below',
} as const satisfies Record<keyof typeof COLLECTIONS, Ownership>;

/** What decides whose the documents of a path are. */
export type Owner =
  | { kind: Exclude<Ownership, 'below'> }
  /** Of this session. */
  | { kind: 'below'; sessionId: string };

/**
 * What decides whose a document is, or the documents of a collection.
 * @param path of either. One that leads nowhere we know is the operators'.
 */
export function ownerOf(path: string): Owner {
  const [root = '', id = '', ...rest] = path.split('/');
  if (rest.length > 0)
    return root === paths.sessions ? { kind: 'below', sessionId: id } : { kind: 'operators' };
  const kind = Object.hasOwn(OWNERSHIP, root) ? OWNERSHIP[root as keyof typeof OWNERSHIP] : 'operators';
  return kind === 'below' ? { kind: 'operators' } : { kind };
}

/** The tenant that a stored document names: that of code which knew no tenants is the default one. Undefined if broken. */
export function tenantIn(data: Record<string, unknown>): string | undefined {
  const { tenantId = DEFAULT_TENANT } = data;
  return typeof tenantId === 'string' ? tenantId : undefined;
}
