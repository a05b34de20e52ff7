// The tools of a recorded session as those of a case: their lists, and every call with its whole result.

import * as z from 'zod';
import { YIELDS } from '../../core/schema/block.ts';
import { isAfterEnd } from '../../core/schema/stage.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { parseJson } from '../../text/json.ts';
import type { CaseAnswer, CaseTool } from '../caseFile.ts';
import { isCovering } from '../findAnswer.ts';
import { callKey, type RecordedSession } from '../recordedSession.ts';

const listSchema = z.object({
  tools: z.array(
    z.looseObject({
      name: z.string(),
      description: z.string(),
      inputSchema: z.record(z.string(), z.unknown()).optional(),
      yields: z.enum(YIELDS).optional(),
      fields: z.string().optional(),
    }),
  ),
});

/**
 * The tools of the servers of a session, with the newest definition of each, and the answers to its calls in
 * the order of their results. Calls that nothing answered are left out.
 */
export function toolsOfRecording(recorded: RecordedSession): CaseTool[] {
  const lists = recorded.toolLists.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  const definitions = new Map(
    lists.flatMap(({ list }) => {
      const read = listSchema.safeParse(parseJson(list ?? '')).data;
      return (read?.tools ?? []).map((tool) => [tool.name, tool] as const);
    }),
  );
  const answers = groupAnsweredCalls(recorded);
  return [...definitions.values()].map(({ name, description, inputSchema, yields, fields }) => {
    const { properties = {} } = (inputSchema ?? {}) as { properties?: object };
    const parameters = Object.keys(properties);
    return {
      name,
      description,
      yields: yields ?? 'text',
      ...(fields && { fields }),
      parameters,
      covers: parameters.filter(isCovering),
      ...(inputSchema && { schema: inputSchema }),
      answers: answers.get(name) ?? [],
    };
  });
}

/**
 * The answered calls of a session, by the name of the tool. Those after its end, of checks and of questions,
 * show another state of the system.
 */
export function groupAnsweredCalls({
  timeline,
  results,
  stages,
}: RecordedSession): Map<string, CaseAnswer[]> {
  const late = new Set(stages.filter(isAfterEnd).map(({ stageId }) => stageId));
  const found = timeline.flatMap((event) => {
    if (late.has(event.stageId)) return [];
    if (event.eventType !== 'llm_tool_call' && event.eventType !== 'mcp_tool_call') return [];
    const { toolName, callId, arguments: given } = event.metadata;
    const result = results.get(callKey(event.executionId, callId));
    if (result === undefined || result.block.noAnswer) return [];
    const ended = timeline.find(
      (one) =>
        one.eventType === 'tool_result' &&
        one.executionId === event.executionId &&
        one.metadata.callId === callId,
    );
    const answer: CaseAnswer = {
      arguments: parseCallArguments(given),
      text: result.text,
      error: result.block.isError,
      timedOut: ended?.status === 'timed_out',
    };
    return [{ toolName, answer, at: result.at }];
  });
  const ordered = found.toSorted((a, b) => a.at.getTime() - b.at.getTime());
  return new Map(
    [...Map.groupBy(ordered, ({ toolName }) => toolName)].map(([name, calls]) => [
      name,
      calls.map(({ answer }) => answer),
    ]),
  );
}
