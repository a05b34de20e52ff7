// Where data of a session is stored: a rule for every collection, so that a new collection without a rule does not compile.

import type { COLLECTIONS } from '../../shared/schema/collections.ts';
import { paths } from '../../shared/schema/documents.ts';

/** How the documents of a collection that belong to a session are found. */
export type Place =
  /** Below the session: deleted with everything else that is there. */
  | 'below'
  /** Their field `sessionId` names the session. */
  | 'field'
  /** The session's entry in the knowledge base. */
  | 'entry'
  /** The stored answer of a request of the tenant contains the id of the session, or the key of its alert. */
  | 'answer'
  /** Lists alerts of several sessions: the entries of the session are removed. */
  | 'list'
  /** Has samples of messages of several tenants: those of the tenant, or that name the session, are removed. */
  | 'samples'
  /** Belongs to a tenant, and to no session. */
  | 'tenant'
  /** Nothing of a session, or of a tenant, is in it; why. */
  | { none: string };

const BY_HOUR = 'counts without content, of the whole installation';
const SHARED = 'written by people for the whole installation';

/** The rule of each collection. */
export const PLACES = {
  sessions: 'below',
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
  alertKeys: 'field',
  chatKeys: 'field',
  incidents: 'field',
  waitingSessions: 'field',
  approvals: 'field',
  alertFates: 'field',
  checks: 'field',
  knowledge: 'entry',
  requests: 'answer',
  correlations: 'list',
  apiKeys: 'tenant',
  changes: 'tenant',
  changeCounts: 'tenant',
  schedules: 'tenant',
  // Counts and ids of many sessions; counts and error codes of a tenant's rejected alerts. They expire within days.
  deliveryGroups: 'tenant',
  // Also below sessions, where it is deleted with them.
  usage: { none: BY_HOUR },
  counters: { none: BY_HOUR },
  canaries: { none: 'the test alert of the installation' },
  system: { none: 'the pause of the whole installation' },
  quotas: { none: 'the use of models and servers in a minute, by name of the tenant' },
  modelOutages: { none: 'which models do not answer' },
  metricTotals: { none: BY_HOUR },
  tokenLeases: { none: 'leases of the servers that tools come from' },
  agents: { none: SHARED },
  runbooks: { none: SHARED },
  enrichments: { none: SHARED },
  rejectedMessages: 'samples',
  destinations: { none: 'the state of destinations' },
  inbox: {
    none: 'presses of buttons and ids of accounts; texts are removed when they are handled, the rest within a day',
  },
  droppedAlerts: 'tenant',
} as const satisfies Record<keyof typeof COLLECTIONS, Place>;

/** The collections with this rule. */
export function collectionsAt(place: Extract<Place, string>): string[] {
  return Object.entries(PLACES).flatMap(([collection, rule]) => (rule === place ? [collection] : []));
}

/** The collections with an index of `sessionId`: each alert adds to them. */
export const INDEXED_SESSIONS: ReadonlySet<string> = new Set([
  'alertFates',
  'alertKeys',
  'approvals',
  'incidents',
]);

/** The collections whose field `tenantId` names a tenant, besides the sessions. */
export const OF_TENANT = [
  'alertFates',
  'apiKeys',
  'changeCounts',
  'changes',
  'chatKeys',
  'checks',
  'correlations',
  'deliveryGroups',
  'droppedAlerts',
  'knowledge',
  'requests',
  'schedules',
] as const;

/** The collections below a session whose documents have collections below them. */
export const PARENTS: ReadonlySet<string> = new Set(
  Object.values(paths).flatMap((path) => {
    const segments = typeof path === 'string' ? [] : (path as PathOf)('a', 'b', 1, 1).split('/');
    return segments.length > 4 && segments[2] !== undefined ? [segments[2]] : [];
  }),
);

type PathOf = (...parts: unknown[]) => string;
