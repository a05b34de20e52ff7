// Reads an answer in the ReAct format (Thought, Action, Action Input, Final Answer). Every text has a meaning, if only
// that it is malformed and why. Never throws; takes linear time.

import { quote } from '../../text/quote.ts';
import { type Section, type SectionName, splitSections } from './sections.ts';
import { inputText, plainText, recoverAction, toolName } from './values.ts';

/**
 * The meaning of an answer. Exactly one of `hasAction`, `isFinalAnswer` and `isMalformed` is true. Texts that are absent
 * are empty.
 */
export interface ReactAnswer {
  thought: string;
  /** The tool's name as the model wrote it; set with `hasAction` only, like `actionInput`. */
  action: string;
  /** The arguments as they were written (see `argumentsOf`). */
  actionInput: string;
  /** Also set when the answer holds an action, which then counts instead. */
  finalAnswer: string;
  hasAction: boolean;
  isFinalAnswer: boolean;
  /** The action's name has no dot, so it cannot be `server.tool`. Whether one with a dot exists is for the caller to check. */
  isUnknownTool: boolean;
  isMalformed: boolean;
  /** What is wrong, for the model; empty when nothing is. */
  errorMessage: string;
  /** The headers that opened a section. */
  foundSections: Record<SectionName, boolean>;
}

interface Call {
  name: string;
  /** Undefined when no Action Input was seen; '' when it was empty. */
  input: string | undefined;
}

/** Some models write this when they call nothing. No tool has such a name: names of tools have a dot. */
const NO_TOOL = /^(?:none|n\/a)$/i;

/** Longest name that is quoted in a message, in characters. */
const MAX_QUOTE = 100;

/** Reads an answer. An action with an input wins over a final answer, in any order. */
export function parseReactAnswer(text: string): ReactAnswer {
  const { sections, answerText } = splitSections(text);
  const answerAt = sections.findIndex(({ name }) => name === 'finalAnswer');

  const whole = readCall(sections);
  if (whole.call?.input !== undefined) {
    const answer = sections[answerAt];
    return actionAnswer(sections, whole, answer === undefined ? '' : plainText(answer));
  }
  if (answerAt === -1) return malformedAnswer(sections, whole);

  // There is no call in the whole answer: headers after the final answer are part of its text.
  const before = sections.slice(0, answerAt + 1);
  const first = readCall(before);
  if (first.call?.input !== undefined) return actionAnswer(before, first, answerText);
  if (answerText === '') return malformedAnswer(before, first);
  return { ...emptyAnswer(before, first), finalAnswer: answerText, isFinalAnswer: true };
}

interface CallReading {
  /** The last call that names a tool. */
  call: Call | undefined;
  thought: string;
}

/** Finds the last call with its own input, and the last thought that is not empty. */
function readCall(sections: readonly Section[]): CallReading {
  const calls: Call[] = [];
  let orphan: string | undefined;
  let thought = '';
  for (const section of sections) {
    if (section.name === 'thought') thought = plainText(section) || thought;
    if (section.name === 'action') calls.push({ name: calledTool(section), input: undefined });
    if (section.name !== 'actionInput') continue;
    const input = inputText(section);
    const call = calls.at(-1);
    if (call === undefined) orphan = input || (orphan ?? '');
    else call.input = input || (call.input ?? '');
  }
  const call = calls.findLast(({ name }) => name !== '');
  if (orphan === undefined || (call !== undefined && call.input !== undefined)) return { call, thought };
  // An input before the only action belongs to that action. Without an Action header, the tool may still be recovered.
  if (call !== undefined && calls.length === 1) return { call: { ...call, input: orphan }, thought };
  if (calls.length > 0) return { call, thought };
  return recoverCall(sections, orphan, thought);
}

/**
 * The tool an action names. `None` and `N/A` count as no name. The rule "an action with a name and an input wins over a
 * final answer" does not say so; but by its letter the conclusion would be lost to an unknown tool called None.
 */
function calledTool(section: Section): string {
  const name = toolName(section);
  return NO_TOOL.test(name) ? '' : name;
}

function recoverCall(sections: readonly Section[], input: string, thought: string): CallReading {
  const found = recoverAction(sections);
  if (found === undefined) return { call: undefined, thought };
  const holder = sections[found.section];
  const isThought = holder?.name === 'thought' && plainText(holder) === thought;
  return { call: { name: found.name, input }, thought: isThought ? found.textBefore.trim() : thought };
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

function actionAnswer(sections: readonly Section[], reading: CallReading, finalAnswer: string): ReactAnswer {
  const { name = '', input = '' } = reading.call ?? {};
  const isUnknownTool = !name.includes('.');
  const errorMessage = isUnknownTool
    ? `Unknown tool "${quote(name, MAX_QUOTE)}": names of tools look like "server.tool".`
    : '';
  return {
    ...emptyAnswer(sections, reading),
    action: name,
    actionInput: input,
    finalAnswer,
    hasAction: true,
    isUnknownTool,
    errorMessage,
  };
}

function malformedAnswer(sections: readonly Section[], reading: CallReading): ReactAnswer {
  const answer = emptyAnswer(sections, reading);
  return { ...answer, isMalformed: true, errorMessage: describeFault(answer.foundSections, reading.call) };
}

/** The error message: what is missing, the most specific fault first. */
function describeFault(found: ReactAnswer['foundSections'], call: Call | undefined): string {
  if (call !== undefined) {
    return `The "Action Input:" of "Action: ${quote(call.name, MAX_QUOTE)}" is missing. Write it on its own line, {} when there are no arguments.`;
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
