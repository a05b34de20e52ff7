// Routes of the topology: the picture of a session's place, and the learned edges of a tenant.

import * as z from 'zod';
import { locateAlert } from '../../alerts/resource.ts';
import { readSessionAlert } from '../../alerts/schema/alert.ts';
import { Problem } from '../../api/http/problem.ts';
import { defineRoute, type RequestDeps } from '../../api/http/route.ts';
import { sessionParams } from '../../api/http/schemas.ts';
import { executionType, paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { readTopology } from '../../kits/topology/readTopology.ts';
import type { Topology } from '../../kits/topology/topology.ts';
import { getReadable, listReadable } from '../../kits/views/readable.ts';
import { tenantSessions } from '../../kits/views/tenantSessions.ts';
import { resourceName } from '../../text/resource.ts';
import { collectEdges } from './feature.ts';
import { drawGraph, type FiringPlace } from './graph.ts';
import { shortName } from './names.ts';
import { edgeKey } from './readEdges.ts';

const DAY_MS = 24 * 3_600_000;
/** Sessions that are looked through for problems that fire. */
const MOST_FIRING = 50;
const MOST_EDGES = 500;

const evidenceSchema = z
  .strictObject({
    sessionId: z.string(),
    executionId: z.string(),
    event: z.int().describe('The number of the event with the result'),
    line: z.int().nullable().describe('Its line; null if the whole result shows the edge'),
  })
  .describe('The latest result that shows the edge');

const graphSchema = z.strictObject({
  resource: z.string().nullable().describe('The canonical resource of the alert; null if no label names one'),
  nodes: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      place: z.string().describe('Namespace and cluster, as far as they are known'),
      step: z.int().describe('Steps from the place of the alert: 0 for itself, below 0 for dependents'),
      firing: z.array(z.strictObject({ sessionId: z.string(), title: z.string() })),
    }),
  ),
  edges: z.array(
    z.strictObject({
      from: z.string().describe('The id of the node that needs `to`'),
      to: z.string(),
      by: z
        .enum(['file', 'stated', 'seen'])
        .describe(
          '`file`: declared in resources.yaml; `stated` by a control plane; `seen` in text of workloads',
        ),
      count: z.int().describe('Results that show it; 0 for one that only the file has'),
      sessions: z.int(),
      lastAt: z.date().nullable(),
      evidence: evidenceSchema.nullable(),
    }),
  ),
  others: z.int().describe('Nodes near the place that are left out'),
  isCut: z.boolean().describe('Whether older sessions were not read'),
});

const ofSession = defineRoute({
  method: 'get',
  path: '/v1/sessions/{sessionId}/topology',
  id: 'getSessionTopology',
  summary: 'Dependencies and dependents of the place of an alert, and those that fire',
  description:
    'From resources.yaml and from results of the last 30 days. Learned edges are no evidence: no verdict and no grouping counts them.',
  role: 'viewer',
  params: sessionParams,
  status: 200,
  answer: graphSchema,
  problems: ['NOT_FOUND'],
  async handle({ params: { sessionId }, caller }, deps) {
    const { store, clock, config } = deps;
    const { value: session } = await getReadable(paths.session(sessionId), sessionType, store);
    if (session === undefined) throw new Problem('NOT_FOUND', `there is no session ${sessionId}`);
    const alert = readSessionAlert(session);
    const { services = {} } = config;
    const located = alert === null ? null : locateAlert(alert, services);
    if (located?.resource == null) return { resource: null, nodes: [], edges: [], others: 0, isCut: false };
    const { resource, service } = located;
    const workloads = service === null ? [] : (services[service]?.workloads ?? []);
    const names = [...new Set([resource, ...workloads].map(shortName))];
    const now = clock.now();
    const [{ sessions, isCut }, own, firing] = await Promise.all([
      readTopology({ tenantId: session.tenantId, names }, store, now),
      // While it runs nothing else has its edges, and later another session can have taken its place.
      listReadable({ collection: paths.executions(sessionId) }, executionType, store),
      readFiring(caller.tenantId, deps),
    ]);
    const others = sessions.filter((one) => one.sessionId !== sessionId);
    const known = [{ sessionId, edges: collectEdges(own.values) }, ...others];
    return { resource, ...drawGraph(resource, { sessions: known, services, firing }), isCut };
  },
});

/** The places of problems that fire, from the tenant's latest sessions of a day. */
async function readFiring(
  tenantId: string,
  { documents, store, clock }: RequestDeps,
): Promise<FiringPlace[]> {
  const now = clock.now();
  const since = new Date(now.getTime() - DAY_MS);
  const found = await tenantSessions({ documents, store }, tenantId).list({ since, limit: MOST_FIRING, now });
  return (found?.rows ?? []).flatMap(({ sessionId, title, place, problem }) => {
    if (problem?.status !== 'firing' || place?.workload == null) return [];
    const parts = [place.cluster, place.namespace, null, place.workload];
    return [
      {
        sessionId,
        title: title ?? sessionId,
        resource: resourceName({ system: 'k8s', product: null, parts }),
      },
    ];
  });
}

const learnedSchema = z.strictObject({
  from: z.string().describe('Canonical name; it needs `to`'),
  to: z.string(),
  how: z
    .enum(['calls', 'serves', 'owned'])
    .describe('`serves`: a service with an endpoint; `owned`: an object and its controller'),
  by: z.enum(['stated', 'seen']),
  count: z.int().describe('Results that show it'),
  sessions: z.int(),
  lastAt: z.date(),
  evidence: evidenceSchema,
});

const list = defineRoute({
  method: 'get',
  path: '/v1/topology',
  id: 'listTopology',
  summary: 'The edges that sessions of the tenant learned within 30 days, the latest first',
  role: 'viewer',
  query: z.strictObject({
    resource: z
      .string()
      .min(1)
      .max(300)
      .optional()
      .describe('A canonical name, or the name of a workload: only edges of it'),
  }),
  status: 200,
  answer: z.strictObject({
    edges: z.array(learnedSchema),
    isCut: z
      .boolean()
      .describe('Whether there are more: older sessions were not read, or edges are left out'),
  }),
  async handle({ query: { resource }, caller: { tenantId } }, { store, clock }) {
    const name = resource === undefined ? undefined : shortName(resource);
    const names = name === undefined ? undefined : [name];
    const { sessions, isCut } = await readTopology({ tenantId, ...(names && { names }) }, store, clock.now());
    const edges = sumEdges(sessions).filter(
      ({ from, to }) => name === undefined || shortName(from) === name || shortName(to) === name,
    );
    return { edges: edges.slice(0, MOST_EDGES), isCut: isCut || edges.length > MOST_EDGES };
  },
});

/** Each edge once, with the evidence of the newest session, the latest first. */
function sumEdges(sessions: readonly Topology[]): z.infer<typeof learnedSchema>[] {
  const summed = new Map<string, z.infer<typeof learnedSchema>>();
  for (const { sessionId, edges } of sessions)
    for (const { executionId, event, line, at, count, ...edge } of edges) {
      const key = `${edge.by} ${edgeKey(edge)}`;
      const before = summed.get(key);
      const evidence = { sessionId, executionId, event, line };
      const own = before !== undefined && before.lastAt >= at ? before : { ...edge, lastAt: at, evidence };
      const [counted, known] = [before?.count ?? 0, before?.sessions ?? 0];
      summed.set(key, { ...own, count: counted + count, sessions: known + 1 });
    }
  return [...summed.values()].toSorted((a, b) => b.lastAt.getTime() - a.lastAt.getTime());
}

/** The routes of the topology. */
export const TOPOLOGY_ROUTES = [ofSession, list];
