// The tools of a recorded session: sources that offer the recorded lists and answer with recorded results.

import * as z from 'zod';
import type { ToolCall, ToolDefinition, ToolOutcome, ToolSource } from '../contract/tools.ts';
import { RetryableError } from '../errors.ts';
import type { ToolList } from '../schema/features/toolList.ts';
import { parseJson } from '../text/json.ts';

/** Answers a call. `execution`: the id of the execution that calls, where it is known. */
export type AnswerCall = (call: ToolCall) => ToolOutcome | Promise<ToolOutcome>;

const listSchema = z.object({
  tools: z.array(z.looseObject({ name: z.string(), description: z.string(), readOnly: z.boolean() })),
  instructions: z.string().optional(),
  scope: z.record(z.string(), z.string()).optional(),
  results: z.looseObject({ maxBytes: z.number().optional() }).optional(),
});

/** The state of recorded servers at a moment of the record. */
export interface Moment {
  at: Date;
  /** Servers that could not be reached then. */
  missing: readonly string[];
}

/**
 * One source for each recorded server.
 * @param moment of the iteration that connects: the newest list up to then counts.
 * @param answer answers every call.
 */
export function recordedSources(
  lists: readonly ToolList[],
  moment: () => Moment,
  answer: AnswerCall,
): ToolSource[] {
  return [...new Set(lists.map(({ server }) => server))].map((name) => {
    const own = lists
      .filter(({ server }) => server === name)
      .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
    const read = new Map(own.map((list) => [list, listSchema.safeParse(parseJson(list.list ?? '')).data]));
    return {
      name,
      async connect() {
        const { at, missing } = moment();
        if (missing.includes(name))
          throw new RetryableError(
            'TOOL_SERVER_UNAVAILABLE',
            `"${name}" was unavailable in the recorded session.`,
          );
        const list = own.findLast(({ createdAt }) => createdAt <= at) ?? own[0];
        const found = list && read.get(list);
        const { tools = [], instructions, scope, results } = found ?? {};
        return {
          tools: tools as unknown as ToolDefinition[],
          ...(instructions !== undefined && { instructions }),
          ...(scope !== undefined && { scope }),
          ...(results !== undefined && { results: results as object }),
          call: async (call: ToolCall) => answer(call),
          close: () => Promise.resolve(),
        };
      },
    };
  });
}

/** Whether every list was stored whole, so that the tools are known. */
export const areToolsRecorded = (lists: readonly ToolList[]): boolean =>
  lists.every(({ list }) => list !== null);
