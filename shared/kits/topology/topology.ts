// topology/{tenantId}.{day}.{place}: the edges between workloads that a session read in results of its tools.
// Learned, never declared: no verdict and no correlation counts them.

import { createHash } from 'node:crypto';
import * as z from 'zod';
import { defineCollection } from '../../core/schema/defineCollection.ts';
import { definePart } from '../../core/schema/parts.ts';

/** Characters of a canonical name. */
const MAX_NAME = 300;
/** Edges of an execution by their class, so that texts of workloads take no room from a control plane. */
export const MAX_EDGES = 60;
/** Edges of a session by their class, and sessions of a tenant that are kept for each day. */
export const MAX_SESSION_EDGES = 120;
const MAX_SESSIONS = 256;
const DAY_MS = 24 * 3_600_000;
/** How long an edge is kept after it was seen last. */
const KEPT_MS = 30 * DAY_MS;

const name = z.string().min(1).max(MAX_NAME);

/** An edge that a result shows: `from` needs `to`. */
const foundEdgeSchema = z.strictObject({
  /** Canonical names; a part that is not known is `-`. */
  from: name,
  to: name,
  /** `calls`; `serves`: a service that has an endpoint; `owned`: an object and its controller. */
  how: z.enum(['calls', 'serves', 'owned']),
  /** `stated` by a control plane, or `seen` in text that workloads and their authors write. */
  by: z.enum(['stated', 'seen']),
  /** The first line that shows it; null if the whole result does. */
  line: z.int().positive().nullable(),
});
/** An edge that a result shows. */
export type FoundEdge = z.infer<typeof foundEdgeSchema>;

const notedEdgeSchema = foundEdgeSchema.extend({
  /** The event of the latest result that shows it. */
  event: z.int().positive(),
  /** The time of that result. */
  at: z.date(),
  /** Results that show it. */
  count: z.int().positive(),
});
/** An edge that results of an execution show. */
export type NotedEdge = z.infer<typeof notedEdgeSchema>;

/** The edges that results of an execution show. */
export const edgesPart = definePart(
  'execution',
  'topology',
  z.strictObject({
    edges: z.array(notedEdgeSchema).max(2 * MAX_EDGES),
    /** Edges that results show and that had no room. Absent: none. */
    refused: z.int().positive().optional(),
  }),
);

/** The objects with the same controllers as those near an alert, as control planes stated them. */
export const ownersPart = definePart(
  'session',
  'topology',
  z.strictObject({ owned: z.array(z.strictObject({ object: name, owner: name })).max(MAX_SESSION_EDGES) }),
);

const storedEdgeSchema = notedEdgeSchema.extend({ executionId: z.string().min(1) });
/** An edge of a session. */
export type StoredEdge = z.infer<typeof storedEdgeSchema>;

const topologySchema = z.strictObject({
  tenantId: z.string().min(1),
  sessionId: z.string().min(1),
  edges: z.array(storedEdgeSchema).max(2 * MAX_SESSION_EDGES),
  /** The last parts of all names, by which edges are found. */
  names: z.array(z.string()).max(4 * MAX_SESSION_EDGES),
  at: z.date(),
  expireAt: z.date(),
});
/** The edges of a session. */
export type Topology = z.infer<typeof topologySchema>;

export const topologyType = defineCollection({
  collection: 'topology',
  name: 'topology',
  schema: topologySchema,
  paths: { allTopology: 'topology', topology: (id: string) => `topology/${id}` },
  owner: 'tenant',
  erase: 'field',
  indexes: { fields: ['tenantId', 'sessionId'], composites: [['tenantId', 'names']] },
});

/**
 * The id of a session's document. The ids of a tenant lead from the newest day to the oldest, and a day has a
 * limited number of places: sessions that share one replace each other.
 */
export function topologyId(tenantId: string, sessionId: string, now: Date): string {
  const day = 99_999 - Math.floor(now.getTime() / DAY_MS);
  const place = createHash('sha256').update(sessionId).digest().readUInt32BE() % MAX_SESSIONS;
  return `${tenantId}.${day}.${String(place).padStart(3, '0')}`;
}

/** When the edges that were seen now are forgotten. */
export const forgetAt = (now: Date): Date => new Date(now.getTime() + KEPT_MS);
