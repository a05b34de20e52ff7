// How the owner of a stored document is known: one table of all collections. The guard of `tenantStore` derives every
// rule from it, so a collection without an entry does not compile.

import type { COLLECTIONS } from '../../schema/collections.ts';
import { paths } from '../../schema/documents.ts';
import { DEFAULT_TENANT } from '../../schema/session.ts';

/** How the tenant of a document is known. */
type Ownership =
  /** Its field `tenantId` names the tenant. */
  | 'tenant'
  /** It belongs to the tenant of the session in its field `sessionId`. */
  | 'session'
  /** Its path leads through a session, to whose tenant it belongs. */
  | 'below'
  /** It belongs to the installation: every tenant reads it, operators write it. */
  | 'shared'
  /** It belongs to the installation: only operators read and write it. */
  | 'operators'
  /** As `operators`, but the usage of tenants is counted in it. */
  | 'counted';

const OWNERSHIP = {
  sessions: 'tenant',
  correlations: 'tenant',
  requests: 'tenant',
  chatKeys: 'tenant',
  knowledge: 'tenant',
  alertFates: 'tenant',
  changes: 'tenant',
  changeCounts: 'tenant',
  checks: 'tenant',
  schedules: 'tenant',
  alertKeys: 'session',
  approvals: 'session',
  // A document whose first session is being opened has no owner.
  incidents: 'session',
  agents: 'shared',
  runbooks: 'shared',
  enrichments: 'shared',
  // Approvals of every tenant depend on the pause of the installation.
  system: 'shared',
  tokenLeases: 'operators',
  metricTotals: 'operators',
  // The sweep starts the sessions of all tenants in this order.
  waitingSessions: 'operators',
  rejectedMessages: 'operators',
  droppedAlerts: 'operators',
  counters: 'operators',
  quotas: 'operators',
  modelOutages: 'operators',
  canaries: 'operators',
  // Authenticates requests before their tenant is known.
  apiKeys: 'operators',
  // Messages that stand for sessions of several tenants.
  deliveryGroups: 'operators',
  destinations: 'operators',
  // The session of a press is known only after its check.
  inbox: 'operators',
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
  work: 'below',
  outcomes: 'below',
  deliveries: 'below',
  threads: 'below',
  telemetry: 'below',
  pinnedTools: 'below',
  toolLists: 'below',
} as const satisfies Record<keyof typeof COLLECTIONS, Ownership>;

/** How the owner of the documents at a path is known. */
export type Owner =
  | { kind: Exclude<Ownership, 'below'> }
  /** The tenant of this session. */
  | { kind: 'below'; sessionId: string };

/**
 * How the owner of a document, or of the documents of a collection, is known.
 * @param path of either. Unknown paths belong to the operators.
 */
export function ownerOf(path: string): Owner {
  const [root = '', id = '', ...rest] = path.split('/');
  if (rest.length > 0)
    return root === paths.sessions ? { kind: 'below', sessionId: id } : { kind: 'operators' };
  const kind = Object.hasOwn(OWNERSHIP, root) ? OWNERSHIP[root as keyof typeof OWNERSHIP] : 'operators';
  return kind === 'below' ? { kind: 'operators' } : { kind };
}

/** The tenant of a stored document: documents from before tenants existed belong to the default one. Undefined if broken. */
export function tenantIn(data: Record<string, unknown>): string | undefined {
  const { tenantId = DEFAULT_TENANT } = data;
  return typeof tenantId === 'string' ? tenantId : undefined;
}
