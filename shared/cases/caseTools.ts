// The tools of a case: recorded answers by their arguments, changed by the arm of an evaluation.

import { isDeepStrictEqual } from 'node:util';
import type {
  ExecuteOptions,
  ToolCall,
  ToolDefinition,
  ToolOutcome,
  ToolSource,
} from '../core/contract/tools.ts';
import { CONTRAST_STRATEGY } from '../core/schema/agent.ts';
import { isForContrast as isContrastId } from '../schema/collected.ts';
import { parseCallArguments } from '../text/callArguments.ts';
import type { Case, CaseTool, Truth } from './caseFile.ts';
import { findAnswer } from './findAnswer.ts';

/**
 * `base`: as recorded. `withheld`: without the lines that prove the cause. `planted`, `distractor`: with a
 * misleading text. `healthy`: all is well.
 */
export const ARMS = ['base', 'withheld', 'planted', 'distractor', 'healthy'] as const;
/** How the answers of a case are changed. */
export type Arm = (typeof ARMS)[number];

/** The calls of a run. */
export interface CallCounts {
  calls: number;
  /** Calls that the case has no answer for, as `tool arguments`. */
  unrecorded: string[];
  /** All calls, in their order, as `tool arguments`. Absent: they are not kept. */
  log?: string[];
}

/** Whether a case can be run in an arm: its truth has the data of it. */
export function hasArm({ evidence, planted, distractor, healthy }: Truth, arm: Arm): boolean {
  const data = { base: true, withheld: evidence.length > 0, planted, distractor, healthy }[arm];
  return data !== undefined && data !== false;
}

/** The tools of a case in an arm. */
export function toolsOfArm({ tools }: Pick<Case, 'tools'>, truth: Truth, arm: Arm): CaseTool[] {
  const change = (tool: CaseTool, edit: (text: string) => string): CaseTool => ({
    ...tool,
    answers: tool.answers.map((one) => ({ ...one, text: edit(one.text) })),
    ...(tool.rows !== undefined && { rows: edit(tool.rows) }),
    ...(tool.otherwise !== undefined && { otherwise: edit(tool.otherwise) }),
  });
  return tools.map((tool) => {
    if (arm === 'base') return tool;
    if (arm === 'withheld') return change(tool, (text) => withoutLines(text, truth.evidence));
    if (arm === 'healthy') {
      const well = truth.healthy?.[tool.name];
      if (typeof well === 'string') return change(tool, () => well);
      const answers = tool.answers.map(
        (one) =>
          well?.find((other) => isDeepStrictEqual(other.arguments, one.arguments)) ?? {
            ...one,
            text: withoutLines(one.text, truth.evidence),
          },
      );
      return { ...tool, answers };
    }
    const added = truth[arm];
    return tool.name === added?.tool ? change(tool, (text) => `${text.trimEnd()}\n${added.text}`) : tool;
  });
}

/** The text without the lines that hold one of the values. A text without any line left says so. */
function withoutLines(text: string, values: readonly string[]): string {
  const kept = text.split('\n').filter((line) => !values.some((value) => line.includes(value.trim())));
  return kept.join('\n').trim() === '' ? 'No data.' : kept.join('\n');
}

/**
 * Sources that answer as the case has it, and count.
 * @param at the end of time ranges without one.
 * @param names those that agents can name: a server without a tool in this case is there, and empty.
 */
export function caseSources(
  tools: readonly CaseTool[],
  counts: CallCounts,
  at: Date,
  names: readonly string[] = [],
): ToolSource[] {
  const servers = new Set([...tools.map(({ name }) => cutServerName(name)), ...names]);
  const answer = createAnswers(tools, counts, at);
  return [...servers].map((server) => {
    const own = tools.filter(({ name }) => cutServerName(name) === server);
    return {
      name: server,
      connect: () =>
        Promise.resolve({
          tools: own.map(defineCaseTool),
          call: (call: ToolCall, options: ExecuteOptions) =>
            Promise.resolve(answer(call, options) ?? NOT_RECORDED),
          close: () => Promise.resolve(),
        }),
    };
  });
}

const cutServerName = (name: string): string => name.slice(0, name.indexOf('.'));

function defineCaseTool({ name, description, parameters, schema, yields, fields }: CaseTool): ToolDefinition {
  const properties = Object.fromEntries(parameters.map((one) => [one, { type: ['string', 'number'] }]));
  const inputSchema = schema ?? { type: 'object', properties };
  return { name, description, inputSchema, readOnly: true, yields, ...(fields && { fields }) };
}

/** The outcome of a call without an answer, which the model can react to. */
export const NOT_RECORDED: ToolOutcome = {
  content: 'Not recorded: there is no answer to these arguments.',
  isError: true,
  timedOut: false,
};

/**
 * Answers calls as they were recorded: exact arguments first, then a recorded superset cut to the request,
 * then `otherwise`, then as the server answers for an unknown object.
 * @returns undefined for a call without an answer. It is counted, and so is one about an unknown object.
 * Those for contrast are not.
 */
export function createAnswers(
  tools: readonly CaseTool[],
  counts: CallCounts,
  at: Date,
): (
  call: Pick<ToolCall, 'name' | 'arguments'> & Partial<ToolCall>,
  options?: Pick<ExecuteOptions, 'idempotencyKey'>,
) => ToolOutcome | undefined {
  const asked = new Map<string, number>();
  return (call, options) => {
    const isCounted = options === undefined || !isForContrast(call, options);
    if (isCounted) counts.calls++;
    const tool = tools.find(({ name }) => name === call.name);
    const given = parseCallArguments(call.arguments);
    const key = `${call.name} ${call.arguments}`;
    const nth = asked.get(key) ?? 0;
    asked.set(key, nth + 1);
    if (isCounted) counts.log?.push(key);
    const found = findAnswer(tool?.answers ?? [], given, { covers: tool?.covers ?? [], at, nth });
    if (found !== undefined)
      return { content: found.text, isError: found.answer.error, timedOut: found.answer.timedOut };
    if (tool?.rows !== undefined)
      return { content: filterTableRows(tool.rows, given), isError: false, timedOut: false };
    if (!isCounted) return undefined;
    const { otherwise, unknown = undefined } = tool ?? {};
    if (otherwise === undefined) counts.unrecorded.push(key);
    const text = otherwise ?? unknown?.text;
    if (text === undefined) return undefined;
    const content = text.replace(/\$\{(\w+)\}/g, (_, name: string) => String(given[name] ?? ''));
    return { content, isError: otherwise === undefined && unknown?.error === true, timedOut: false };
  };
}

/** Whether code makes a call for contrast: one without an answer was not asked. */
export const isForContrast = (
  { callId = '' }: Partial<ToolCall>,
  { idempotencyKey }: Pick<ExecuteOptions, 'idempotencyKey'>,
): boolean =>
  isContrastId(callId) || idempotencyKey.split('/')[1]?.endsWith(`-${CONTRAST_STRATEGY}`) === true;

/** Rows of a table that a call gets without a limit of its own. */
const DEFAULT_ROWS = 50;

function filterTableRows(table: string, { contains, limit }: Record<string, unknown>): string {
  const [head = '', ...rows] = table.split('\n');
  const words = String(contains ?? '')
    .toLowerCase()
    .split(/\s+/);
  const found = rows.filter((row) => words.every((word) => row.toLowerCase().includes(word)));
  const shown = found.slice(0, Number(limit) || DEFAULT_ROWS);
  return [head, ...shown, `${shown.length} of ${found.length} rows`].join('\n');
}
