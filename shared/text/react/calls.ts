// Finds the call of an answer: the last action that names a tool, with its own input.

import { objectOfInput } from './actionInput.ts';
import type { Section } from './sections.ts';
import { type FindTool, recoverAction, toolName } from './toolNames.ts';
import { inputText, plainText } from './values.ts';

/** An action and its input. */
export interface Call {
  name: string;
  /** Undefined when no Action Input was seen; '' when it was empty. */
  input: string | undefined;
  /** Index of the line of its Action header. */
  line: number;
  isBehindFence: boolean;
  /** Whether text follows it in the line that holds all of it: it is quoted in a sentence. */
  isQuoted: boolean;
}

/** Characters that can follow the input of a one-line call. */
const END_OF_LINE_CALL = /^[\s`*.)]*$/;
const MARKS_BEFORE = /^[\s`*]+/;

/** The call among some sections, and the text beside it. */
export interface CallReading {
  /** The last call that names a tool. */
  call: Call | undefined;
  thought: string;
  /** Whether a call was ignored because text follows it in its line. */
  hasTextBehindCall: boolean;
}

/** Whether a call has an Action Input. */
export function isComplete(call: Call | undefined): call is Call & { input: string } {
  return call?.input !== undefined;
}

/** Finds the last call with its own input, and the last thought that is not empty. */
export function readCall(sections: readonly Section[], findTool: FindTool): CallReading {
  const all: Call[] = [];
  let orphan: { input: string; isBehindFence: boolean } | undefined;
  let thought = '';
  for (const section of sections) {
    const { line, isBehindFence } = section;
    if (section.name === 'thought') thought = plainText(section) || thought;
    if (section.name === 'action') {
      all.push({ name: toolName(section, findTool), input: undefined, line, isBehindFence, isQuoted: false });
    }
    if (section.name !== 'actionInput') continue;
    const input = inputText(section);
    const call = all.at(-1);
    if (call === undefined) {
      orphan = { input: input || (orphan?.input ?? ''), isBehindFence };
    } else {
      call.isQuoted ||= call.line === line && hasTextBehind(input);
      call.input = input || (call.input ?? '');
    }
  }
  const calls = all.filter(({ isQuoted }) => !isQuoted);
  const hasTextBehindCall = calls.length < all.length;
  const call = calls.findLast(({ name }) => name !== '');
  const reading = { call, thought, hasTextBehindCall };
  if (orphan === undefined || isComplete(call)) return reading;
  // An input before the only action belongs to it. Without a header, the tool can be recovered.
  if (call !== undefined && all.length === 1) return { ...reading, call: { ...call, ...orphan } };
  return all.length > 0 ? reading : { ...reading, ...recoverCall(sections, orphan, thought, findTool) };
}

function hasTextBehind(input: string): boolean {
  const object = objectOfInput(input.replace(MARKS_BEFORE, ''));
  return object !== undefined && !END_OF_LINE_CALL.test(object.rest);
}

function recoverCall(
  sections: readonly Section[],
  input: { input: string; isBehindFence: boolean },
  thought: string,
  findTool: FindTool,
): Pick<CallReading, 'call' | 'thought'> {
  const found = recoverAction(sections, findTool);
  if (found === undefined) return { call: undefined, thought };
  const { name, section, textBefore } = found;
  const holder = sections[section];
  const isThought = holder?.name === 'thought' && plainText(holder) === thought;
  const call = { name, ...input, line: holder?.line ?? 0, isQuoted: false };
  return { call, thought: isThought ? textBefore.trim() : thought };
}
