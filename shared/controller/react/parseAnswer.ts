// Reads an answer in the ReAct format (Thought, Action, Action Input, Final Answer). Pure and forgiving: whatever a model
// writes has a meaning, if only that the model must be told what was wrong with it. Never throws; takes linear time.

import { quote } from '../../text/quote.ts';
import { type Section, type SectionName, splitSections } from './sections.ts';
import { inputText, plainText, recoverAction, toolName } from './values.ts';

/** Exactly one of `hasAction`, `isFinalAnswer` and `isMalformed` is true. Absent texts are empty. */
export interface ReactAnswer {
  thought: string;
  /** The tool as it was named; set with `hasAction` only, like `actionInput`. */
  action: string;
  /** The arguments as they were written (see `argumentsOf`). */
  actionInput: string;
  /** Also set when an action beats it. */
  finalAnswer: string;
  hasAction: boolean;
  isFinalAnswer: boolean;
  /** The action names no `server.tool`. Whether a name with a dot exists is not known here. */
  isUnknownTool: boolean;
  isMalformed: boolean;
  /** What is wrong, for the model; empty when nothing is. */
  errorMessage: string;
  /** Headers that were seen and counted. */
  foundSections: Record<SectionName, boolean>;
}

interface Call {
  name: string;
  /** Undefined while no Action Input was seen; an empty one counts. */
  input: string | undefined;
}

/** What some models write when they call nothing. No tool is named so: names have a dot. */
const NO_TOOL = /^(?:none|n\/a)$/i;

/** Longest name that is quoted in a message, in characters. */
const MAX_QUOTE = 100;

/** Reads an answer. An action with its input beats a final answer, wherever they stand. */
export function parseReactAnswer(text: string): ReactAnswer {
  const { sections, answerText } = splitSections(text);
  const answerAt = sections.findIndex(({ name }) => name === 'finalAnswer');

  const whole = readCall(sections);
  if (whole.call?.input !== undefined) {
    const answer = sections[answerAt];
    return action(sections, whole, answer === undefined ? '' : plainText(answer));
  }
  if (answerAt === -1) return malformed(sections, whole);

  // No call in all of it: headers behind the final answer are its text.
  const before = sections.slice(0, answerAt + 1);
  const first = readCall(before);
  if (first.call?.input !== undefined) return action(before, first, answerText);
  if (answerText === '') return malformed(before, first);
  return { ...common(before, first), finalAnswer: answerText, isFinalAnswer: true };
}

interface CallReading {
  /** The last call that names a tool. */
  call: Call | undefined;
  thought: string;
}

/** The last call with its own input; the last thought that says something. */
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
  // An input that stands before the only action is the action's; without any action header the name may be found.
  if (call !== undefined && calls.length === 1) return { call: { ...call, input: orphan }, thought };
  if (calls.length > 0) return { call, thought };
  return recovered(sections, orphan, thought);
}

/**
 * The tool an action names. `None` and `N/A` count as no name, so that a final answer beside them wins. This goes beyond
 * the letter of the rule "an action that is not empty, with an input, beats a final answer": by it the conclusion
 * would be lost to an unknown tool called None.
 */
function calledTool(section: Section): string {
  const name = toolName(section);
  return NO_TOOL.test(name) ? '' : name;
}

function recovered(sections: readonly Section[], input: string, thought: string): CallReading {
  const found = recoverAction(sections);
  if (found === undefined) return { call: undefined, thought };
  const holder = sections[found.section];
  const isThought = holder?.name === 'thought' && plainText(holder) === thought;
  return { call: { name: found.name, input }, thought: isThought ? found.textBefore.trim() : thought };
}

function common(sections: readonly Section[], { thought }: CallReading): ReactAnswer {
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

function action(sections: readonly Section[], reading: CallReading, finalAnswer: string): ReactAnswer {
  const { name = '', input = '' } = reading.call ?? {};
  const isUnknownTool = !name.includes('.');
  const errorMessage = isUnknownTool
    ? `Unknown tool "${quote(name, MAX_QUOTE)}": names of tools look like "server.tool".`
    : '';
  return {
    ...common(sections, reading),
    action: name,
    actionInput: input,
    finalAnswer,
    hasAction: true,
    isUnknownTool,
    errorMessage,
  };
}

function malformed(sections: readonly Section[], reading: CallReading): ReactAnswer {
  const answer = common(sections, reading);
  return { ...answer, isMalformed: true, errorMessage: fault(answer.foundSections, reading.call) };
}

/** What is missing, most specific first. */
function fault(found: ReactAnswer['foundSections'], call: Call | undefined): string {
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
