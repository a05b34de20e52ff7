// Compares the decisions of a replay with those of a session that an older release stored: prompts, and
// fields of documents, can differ from release to release; the decisions that follow from the stored answers
// cannot.

import type { Store } from '../core/contract/store.ts';
import {
  COLLECTIONS,
  executionType,
  paths,
  sessionType,
  stageType,
  timelineEventType,
} from '../lists/documents.ts';
import { type Difference, firstDifference, readPlainClaims } from './compareReplay.ts';
import type { Recording } from './recording.ts';

/** Whether a recording holds a document in an older version than that of this code. */
export function isOlderRecording({ store }: Pick<Recording, 'store'>): boolean {
  return store.documents().some(({ path, data }) => {
    const collection = path.split('/').at(-2) ?? '';
    if (!Object.hasOwn(COLLECTIONS, collection)) return false;
    return Number(data.schemaVersion) < COLLECTIONS[collection as keyof typeof COLLECTIONS].version;
  });
}

/**
 * Compares stages, the end of each execution with its iterations and models, calls with their outcome,
 * analyses, ledgers and the verdict.
 * @returns the first difference; undefined if there is none.
 */
export async function compareDecisions(
  sessionId: string,
  recorded: Store,
  replayed: Store,
): Promise<Difference | undefined> {
  const [one, other] = await Promise.all(
    [recorded, replayed].map((store) => readDecisions(sessionId, store)),
  );
  return firstDifference(one, other, paths.session(sessionId));
}

async function readDecisions(sessionId: string, store: Store): Promise<unknown> {
  const below = (name: string) => ({ collection: `${paths.session(sessionId)}/${name}` });
  const [session, stages, executions, timeline] = await Promise.all([
    store.get(paths.session(sessionId), sessionType),
    store.list(below('stages'), stageType),
    store.list(below('executions'), executionType),
    store.list(below('timeline'), timelineEventType),
  ]);
  const repeated = new Set(stages.flatMap(({ value }) => (value.kind === 'probe' ? [value.stageId] : [])));
  const own = <T extends { stageId: string }>(values: readonly { value: T }[]): T[] =>
    values.flatMap(({ value }) => (repeated.has(value.stageId) ? [] : [value]));
  const { status, finalAnalysis, executiveSummary, failure, questions } = session?.value ?? {};
  return {
    session: { status, finalAnalysis, executiveSummary, failure: failure?.code ?? null, questions },
    stages: own(stages).map(({ stageId, kind, status: end, expectedExecutions }) => ({
      stageId,
      kind,
      status: end,
      expectedExecutions,
    })),
    executions: own(executions).map((one) => ({
      executionId: one.executionId,
      agentName: one.agentName,
      status: one.status,
      iteration: one.iteration,
      modelIndex: one.modelIndex,
      toolCalls: one.toolCalls,
      finalAnalysis: one.finalAnalysis,
      failure: one.failure?.code ?? null,
      caveats: one.caveats,
    })),
    calls: own(timeline).flatMap((event) => {
      if (event.eventType !== 'mcp_tool_call' && event.eventType !== 'tool_result') return [];
      const { toolName, callId } = event.metadata;
      return [
        {
          eventType: event.eventType,
          executionId: event.executionId,
          toolName,
          callId,
          status: event.status,
        },
      ];
    }),
    claims: await readPlainClaims(sessionId, store),
  };
}
