// The tools of a recorded session: sources that offer the recorded lists and answer with recorded results.

import * as z from 'zod';
import { KEEPS_LEDGER } from '../../core/contract/ledgerTool.ts';
import type {
  ExecuteOptions,
  MissingSource,
  ToolCall,
  ToolDefinition,
  ToolOutcome,
  ToolSource,
} from '../../core/contract/tools.ts';
import { BUILT_IN_TOOLS, type PlannedAgent } from '../../core/schema/agent.ts';
import { parseJson } from '../../text/json.ts';
import type { ToolList } from '../agents/toolList.ts';

/** Answers a call. `execution`: the id of the execution that calls, where it is known. */
type AnswerCall = (call: ToolCall, options: ExecuteOptions) => ToolOutcome | Promise<ToolOutcome>;

const listSchema = z.object({
  tools: z.array(z.looseObject({ name: z.string(), description: z.string(), readOnly: z.boolean() })),
  instructions: z.string().optional(),
  scope: z.record(z.string(), z.string()).optional(),
  results: z.looseObject({ maxBytes: z.number().optional() }).optional(),
});

interface Moment {
  at: Date;
  /** Servers and instances that could not be reached then. */
  missing: readonly MissingSource[];
}

const BUILT_IN = new Set<string>([...BUILT_IN_TOOLS, KEEPS_LEDGER]);

/** The servers that agents name. */
export function listToolServers(agents: Iterable<Pick<PlannedAgent, 'tools'>>): string[] {
  const tools = [...agents].flatMap((agent) => agent.tools).filter((tool) => !BUILT_IN.has(tool));
  return [...new Set(tools.map((tool) => tool.split('.', 1)[0] ?? ''))];
}

/**
 * One source for each recorded server, and for each that an agent names: one that was never reached offers
 * nothing.
 * @param named by agents.
 * @param moment of the iteration that connects: the newest list up to then counts.
 * @param answer answers every call.
 */
export function recordedSources(
  lists: readonly ToolList[],
  named: readonly string[],
  moment: () => Moment,
  answer: AnswerCall,
): ToolSource[] {
  return [...new Set([...lists.map(({ server }) => server), ...named])].map((name) => {
    const own = lists
      .filter(({ server }) => server === name)
      .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
    const read = new Map(own.map((list) => [list, listSchema.safeParse(parseJson(list.list ?? '')).data]));
    return {
      name,
      async connect() {
        const { at, missing } = moment();
        const outage = missing.find((one) => one.name === name);
        if (outage !== undefined) throw outage.error;
        const instances = missing.filter((one) => one.name.startsWith(`${name}/`));
        const list = own.findLast(({ createdAt }) => createdAt <= at) ?? own[0];
        const found = list && read.get(list);
        const { tools = [], instructions, scope, results } = found ?? {};
        return {
          tools: tools as unknown as ToolDefinition[],
          ...(instructions !== undefined && { instructions }),
          ...(scope !== undefined && { scope }),
          ...(results !== undefined && { results: results as object }),
          ...(instances.length > 0 && { missing: instances }),
          call: async (call: ToolCall, options: ExecuteOptions) => answer(call, options),
          close: () => Promise.resolve(),
        };
      },
    };
  });
}

/** Whether every list was stored whole, so that the tools are known. */
export const areToolsRecorded = (lists: readonly ToolList[]): boolean =>
  lists.every(({ list }) => list !== null);
