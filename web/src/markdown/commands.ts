// The command that an analysis asks for first: from its summary, else from its next steps.

import type { InlineCode, Nodes, RootContent } from 'mdast';
import {
  DEFAULT_LABEL,
  isCommand,
  NEXT_STEPS,
  type NextStep,
  stepInLine,
} from '../../../shared/text/commands.ts';
import type { Part } from './leadInHeadings.ts';
import { listNodeChildren, plainText } from './parse.ts';

interface SplitSummary {
  step: NextStep | undefined;
  rest: string;
}

/** The next step of an analysis, and its summary without the line that has it. */
export function splitSummary(summary: string, parts: readonly Part[]): SplitSummary {
  const codes = parts.flatMap(({ nodes }) => nodes.flatMap(findNodeCodes)).map(({ value }) => value);
  const lines = summary.split('\n');
  for (const [index, line] of lines.entries()) {
    const step = stepInLine(line.trim(), codes);
    if (step === undefined) continue;
    return { step, rest: lines.toSpliced(index, 1).join('\n').trim() };
  }
  return { step: stepInParts(parts), rest: summary };
}

function stepInParts(parts: readonly Part[]): NextStep | undefined {
  const nextSteps = parts.filter(({ title }) => NEXT_STEPS.test(title));
  for (const block of nextSteps.flatMap(({ nodes }) => nodes).flatMap(listNodeBlocks)) {
    const command = findNodeCodes(block).find(
      ({ value }) => isCommand(value) && !value.includes('\n'),
    )?.value;
    if (command !== undefined) return { label: labelBefore(block, command), command };
  }
  return undefined;
}

function listNodeBlocks(node: RootContent): Nodes[] {
  return node.type === 'list' ? [...node.children] : [node];
}

function findNodeCodes(node: Nodes): (InlineCode | Extract<Nodes, { type: 'code' }>)[] {
  if (node.type === 'inlineCode' || node.type === 'code') return [node];
  return listNodeChildren(node).flatMap(findNodeCodes);
}

/** The words before a command, if they are a label: `Roll back:`. */
function labelBefore(block: Nodes, command: string): string {
  const text = plainText(block);
  const before = text.slice(0, text.indexOf(command)).trim();
  const words = before.replace(/[:\s]+$/, '');
  return before.endsWith(':') && words.length >= 2 && words.length <= 40 ? words : DEFAULT_LABEL;
}
