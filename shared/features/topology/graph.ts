// The picture of a place: its dependencies and dependents, from resources.yaml and from learned edges. Of two
// edges that of the file counts. Pure.

import type { Services } from '../../alerts/resource.ts';
import type { StoredEdge, Topology } from '../../kits/topology/topology.ts';
import { isSameResource, parseResource, type Resource } from '../../text/resource.ts';
import { shortName } from './names.ts';

/** Nodes of a picture. */
const MOST_NODES = 16;
/** Steps to dependencies of the place. Dependents are one step away. */
const MOST_STEPS = 2;
const MAX_OWNERS = 4;

/** Where a session has its problem. */
export interface FiringPlace {
  sessionId: string;
  title: string;
  resource: string;
}

/** Where an edge was seen last. */
interface EdgeEvidence {
  sessionId: string;
  executionId: string;
  event: number;
  line: number | null;
}

/** A node of a picture. */
interface GraphNode {
  id: string;
  name: string;
  /** Namespace and cluster; empty if unknown. */
  place: string;
  /** Steps from the place: 0 for itself, below 0 for dependents. */
  step: number;
  firing: { sessionId: string; title: string }[];
}

/** An edge of a picture: `from` needs `to`. */
interface GraphEdge {
  from: string;
  to: string;
  /** `file`: resources.yaml declares it. */
  by: 'file' | 'stated' | 'seen';
  /** Results that show it, and the sessions that read them; 0 for one that only the file has. */
  count: number;
  sessions: number;
  /** Null for one that only the file has. */
  lastAt: Date | null;
  evidence: EdgeEvidence | null;
}

/** A picture. */
interface Graph {
  nodes: GraphNode[];
  edges: GraphEdge[];
  /** Nodes that are not drawn. */
  others: number;
}

type Identify = (resource: string) => string;

/** The picture around a resource. */
export function drawGraph(
  resource: string,
  {
    sessions,
    services = {},
    firing,
  }: {
    sessions: readonly Pick<Topology, 'sessionId' | 'edges'>[];
    services?: Services | undefined;
    firing: readonly FiringPlace[];
  },
): Graph {
  const learned = sessions.flatMap(({ sessionId, edges }) => edges.map((edge) => ({ ...edge, sessionId })));
  const identify = identifyNodes(resource, learned, services);
  const edges = joinEdges(learned, services, identify);
  const place = identify(resource);
  const steps = findSteps(place, edges);
  const shown = new Set([...steps.keys()].slice(0, MOST_NODES));
  const nodes = [...steps]
    .filter(([id]) => shown.has(id))
    .map(([id, step]): GraphNode => {
      const [name = '', namespace, cluster] = id.split(' ');
      const known = [namespace, cluster].filter((part) => part !== undefined && part !== UNKNOWN);
      const own = firing.filter((one) => identify(one.resource) === id);
      return {
        id,
        name,
        place: known.join(' · '),
        step,
        firing: own.map(({ sessionId, title }) => ({ sessionId, title })),
      };
    });
  return {
    nodes: nodes.toSorted((a, b) => a.step - b.step),
    edges: edges.filter(({ from, to }) => shown.has(from) && shown.has(to)),
    others: steps.size - shown.size,
  };
}

const UNKNOWN = '-';

/**
 * Names the node of each resource: `NAME NAMESPACE CLUSTER`. A service of resources.yaml is one node with its
 * workloads, an object one with its controller. A part that is not known matches the only one that is.
 */
function identifyNodes(resource: string, learned: readonly StoredEdge[], services: Services): Identify {
  const owners = new Map(
    learned.flatMap(({ how, by, from, to }) => (how === 'owned' && by === 'stated' ? [[from, to]] : [])),
  );
  const findOwner = (one: string): string => {
    let top = one;
    for (let step = 0; step < MAX_OWNERS; step++) top = owners.get(top) ?? top;
    return top;
  };
  const own = new Map<string, string>();
  const serviceNode = (one: string): string | undefined => {
    const parsed = parseResource(one);
    if (parsed === undefined) return undefined;
    const found = Object.keys(services).filter((service) => isOfService(parsed, service, services));
    return found.length === 1 ? found[0] : undefined;
  };
  const composeKey = (one: string): string => {
    const top = findOwner(one);
    const service = serviceNode(top) ?? serviceNode(one);
    if (service !== undefined) return `${service} ${UNKNOWN} ${UNKNOWN}`;
    const { system, parts } = parseResource(top) ?? { system: 'service', parts: [] };
    const [cluster, namespace] = system === 'k8s' ? parts : [];
    return `${shortName(top).replaceAll(' ', '_')} ${namespace ?? UNKNOWN} ${cluster ?? UNKNOWN}`;
  };
  const all = new Set([resource, ...learned.flatMap(({ from, to }) => [from, to])].map(composeKey));
  const byName = Map.groupBy(all, (key) => key.slice(0, key.indexOf(' ')));
  return (one) => {
    const known = own.get(one);
    if (known !== undefined) return known;
    const key = composeKey(one);
    const alike = (byName.get(key.slice(0, key.indexOf(' '))) ?? []).filter((other) =>
      isMoreKnown(other, key),
    );
    const [only = key] = alike.length === 1 ? alike : [];
    own.set(one, only);
    return only;
  };
}

