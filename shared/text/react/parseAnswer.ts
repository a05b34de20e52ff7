// Reads an answer in the ReAct format (Thought, Action, Action Input, Final Answer). Every text has a
// meaning, if only that it is malformed and why. Never throws; takes linear time.

import { quoteText } from '../cut.ts';
import { type Call, type CallReading, isComplete, readCall } from './calls.ts';
import type { SectionName } from './headers.ts';
import { type Section, type SplitAnswer, splitSections } from './sections.ts';
import { anyTool, type FindTool } from './toolNames.ts';

/**
 * The meaning of an answer. Exactly one of `hasAction`, `isFinalAnswer` and `isMalformed` is true. Texts that
 * are absent are empty.
 */
export interface ReactAnswer {
  thought: string;
  /** The tool's name as the model wrote it; set with `hasAction` only, like `actionInput`. */
  action: string;
  /** The arguments as they were written (see `parseActionArguments`). */
  actionInput: string;
  /** Also set when the answer holds an action, which then counts instead. */
  finalAnswer: string;
  hasAction: boolean;
  isFinalAnswer: boolean;
  /** The action has no dot, so cannot be `server.tool`. The caller checks whether others exist. */
  isUnknownTool: boolean;
  isMalformed: boolean;
  /** The fault, as a sentence for the model; empty when there is none. */
  errorMessage: string;
  /** The headers that opened a section. */
  foundSections: Record<SectionName, boolean>;
}

/** Longest name that is quoted in a message, in characters. */
const MAX_QUOTE = 100;
const FENCED = 'Headers inside a code fence are text: write the sections outside of fences.';
const AMBIGUOUS_FENCES =
  'A code fence is not closed, so it is not clear which "Action:" is yours. Nothing was called: close every fence, or use none.';
const OPEN_STRING =
  'A string in the "Action Input:" is not closed, so it is not clear which "Action:" is yours. Nothing was called: close every string, with \\n for line breaks.';
const TEXT_BEHIND_CALL =
  'Text follows the "Action Input:" of a call that stands in one line. Nothing was called: write every section on a line of its own.';

/**
 * Reads an answer. The first of these counts: an action with an input, or a final answer.
 * @param findTool looks up a tool. Default: every name of the form `server.tool` is a read-only tool.
 */
export function parseReactAnswer(text: string, findTool: FindTool = anyTool): ReactAnswer {
  const split = splitSections(text);
  const { sections, answerText } = split;
  const answerAt = sections.findIndex(({ name }) => name === 'finalAnswer');

  const before = answerAt === -1 ? sections : sections.slice(0, answerAt + 1);
  const first = readCall(before, findTool);
  if (isComplete(first.call)) return actionAnswer(split, before, first, answerText);
  if (answerAt === -1) return malformedAnswer(sections, first, split);

  // Headers after a final answer are read only when the answer is empty.
  const behind = readCall(sections.slice(answerAt + 1), findTool);
  if (isComplete(behind.call) && findTool(behind.call.name) !== undefined) {
    return actionAnswer(split, sections, { ...behind, thought: behind.thought || first.thought }, answerText);
  }
  if (answerText === '') return malformedAnswer(before, first, split);
  return { ...emptyAnswer(before, first), finalAnswer: answerText, isFinalAnswer: true };
}

/** The thought and the headers of an answer; its kind is filled in by the caller. */
function emptyAnswer(sections: readonly Section[], { thought }: CallReading): ReactAnswer {
  const has = (name: SectionName): boolean => sections.some((section) => section.name === name);
  return {
    thought,
    action: '',
    actionInput: '',
    finalAnswer: '',
    hasAction: false,
    isFinalAnswer: false,
    isUnknownTool: false,
    isMalformed: false,
    errorMessage: '',
    foundSections: {
      thought: has('thought'),
      action: has('action'),
      actionInput: has('actionInput'),
      finalAnswer: has('finalAnswer'),
    },
  };
}

function actionAnswer(
  split: SplitAnswer,
  sections: readonly Section[],
  reading: CallReading,
  finalAnswer: string,
): ReactAnswer {
  const { name = '', input = '', isBehindFence = false } = reading.call ?? {};
  const answer = emptyAnswer(sections, reading);
  if (split.hasOpenString) return { ...answer, isMalformed: true, errorMessage: OPEN_STRING };
  if (isBehindFence && split.fenceLines % 2 === 1) {
    return { ...answer, isMalformed: true, errorMessage: AMBIGUOUS_FENCES };
  }
  const isUnknownTool = !name.includes('.');
  const errorMessage = isUnknownTool
    ? `Unknown tool "${quoteText(name, MAX_QUOTE)}": names of tools look like "server.tool".`
    : '';
  return {
    ...answer,
    action: name,
    actionInput: input,
    finalAnswer,
    hasAction: true,
    isUnknownTool,
    errorMessage,
  };
}

function malformedAnswer(
  sections: readonly Section[],
  reading: CallReading,
  { hasFencedHeader }: SplitAnswer,
): ReactAnswer {
  const answer = emptyAnswer(sections, reading);
  const fault = reading.hasTextBehindCall
    ? TEXT_BEHIND_CALL
    : describeFault(answer.foundSections, reading.call);
  return { ...answer, isMalformed: true, errorMessage: hasFencedHeader ? `${fault} ${FENCED}` : fault };
}

/** The error message with the missing parts, the most specific fault first. */
function describeFault(found: ReactAnswer['foundSections'], call: Call | undefined): string {
  if (call !== undefined) {
    return `The "Action Input:" of "Action: ${quoteText(call.name, MAX_QUOTE)}" is missing. Write it on its own line, {} when there are no arguments.`;
  }
  if (found.actionInput) {
    return found.action
      ? 'There is an "Action Input:", but the tool is missing: "Action:" names none.'
      : 'There is an "Action Input:", but the "Action:" with the name of the tool is missing.';
  }
  if (found.action)
    return 'The answer is incomplete: "Action:" names no tool and "Action Input:" is missing.';
  if (found.finalAnswer) return 'The answer is incomplete: "Final Answer:" is empty.';
  if (found.thought) {
    return 'There is only a "Thought:". Either "Action:" and "Action Input:" or "Final Answer:" must follow it.';
  }
  return 'No section of the format was found ("Thought:", "Action:", "Action Input:", "Final Answer:").';
}
