// The tools of a case: recorded answers by their arguments, changed by the arm of an evaluation.

import type { ToolCall, ToolDefinition, ToolOutcome, ToolSource } from '../contract/tools.ts';
import { parseCallArguments } from '../text/callArguments.ts';
import type { Case, CaseTool, Truth } from './caseFile.ts';

/**
 * `base`: as recorded. `withheld`: without the lines that prove the cause. `planted`, `distractor`: with a misleading text.
 * `healthy`: all is well.
 */
export const ARMS = ['base', 'withheld', 'planted', 'distractor', 'healthy'] as const;
/** How the answers of a case are changed. */
export type Arm = (typeof ARMS)[number];

/** The calls of a run. */
export interface CallCounts {
  calls: number;
  /** Calls that the case has no answer for. */
  unrecorded: number;
}

/** The tools of a case in an arm. */
export function toolsOfArm({ tools }: Pick<Case, 'tools'>, truth: Truth, arm: Arm): CaseTool[] {
  const change = (tool: CaseTool, edit: (text: string) => string): CaseTool => ({
    ...tool,
    answers: tool.answers.map((one) => ({ ...one, text: edit(one.text) })),
    ...(tool.otherwise !== undefined && { otherwise: edit(tool.otherwise) }),
  });
  return tools.map((tool) => {
    if (arm === 'base') return tool;
    if (arm === 'withheld') return change(tool, (text) => withoutLines(text, truth.evidence));
    if (arm === 'healthy') {
      const well = truth.healthy[tool.name];
      return change(tool, (text) => well ?? withoutLines(text, truth.evidence));
    }
    const added = truth[arm];
    return tool.name === added.tool ? change(tool, (text) => `${text.trimEnd()}\n${added.text}`) : tool;
  });
}

/** The text without the lines that hold one of the values. A text without any line left says so. */
function withoutLines(text: string, values: readonly string[]): string {
  const kept = text.split('\n').filter((line) => !values.some((value) => line.includes(value.trim())));
  return kept.join('\n').trim() === '' ? 'No data.' : kept.join('\n');
}

/** Sources that answer as the case has it, and count. */
export function caseSources(tools: readonly CaseTool[], counts: CallCounts): ToolSource[] {
  const servers = [...new Set(tools.map(({ name }) => serverOf(name)))];
  return servers.map((server) => {
    const own = tools.filter(({ name }) => serverOf(name) === server);
    return {
      name: server,
      connect: () =>
        Promise.resolve({
          tools: own.map(definitionOf),
          call: (call: ToolCall) => Promise.resolve(answerCall(own, call, counts)),
          close: () => Promise.resolve(),
        }),
    };
  });
}

const serverOf = (name: string): string => name.slice(0, name.indexOf('.'));

function definitionOf({ name, description, parameters, yields }: CaseTool): ToolDefinition {
  const properties = Object.fromEntries(parameters.map((one) => [one, { type: ['string', 'number'] }]));
  return { name, description, inputSchema: { type: 'object', properties }, readOnly: true, yields };
}

/** Exact arguments first, then a recorded superset, cut to the request. */
function answerCall(tools: readonly CaseTool[], call: ToolCall, counts: CallCounts): ToolOutcome {
  counts.calls++;
  const tool = tools.find(({ name }) => name === call.name);
  const asked = parseCallArguments(call.arguments);
  const known = tool?.answers ?? [];
  const exact = known.find((one) => fits(one.arguments, asked, []));
  const wider = known.find((one) => fits(one.arguments, asked, tool?.covers ?? []));
  const found = exact ?? wider;
  if (found !== undefined) {
    const tail = exact === undefined && tool?.covers.includes('tail') ? Number(asked.tail) : Number.NaN;
    const lines = found.text.trimEnd().split('\n');
    const content = Number.isNaN(tail) ? found.text : lines.slice(-tail).join('\n');
    return { content, isError: found.error, timedOut: false };
  }
  if (tool?.otherwise !== undefined) {
    const content = tool.otherwise.replace(/\$\{(\w+)\}/g, (_, name: string) => String(asked[name] ?? ''));
    return { content, isError: false, timedOut: false };
  }
  counts.unrecorded++;
  return {
    content: 'Not recorded: this case has no answer to these arguments.',
    isError: true,
    timedOut: false,
  };
}

function fits(
  recorded: Record<string, string | number | boolean>,
  asked: Record<string, unknown>,
  covers: readonly string[],
): boolean {
  const names = new Set([...Object.keys(recorded), ...Object.keys(asked)]);
  return [...names].every((name) => {
    const [has, wants] = [recorded[name], asked[name]];
    if (String(has) === String(wants)) return true;
    return (
      covers.includes(name) && (has === undefined || wants === undefined || Number(has) >= Number(wants))
    );
  });
}
