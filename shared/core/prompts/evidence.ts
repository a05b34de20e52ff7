// The actions of an agent as text: its calls with the head of each result, within a limit.

import { limitHead } from '../../text/limitText.ts';
import type { EventStatus } from '../schema/timelineEvent.ts';

/** An action of an agent, with its result. */
export interface Step {
  /** For a tool call its name and arguments. */
  what: string;
  /** The result or its head; empty when there is none. */
  result: string;
  /** UTF-8 bytes of the whole result; those of `result` when absent. */
  resultBytes?: number;
  /** Of its result. */
  status: EventStatus | 'no result';
}

/** The actions of an agent. */
export interface Evidence {
  /** The calls with the heads of their results, the oldest first. */
  steps: Step[];
  /** Number of earlier events that were not read, because they are too many or cannot be read. */
  unread: number;
}

/** Minimum bytes of a step: shorter ones have no information, so the oldest steps are omitted instead. */
const MIN_STEP_BYTES = 200;
/** Maximum bytes of a step: enough to recognise the content of a result. */
const MAX_STEP_BYTES = 4_000;
/** Share of a step's bytes for the call; the rest is for the result. */
const WHAT_SHARE = 0.4;
const INDENTATION = '    ';

/**
 * The steps in order, each with an equal share of `maxBytes`, at most 4 kB. A line counts the omitted steps,
 * which are the oldest. Results are indented, so that no line of them can be taken for a heading.
 */
export function describeSteps({ steps, unread }: Evidence, maxBytes: number): string {
  if (steps.length + unread === 0) return '(none: no tool was called)';
  const shown = Math.min(steps.length, Math.floor(maxBytes / MIN_STEP_BYTES));
  const room = Math.min(MAX_STEP_BYTES, Math.floor(maxBytes / Math.max(1, shown)));
  const lines = steps.slice(steps.length - shown).map((step) => describeStep(step, room));
  const omitted = steps.length - shown;
  return [
    ...(unread > 0 ? [`(Earlier events not shown: ${unread}.)`] : []),
    ...(omitted > 0 ? [`(Earlier steps not shown: ${omitted}.)`] : []),
    ...lines,
  ].join('\n');
}

function describeStep({ what, result, resultBytes, status }: Step, maxBytes: number): string {
  const whatRoom = Math.floor(maxBytes * WHAT_SHARE);
  const head = indentLines(limitHead(what.trim(), whatRoom), '  ').trimStart();
  const first = `- ${head} → ${status}`;
  const text = result.trimEnd();
  if (text === '') return first;
  const room = maxBytes - Buffer.byteLength(first);
  // The indentation counts, too: it makes a text of short lines several times as long.
  const growth = Buffer.byteLength(indentLines(text)) / Buffer.byteLength(text);
  return `${first}\n${indentLines(limitHead(text, Math.floor(room / growth), resultBytes))}`;
}

/** Every line of `text` behind `indentation`. */
export function indentLines(text: string, indentation = INDENTATION): string {
  return text.replace(/^/gmu, indentation);
}
