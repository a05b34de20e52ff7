// The command that an analysis asks for first: from its summary, else from its next steps.

import type { InlineCode, Nodes, RootContent } from 'mdast';
import type { Part } from './leadIns.ts';
import { childrenOf, plainText } from './parse.ts';

/** A command, and the text that names it. */
interface NextStep {
  /** `Do now`, `Roll back`. */
  label: string;
  command: string;
}

/** A summary without the line of its command. */
export interface SplitSummary {
  step: NextStep | undefined;
  rest: string;
}

/** Programs that commands of operators start with. */
const PROGRAMS =
  /^(?:sudo )?(?:kubectl|helm|gcloud|gsutil|bq|aws|az|oc|docker|podman|nerdctl|crictl|systemctl|journalctl|terraform|argocd|flux|istioctl|psql|mysql|redis-cli|mongosh|curl|ssh|git|nomad|consul|vault|eksctl|ansible(?:-playbook)?|rabbitmqctl|kafka-[\w-]+|doctl) \S/;
/** Words of sentences that follow a command without quotes. Such a line is not taken as a command. */
const PROSE = /[,;] | (?:and|then|or|to|if|because|which|so|until|before|after) /;
const LABEL = /^(?:[-*•]\s+|\d+[.)]\s*)?(?:\*\*)?([^:`]{2,40}?)(?:\*\*)?:(?:\*\*)?\s+(.+)$/;
const NEXT_STEPS = /what to do|do now|next steps?|mitigat|recommend|remed|fix|action/i;
const DEFAULT_LABEL = 'Do now';

/** Whether code in a text is a command, as a rule: it has a space in it. */
export function isCommand(code: string): boolean {
  return code.length >= 12 && /^\S+ \S/.test(code);
}

/** Whether a line is a command of an operator, and no sentence that starts with one. */
export function isCommandLine(line: string): boolean {
  return PROGRAMS.test(line) && !PROSE.test(line) && !line.includes('\n');
}

/**
 * The next step of an analysis, and its summary without the line that has it. A command without quotes is taken only
 * where its whole line is one, or where the analysis has the same command as code: a copied command has to be exact.
 */
export function splitSummary(summary: string, parts: readonly Part[]): SplitSummary {
  const codes = parts.flatMap(({ nodes }) => nodes.flatMap(codesOf)).map(({ value }) => value);
  const lines = summary.split('\n');
  for (const [index, line] of lines.entries()) {
    const step = stepInLine(line.trim(), codes);
    if (step === undefined) continue;
    return { step, rest: lines.toSpliced(index, 1).join('\n').trim() };
  }
  return { step: stepInParts(parts), rest: summary };
}

function stepInLine(line: string, codes: readonly string[]): NextStep | undefined {
  const [, label = DEFAULT_LABEL, text = line] = LABEL.exec(line) ?? [];
  const quoted = /^`([^`]+)`[.\s]*$/.exec(text)?.[1];
  if (quoted !== undefined && isCommand(quoted)) return { label, command: quoted };
  const command = text.replace(/\.$/, '');
  if (codes.includes(command) || codes.includes(text))
    return { label, command: codes.includes(text) ? text : command };
  return isCommandLine(command) ? { label, command } : undefined;
}

/** The first command of the next steps. */
function stepInParts(parts: readonly Part[]): NextStep | undefined {
  const nextSteps = parts.filter(({ title }) => NEXT_STEPS.test(title));
  for (const block of nextSteps.flatMap(({ nodes }) => nodes).flatMap(blocksOf)) {
    const command = codesOf(block).find(({ value }) => isCommand(value) && !value.includes('\n'))?.value;
    if (command !== undefined) return { label: labelBefore(block, command), command };
  }
  return undefined;
}

/** The items of lists, and other blocks. */
function blocksOf(node: RootContent): Nodes[] {
  return node.type === 'list' ? [...node.children] : [node];
}

/** All code in a node. */
function codesOf(node: Nodes): (InlineCode | Extract<Nodes, { type: 'code' }>)[] {
  if (node.type === 'inlineCode' || node.type === 'code') return [node];
  return childrenOf(node).flatMap(codesOf);
}

/** The words before a command, if they are a label: `Roll back:`. */
function labelBefore(block: Nodes, command: string): string {
  const text = plainText(block);
  const before = text.slice(0, text.indexOf(command)).trim();
  const words = before.replace(/[:\s]+$/, '');
  return before.endsWith(':') && words.length >= 2 && words.length <= 40 ? words : DEFAULT_LABEL;
}
