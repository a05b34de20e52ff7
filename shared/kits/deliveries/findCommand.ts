// The command to run first: from the summary, else from the next steps of the analysis. Pure.

import { isCommand, NEXT_STEPS, stepInLine } from '../../text/commands.ts';
import { MAX_LINE, oneLine } from './oneLine.ts';

/** A heading, or a lead-in such as `**What to do now** (high):`, with the text behind it. */
const HEADING =
  /^\s*(?:#{1,6}\s+(.{1,60}?)\s*#*$|(?:\d+[.)]\s+)?\*\*([^*]{1,60}?):?\*\*(?:\s*\([^)]{1,40}\))?\s*(?::|$)?(.*)$)/;
const FENCE = /^\s*(?:`{3,}|~{3,})/;
const INLINE = /`([^`]+)`/g;

/** A line of an analysis: its code, and whether it belongs to the next steps. */
interface Line {
  codes: string[];
  isNextStep: boolean;
}

/** The command of a result, and its summary without the line that has it. */
interface FoundCommand {
  /** As it stands there; null without one, and for one that would be copied wrong. */
  command: string | null;
  /** Null without a summary. */
  rest: string | null;
}

/** Finds the command. A sentence that starts like a command is none. */
export function findCommand(summary: string | null, analysis: string | null): FoundCommand {
  const read = readLines(analysis ?? '');
  const codes = read.flatMap((line) => line.codes);
  const lines = (summary ?? '').split('\n');
  for (const [index, line] of lines.entries()) {
    const step = stepInLine(line.trim(), codes);
    if (step !== undefined && isExact(step.command))
      return { command: step.command, rest: lines.toSpliced(index, 1).join('\n') };
  }
  const steps = read.flatMap((line) => (line.isNextStep ? line.codes : []));
  return { command: steps.find((code) => isCommand(code) && isExact(code)) ?? null, rest: summary };
}

/** Whether a command is shown unchanged: not cut, no hidden characters, no masked secret. */
const isExact = (command: string): boolean =>
  oneLine(command, MAX_LINE) === command && !command.includes('[masked:');

/** The lines with their code. A block of several lines is no command. */
function readLines(analysis: string): Line[] {
  const found: Line[] = [];
  let isNextStep = false;
  let block: string[] | undefined;
  for (const line of analysis.split('\n')) {
    if (FENCE.test(line)) {
      if (block?.length === 1) found.push({ codes: block, isNextStep });
      block = block === undefined ? [] : undefined;
    } else if (block !== undefined) {
      if (line.trim() !== '') block.push(line.trim());
    } else {
      const [, heading, leadIn] = HEADING.exec(line) ?? [];
      const title = heading ?? leadIn;
      if (title !== undefined) isNextStep = NEXT_STEPS.test(title);
      found.push({ codes: [...line.matchAll(INLINE)].flatMap(([, code]) => code ?? []), isNextStep });
    }
  }
  return found;
}