function isOfService(one: Resource, service: string, services: Services): boolean {
  if (one.system === 'service' && one.parts[0] === service) return true;
  return (
    services[service]?.workloads.some((workload) => isSameResource(one, parseResource(workload))) ?? false
  );
}

/** Whether a key has all parts of another, and more. */
function isMoreKnown(key: string, than: string): boolean {
  const [parts, others] = [key.split(' '), than.split(' ')];
  return key !== than && others.every((part, index) => part === UNKNOWN || part === parts[index]);
}

function joinEdges(
  learned: readonly (StoredEdge & { sessionId: string })[],
  services: Services,
  identify: Identify,
): GraphEdge[] {
  const joined = new Map<string, GraphEdge & { seenIn: Set<string> }>();
  for (const [service, { dependencies }] of Object.entries(services))
    for (const dependency of dependencies) {
      const [from, to] = [service, dependency].map((one) =>
        identify(parseResource(one) === undefined ? `service:${one}` : one),
      ) as [string, string];
      if (from !== to)
        joined.set(`${from}\n${to}`, {
          from,
          to,
          by: 'file',
          count: 0,
          sessions: 0,
          lastAt: null,
          evidence: null,
          seenIn: new Set(),
        });
    }
  for (const { sessionId, executionId, event, line, at, count, by, ...ends } of learned) {
    const [from, to] = [identify(ends.from), identify(ends.to)];
    if (from === to || ends.how === 'owned') continue;
    const key = `${from}\n${to}`;
    const before = joined.get(key);
    const evidence = { sessionId, executionId, event, line };
    if (before === undefined) {
      joined.set(key, {
        from,
        to,
        by,
        count,
        sessions: 1,
        lastAt: at,
        evidence,
        seenIn: new Set([sessionId]),
      });
      continue;
    }
    before.count += count;
    before.seenIn.add(sessionId);
    before.sessions = before.seenIn.size;
    // A statement stays the evidence of an edge that was also seen.
    const isBetter = before.by === 'seen' && by === 'stated';
    if (isBetter || before.evidence === null || (at > (before.lastAt ?? at) && before.by !== 'stated')) {
      before.evidence = evidence;
      if (isBetter) before.by = by;
    }
    if (before.lastAt === null || at > before.lastAt) before.lastAt = at;
  }
  return [...joined.values()].map(({ seenIn: _, ...edge }) => edge).toSorted(compareEdges);
}

const RANK = { file: 0, stated: 1, seen: 2 } as const;
const compareEdges = (a: GraphEdge, b: GraphEdge): number =>
  RANK[a.by] - RANK[b.by] || b.sessions - a.sessions || (a.from + a.to < b.from + b.to ? -1 : 1);

/** The steps to the nodes around a place, the nearest first: dependencies, and direct dependents. */
function findSteps(place: string, edges: readonly GraphEdge[]): Map<string, number> {
  const steps = new Map([[place, 0]]);
  const add = (ids: readonly string[], step: number) => {
    for (const id of ids) if (!steps.has(id)) steps.set(id, step);
  };
  let near = [place];
  for (let step = 1; step <= MOST_STEPS; step++) {
    const next = edges.filter(({ from }) => near.includes(from)).map(({ to }) => to);
    near = [...new Set(next)].filter((id) => !steps.has(id));
    add(near, step);
    if (step === 1)
      add(
        edges.filter(({ to }) => to === place).map(({ from }) => from),
        -1,
      );
  }
  return steps;
}
