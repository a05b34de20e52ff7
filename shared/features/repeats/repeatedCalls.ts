// Calls that an agent repeats although the same call was answered twice. They do not run: the model learns
// where their results are. Pure.

import type { ConversationMessage } from '../../core/contract/llm.ts';
import type { ToolCall, ToolDefinition, ToolResult } from '../../core/contract/tools.ts';
import { failedResult } from '../../core/kernel/state/callResult.ts';
import { innerCall } from '../../core/prompts/toolSearch.ts';
import { isOwnCall, type ToolResultBlock } from '../../core/schema/block.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { incrementalFold } from '../../text/incrementalFold.ts';
import { isObject } from '../../text/json.ts';

/** Maximum number of runs of the same read-only call. */
const MAX_RUNS = 2;

/** A call that a tool has answered or will answer. */
interface Run {
  /** `server.tool` */
  name: string;
  /** Its arguments as JSON with sorted keys: equal texts mean deeply equal arguments. */
  arguments: string;
  /** Undefined in conversations of older code. */
  iteration: number | undefined;
  /** Undefined for a call of the same answer. */
  result?: string;
}

/**
 * Returns results for the read-only calls of an answer that were answered twice before with deeply equal
 * arguments, in this answer or in the conversation. Calls that no tool answered do not count. Calls with side
 * effects are never included.
 * @param known ids of calls that do not run for another reason.
 */
export function repeatedCallResults(
  calls: readonly ToolCall[],
  known: ReadonlySet<string>,
  {
    conversation,
    tools,
    iteration,
  }: {
    conversation: readonly ConversationMessage[];
    tools: readonly ToolDefinition[];
    iteration: number;
  },
): ToolResult[] {
  const sameAnswer: Run[] = [];
  const answered = answeredCalls(conversation).runs;
  return calls.flatMap((call) => {
    const isReadOnly = tools.find(({ name }) => name === call.name)?.readOnly === true;
    if (!isReadOnly || known.has(call.callId)) return [];
    const { name } = call;
    const args = sortedArguments(call.arguments);
    const isSame = (run: Run): boolean => run.name === name && run.arguments === args;
    const same = [
      ...(answered.get(formatRunKey({ name, arguments: args })) ?? []),
      ...sameAnswer.filter(isSame),
    ];
    const [first, second] = same.slice(-MAX_RUNS);
    if (first !== undefined && second !== undefined) {
      return [{ ...failedResult(call, feedbackText(name, first, second)), isError: false }];
    }
    sameAnswer.push({ name, arguments: args, iteration });
    return [];
  });
}

type Call = Omit<Run, 'result'>;
type Calls = ReadonlyMap<string, Call>;

function indexAnswerCalls({ blocks, iteration }: ConversationMessage): Calls {
  return new Map(
    blocks.filter(isOwnCall).map(({ toolUseId, toolName, input }): [string, Call] => {
      const call = innerCall({ name: toolName, arguments: input });
      return [toolUseId, { name: call.name, arguments: sortedArguments(call.arguments), iteration }];
    }),
  );
}

/** The calls among `calls` whose results a message contains. */
function listCallRuns({ blocks }: ConversationMessage, calls: Calls): Run[] {
  return blocks.flatMap((block) => {
    if (block.blockType !== 'tool_result' || block.noAnswer) return [];
    const call = calls.get(block.toolUseId);
    return call === undefined ? [] : [{ ...call, result: comparableResult(block) }];
  });
}

/**
 * The answered calls of a conversation, in order, by `formatRunKey`. Results follow the message with their
 * calls.
 */
const answeredCalls = incrementalFold(
  () => ({ open: new Map() as Calls, runs: new Map<string, Run[]>() }),
  (read, message: ConversationMessage) => {
    if (message.role === 'assistant') read.open = indexAnswerCalls(message);
    else for (const run of listCallRuns(message, read.open)) addRun(read.runs, run);
  },
);

function addRun(runs: Map<string, Run[]>, run: Run): void {
  const same = runs.get(formatRunKey(run));
  if (same === undefined) runs.set(formatRunKey(run), [run]);
  else same.push(run);
}

const formatRunKey = ({ name, arguments: args }: Pick<Run, 'name' | 'arguments'>): string =>
  `${name} ${args}`;

function sortedArguments(json: string): string {
  return JSON.stringify(parseCallArguments(json), (_, value: unknown) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
}

/** The text by which two results are compared: the digest for a result that is shown in part. */
function comparableResult({ stored, textContent }: ToolResultBlock): string {
  return stored?.digest ?? textContent;
}

function feedbackText(name: string, first: Run, second: Run): string {
  return [
    `Not run: ${name} was called with these arguments ${describeRunPlaces(first, second)} already.`,
    ...comparisonLines(first, second),
    'Work with what it returned. To learn more, call another tool, or this one with other arguments; if nothing is left to ask, conclude.',
  ].join(' ');
}

function describeRunPlaces(first: Run, second: Run): string {
  if (first.iteration === undefined || second.iteration === undefined) return 'twice';
  if (first.iteration === second.iteration) return `twice in iteration ${first.iteration}`;
  return `in iterations ${first.iteration} and ${second.iteration}`;
}

function comparisonLines(first: Run, second: Run): string[] {
  if (first.result === undefined || second.result === undefined) return [];
  return first.result === second.result
    ? ['Its result was the same both times.']
    : ['Its result had changed in between; the later one is the newest.'];
}
