// Checks learned edges: each execution counts each stored result that shows an edge exactly once, and the
// document of an ended session has the sums of its executions.

import { chatStageIds } from '../../../../shared/core/kernel/conversation/chatStage.ts';
import { isTerminal } from '../../../../shared/core/schema/common.ts';
import type { DocumentType } from '../../../../shared/core/schema/documentType.ts';
import type { Execution } from '../../../../shared/core/schema/execution.ts';
import type { Message } from '../../../../shared/core/schema/message.ts';
import { readPart } from '../../../../shared/core/schema/parts.ts';
import type { Session } from '../../../../shared/core/schema/session.ts';
import { collectEdges } from '../../../../shared/features/topology/feature.ts';
import { edgeKey, readEdges } from '../../../../shared/features/topology/readEdges.ts';
import {
  edgesPart,
  type Topology,
  topologyId,
  topologyType,
} from '../../../../shared/kits/topology/topology.ts';
import { executionType, messageType, paths } from '../../../../shared/lists/documents.ts';
import type { Violate } from '../../transitions.ts';
import type { World } from '../../world.ts';
import { isContrast } from '../claims/simulatedLedger.ts';
import { isProbe } from '../outcomes/probeRule.ts';

/** Checks the documents of a run. */
export async function checkTopology({ reader, record }: World, violate: Violate): Promise<void> {
  const all = async <T>(collection: string, type: DocumentType<T>): Promise<T[]> =>
    (await reader.list({ collection }, type)).map(({ value }) => value);
  const stored = await reader.list({ collection: topologyType.paths.allTopology }, topologyType);
  const learned = new Map(stored.map(({ id, value }) => [id, value]));
  for (const [sessionId, session] of record.sessions) {
    if (record.expired.has(sessionId)) continue;
    const executions = await all(paths.executions(sessionId), executionType);
    const messages = await all(paths.messages(sessionId), messageType);
    for (const execution of executions) if (!isContrast(execution)) checkCounts(execution, messages, violate);
    if (isTerminal(session.status)) checkSums(session, executions, learned, violate);
  }
}

/** The results of an execution that show each edge. */
function checkCounts(execution: Execution, messages: readonly Message[], violate: Violate): void {
  const { executionId } = execution;
  const results = messages.flatMap((message) =>
    message.executionId === executionId && message.role === 'tool' ? message.blocks : [],
  );
  const wanted = new Map<string, number>();
  for (const block of results) {
    if (block.blockType !== 'tool_result' || block.isError || block.stored !== undefined) continue;
    const { toolName: tool, textContent: text, yields, fields } = block;
    if (!tool.includes('.')) continue;
    for (const edge of readEdges({ tool, arguments: {}, text, yields, fields }))
      wanted.set(edgeKey(edge), (wanted.get(edgeKey(edge)) ?? 0) + 1);
  }
  const noted = readPart(edgesPart, execution)?.edges ?? [];
  const found = new Map(noted.map((edge) => [edgeKey(edge), edge.count]));
  for (const key of new Set([...wanted.keys(), ...found.keys()]))
    if (wanted.get(key) !== found.get(key))
      violate(
        'topology',
        `${executionId} counts ${found.get(key)} of ${wanted.get(key)} results with ${key}`,
      );
}

/** The document of an ended session. Sessions that share a place replace each other. */
function checkSums(
  session: Session,
  executions: readonly Execution[],
  learned: ReadonlyMap<string, Topology>,
  violate: Violate,
): void {
  const { sessionId, tenantId, endedAt } = session;
  if (endedAt === null) return;
  const stored = learned.get(topologyId(tenantId, sessionId, endedAt));
  // Questions come later. Repeated calls belong to no stage of the chain.
  const questions = new Set(chatStageIds(session));
  const before = executions.filter((one) => !isProbe(one) && !questions.has(one.stageId));
  const sums = collectEdges(before);
  const total = (edges: readonly { count: number }[]) => edges.reduce((sum, { count }) => sum + count, 0);
  if (stored === undefined && sums.length > 0) violate('topology', `${sessionId} left no edges`);
  if (stored?.sessionId === sessionId && total(stored.edges) !== total(sums))
    violate('topology', `${sessionId} left ${total(stored.edges)} of ${total(sums)} counts`);
}
