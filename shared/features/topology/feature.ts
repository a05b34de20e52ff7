// Notes the edges that results show: in the execution with the commit of each result, and in a document of
// the tenant in the batch that ends the session. So a duplicate counts nothing twice.

import { putDocument, type Write } from '../../core/contract/store.ts';
import type { Feature } from '../../core/kernel/feature/feature.ts';
import type { StageFeature } from '../../core/kernel/stageFeature.ts';
import { CONTRAST_STRATEGY } from '../../core/schema/agent.ts';
import type { Execution } from '../../core/schema/execution.ts';
import { readPart, withPart } from '../../core/schema/parts.ts';
import type { Session } from '../../core/schema/session.ts';
import {
  edgesPart,
  type FoundEdge,
  forgetAt,
  MAX_EDGES,
  MAX_SESSION_EDGES,
  type NotedEdge,
  type StoredEdge,
  topologyId,
  topologyType,
} from '../../kits/topology/topology.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { shortName } from './names.ts';
import { edgeKey, readEdges } from './readEdges.ts';

interface NotedEdges {
  edges: NotedEdge[];
  refused?: number | undefined;
}

/** Notes edges with each result. */
export const TOPOLOGY_NOTES: Feature = {
  noteResult({ agent, masker, deps }, pending, call, result) {
    const { yields, fields, isError, timedOut, noAnswer } = result;
    // Inquest's own tools, and calls for contrast, repeat earlier results.
    if (agent.strategy === CONTRAST_STRATEGY) return undefined;
    if (isError || timedOut || noAnswer || yields === 'change' || !call.name.includes('.')) return undefined;
    const found = readEdges({
      tool: call.name,
      arguments: parseCallArguments(call.arguments),
      text: result.large?.text ?? result.content,
      yields,
      fields,
    });
    const edges = found.filter(({ from, to }) => masker.mask(`${from} ${to}`).count === 0);
    if (edges.length === 0) return undefined;
    const note = { event: pending.resultEvent, at: deps.clock.now() };
    return (current) =>
      withPart(edgesPart, current, addEdges(readPart(edgesPart, current) ?? { edges: [] }, edges, note));
  },
};

/** The edges with those of another result. Known edges are kept where there is no room. */
function addEdges(
  known: NotedEdges,
  found: readonly FoundEdge[],
  note: Pick<NotedEdge, 'event' | 'at'>,
): NotedEdges {
  const noted = found.map((edge) => ({ ...edge, ...note, count: 1 }));
  const edges = mergeEdges([...known.edges, ...noted], MAX_EDGES);
  const kept = new Set(edges.map(edgeKey));
  const refused = (known.refused ?? 0) + found.filter((edge) => !kept.has(edgeKey(edge))).length;
  return { edges, ...(refused > 0 && { refused }) };
}

/**
 * Each edge once, with the evidence of its latest result and the sum of its counts. A stated edge beats a
 * seen one, and has room of its own.
 * @param most edges of each class.
 */
function mergeEdges<T extends NotedEdge>(edges: readonly T[], most: number): T[] {
  const merged = new Map<string, T>();
  for (const edge of edges) {
    const key = edgeKey(edge);
    const before = merged.get(key);
    if (before === undefined) merged.set(key, edge);
    else {
      const better = before.by === edge.by ? edge.at >= before.at : edge.by === 'stated';
      merged.set(key, { ...(better ? edge : before), count: before.count + edge.count });
    }
  }
  const all = [...merged.values()];
  return (['stated', 'seen'] as const).flatMap((by) => all.filter((edge) => edge.by === by).slice(0, most));
}

/** The edges that the executions of a session noted. */
export function collectEdges(executions: readonly Execution[]): StoredEdge[] {
  const noted = executions.flatMap((execution): StoredEdge[] =>
    (readPart(edgesPart, execution)?.edges ?? []).map((edge) => ({
      ...edge,
      executionId: execution.executionId,
    })),
  );
  return mergeEdges(noted, MAX_SESSION_EDGES);
}

/** The write of the edges of an ended session; none without edges. Without precondition it never blocks. */
function storeEdges(ended: Session, executions: readonly Execution[], now: Date): Write[] {
  const { tenantId, sessionId } = ended;
  const edges = collectEdges(executions);
  // A fork has the results of its source again.
  if (edges.length === 0 || ended.kind === 'fork') return [];
  const names = [...new Set(edges.flatMap(({ from, to }) => [shortName(from), shortName(to)]))];
  const topology = { tenantId, sessionId, edges, names, at: now, expireAt: forgetAt(now) };
  const path = topologyType.paths.topology(topologyId(tenantId, sessionId, now));
  return [putDocument(path, topologyType, topology)];
}

/** Stores the edges of each session that ends. */
export const TOPOLOGY: StageFeature = { writesOfEnd: storeEdges };
