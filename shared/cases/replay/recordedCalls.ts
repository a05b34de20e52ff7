// The tools of a recorded session as those of a case: their lists, and every call with its whole result.

import * as z from 'zod';
import { YIELDS } from '../../core/schema/block.ts';
import { listAnsweredCalls } from '../../kits/forks/answeredCalls.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { parseJson } from '../../text/json.ts';
import type { CaseAnswer, CaseTool } from '../caseFile.ts';
import { isCovering } from '../findAnswer.ts';
import type { RecordedSession } from '../recordedSession.ts';

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

/** The answered calls of a session, by the name of the tool. */
export function groupAnsweredCalls(recorded: RecordedSession): Map<string, CaseAnswer[]> {
  const calls = listAnsweredCalls(recorded).map(({ toolName, arguments: given, result, timedOut }) => {
    const { text, block } = result;
    return {
      toolName,
      answer: { arguments: parseCallArguments(given), text, error: block.isError, timedOut },
    };
  });
  return new Map(
    [...Map.groupBy(calls, ({ toolName }) => toolName)].map(([name, own]) => [
      name,
      own.map(({ answer }) => answer),
    ]),
  );
}
