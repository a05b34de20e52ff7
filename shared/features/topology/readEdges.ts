// The edges that a tool's result shows. Statements of a control plane are read only from tools that the
// configuration declares as one; everything else is text, and its edges are `seen`. Pure.

import { SERVICE_MAP } from '../../contract/mcpServer.ts';
import { baseName, fieldList } from '../../evidence/records/fieldList.ts';
import { type FoundEdge, MAX_EDGES } from '../../kits/topology/topology.ts';
import { parseJson } from '../../text/json.ts';
import { edgesOfObjects } from './controlPlane.ts';
import { edgesOfMap, edgesOfTraces } from './maps.ts';
import { readName, subjectOfCall } from './names.ts';
import { edgesOfLines } from './workloadTexts.ts';

/** UTF-16 units that are read of a text, and of JSON, which is read whole or not. */
const MAX_TEXT = 256_000;
const MAX_JSON = 1_000_000;

/** A result, without secrets. */
interface ReadableResult {
  /** `server.tool` */
  tool: string;
  arguments: Readonly<Record<string, unknown>>;
  text: string;
  /** `state` with a field list: the tool is declared as a control plane. */
  yields?: string | undefined;
  fields?: string | undefined;
}

/** The edges of a result, each once: at most `MAX_EDGES` of each class. */
export function readEdges(result: ReadableResult): FoundEdge[] {
  const stated = new Map<string, FoundEdge>();
  const seen = new Map<string, FoundEdge>();
  for (const edge of allEdges(result)) {
    const found = edge.by === 'stated' ? stated : seen;
    if (edge.from === edge.to) continue;
    if (found.size >= MAX_EDGES) {
      // Texts come last.
      if (edge.by === 'seen') break;
      continue;
    }
    const key = edgeKey(edge);
    if (!stated.has(key) && !found.has(key)) found.set(key, edge);
  }
  return [...stated.values(), ...seen.values()];
}

/** The key of an edge: equal edges have equal keys. */
export const edgeKey = ({ from, to, how }: Pick<FoundEdge, 'from' | 'to' | 'how'>): string =>
  `${how} ${from} ${to}`;

function* allEdges({
  tool,
  arguments: args,
  text: whole,
  yields,
  fields,
}: ReadableResult): Generator<FoundEdge> {
  const isStated = yields === 'state' && fields !== undefined;
  const isJson = whole.length <= MAX_JSON && /^\s*[[{]/.test(whole);
  const json = isJson ? parseJson(whole) : undefined;
  const text = whole.slice(0, MAX_TEXT);
  if (isStated && fields === SERVICE_MAP) return yield* edgesOfMap(json);
  if (isStated && Object.hasOwn(fieldList(fields)?.calls ?? {}, baseName(tool)))
    yield* edgesOfObjects(isJson ? whole : text, readName(args.cluster) ?? null);
  if (json !== undefined) yield* edgesOfTraces(json);
  yield* edgesOfLines(text, subjectOfCall(args));
}
