// The calls of the sessions that a fork comes from, with their stored results.

import { isDeepStrictEqual } from 'node:util';
import type { Store } from '../../core/contract/store.ts';
import type { ToolCall, ToolOutcome } from '../../core/contract/tools.ts';
import { executionType, paths, stageType, timelineEventType } from '../../core/schema/coreDocuments.ts';
import { type ToolList, toolListType } from '../../kits/agents/toolList.ts';
import {
  listAnsweredCalls,
  listCallResults,
  readTimedConversation,
  readWholeResult,
} from '../../kits/forks/answeredCalls.ts';
import type { Fork } from '../../schema/forkPart.ts';
import { parseCallArguments } from '../../text/callArguments.ts';

/** The answer to a call without a stored result. Readers count the results that start with it. */
export const NOT_RECORDED = 'Not recorded: the session that this one was forked from has no such call.';

/** Answers calls by stored results. */
export interface RecordedCalls {
  /** The whole stored result of an equal call. @throws RetryableError when the store fails. */
  answer(call: ToolCall): Promise<ToolOutcome>;
}

/** The tool lists of the origins of a fork. @throws RetryableError when the store fails. */
export async function readToolLists({ origins }: Fork, store: Store): Promise<ToolList[]> {
  const lists = origins.map((one) =>
    store.list({ collection: toolListType.paths.toolLists(one) }, toolListType),
  );
  return (await Promise.all(lists)).flat().map(({ value }) => value);
}

/**
 * The calls of the origins of a fork, which are read at the first call. Of equal calls the first one after
 * the event of the fork answers, else the last one before it.
 */
export function readRecordedCalls({ origins, at }: Fork, store: Store): RecordedCalls {
  let reading: ReturnType<typeof listCalls> | undefined;
  return {
    async answer(call) {
      reading ??= Promise.all(origins.map((one) => listCalls(one, store))).then((found) => found.flat());
      const given = parseCallArguments(call.arguments);
      const equal = (await reading).filter(
        (one) =>
          one.toolName === call.name &&
          !one.result.block.textContent.startsWith(NOT_RECORDED) &&
          isDeepStrictEqual(parseCallArguments(one.arguments), given),
      );
      const found = equal.find(({ result }) => result.at > at) ?? equal.at(-1);
      if (found === undefined) return { content: NOT_RECORDED, isError: true, timedOut: false };
      const { sessionId, result, timedOut } = found;
      const content = await readWholeResult(sessionId, result, store);
      return { content, isError: result.block.isError, timedOut };
    },
  };
}

/** The answered calls of a session; without those of a conversation that cannot be read. */
async function listCalls(sessionId: string, store: Store) {
  const [executions, stages, timeline] = await Promise.all([
    store.list({ collection: paths.executions(sessionId) }, executionType),
    store.list({ collection: `${paths.session(sessionId)}/stages` }, stageType),
    store.list({ collection: paths.timeline(sessionId) }, timelineEventType),
  ]);
  const results = await Promise.all(
    executions.map(async ({ value: { executionId } }) => {
      const { value } = await readTimedConversation(sessionId, executionId, store);
      return listCallResults(executionId, value ?? new Map());
    }),
  );
  return listAnsweredCalls({
    stages: stages.map(({ value }) => value),
    timeline: timeline.map(({ value }) => value),
    results: new Map(results.flat()),
  }).map((call) => ({ ...call, sessionId }));
}
