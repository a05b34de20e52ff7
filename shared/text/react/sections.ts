// Splits a ReAct answer into its sections, in order; parseAnswer.ts interprets them. One pass, linear time.

import { meansNoAnswer } from './absence.ts';
import { closesFence, type Fence, opensFence, unwrapFence } from './fences.ts';
import {
  findHeaderAtStart,
  findHeaderInside,
  type Header,
  removeClosingMarkup,
  type SectionName,
} from './headers.ts';
import { createStringScanner } from './openString.ts';
import { readQuotations } from './quotations.ts';

/** A header's name and the text that follows it. */
export interface Section {
  /** `none`: text that belongs to no header. */
  name: SectionName | 'none';
  /** First the rest of the header's own line, then whole lines, less the indentation of the header. */
  lines: string[];
  /** Index of the header's line in the answer. */
  line: number;
  /** Whether a code fence was opened before it. */
  isBehindFence: boolean;
}

/** The result of `splitSections`. */
export interface SplitAnswer {
  sections: Section[];
  /** The text from the first `Final Answer:` to the end, later headers included. */
  answerText: string;
  /** How many lines of the answer open or close a fence, without a fence that holds the whole answer. */
  fenceLines: number;
  /** Whether a header is inside a fence, where it is text. */
  hasFencedHeader: boolean;
  /** Whether the string of an input is never closed, and a header follows in it. */
  hasOpenString: boolean;
}

/** A YAML value that goes on in the more indented lines below: `script: |`. */
const BLOCK_SCALAR = /(?:^|[:-][ \t]+)[|>][+-]?[1-9]?[+-]?[ \t]*(?:#.*)?$/;
/** Characters of a final answer that decide whether it has content. */
const ANSWER_START = 300;

/**
 * The sections of an answer up to an invented observation. After a final answer with content, and inside
 * fences, block scalars and strings of an input's object, nothing is a header.
 * @param concluding for an answer in which no tool can be called: everything after the first `Final Answer:`
 *   is its text, and nothing ends it.
 */
export function splitSections(text: string, { concluding = false } = {}): SplitAnswer {
  let current: Section = { name: 'none', lines: [], line: 0, isBehindFence: false };
  const sections = [current];
  const answerLines: string[] = [];
  let indentation = 0;
  let answerIndentation = 0;
  let answerStart = '';
  let hasAction = false;
  let hasAnswer = false;
  let isAnswered = false;
  let fence: Fence | undefined;
  let fenceLines = 0;
  let blockIndentation: number | undefined;
  let hasFencedHeader = false;
  let strings = createStringScanner();
  let hasHeaderInString = false;

  function openSection(name: Section['name'], line: number, lineIndentation: number): void {
    current = { name, lines: [], line, isBehindFence: fenceLines > 0 };
    indentation = lineIndentation;
    strings = createStringScanner();
    sections.push(current);
    hasAction ||= name === 'action';
    answerStart = '';
    if (name === 'finalAnswer' && !hasAnswer) {
      hasAnswer = true;
      answerIndentation = lineIndentation;
    }
  }

  /** Whether a line belongs to a string, a fence or a block scalar that was opened above it. */
  function isInside(rawLine: string): boolean {
    if (strings.isOpen()) {
      hasHeaderInString ||= findHeaderAtStart(rawLine.trim()) !== undefined;
      return true;
    }
    if (fence !== undefined) {
      hasFencedHeader ||= findHeaderAtStart(rawLine.trim()) !== undefined;
      if (closesFence(fence, rawLine)) fence = undefined;
      return true;
    }
    if (blockIndentation === undefined) return false;
    if (rawLine.trim() === '' || countIndentation(rawLine) > blockIndentation) return true;
    blockIndentation = undefined;
    return false;
  }

  /** Opens the sections that start in a line. Returns the text after its last header. */
  function readHeaders(rawLine: string, lineNumber: number): string {
    const trimmed = rawLine.trim();
    const lineIndentation = countIndentation(rawLine);
    const first = findHeaderAtStart(trimmed);
    if (first === undefined && isObservation(trimmed) && isCall(current)) {
      openSection('none', lineNumber, lineIndentation);
      return removeIndentation(rawLine, lineIndentation);
    }
    const line =
      first === undefined
        ? removeIndentation(rawLine, indentation)
        : removeClosingMarkup(rawLine.trimStart(), first);
    if (first !== undefined) openSection(first.name, lineNumber, lineIndentation);
    const isQuoted = readQuotations(line);
    let from = first?.valueStart ?? 0;
    let position = from;
    while (current.name !== 'actionInput' && current.name !== 'finalAnswer') {
      const header = findHeaderInside(line, position, current.name === 'action');
      if (header === undefined) break;
      position = header.valueStart;
      if (isQuoted(header.textEnd, header.nameStart)) continue;
      if (!countsInside(header, current, first, hasAction)) continue;
      current.lines.push(line.slice(from, header.textEnd));
      openSection(header.name, lineNumber, lineIndentation);
      from = header.valueStart;
    }
    return line.slice(from);
  }

  for (const [lineNumber, rawLine] of unwrapFence(text.split(/\r\n|\r|\n/)).entries()) {
    const isText = isAnswered || isInside(rawLine);
    if (!isText && !concluding && isInvention(rawLine.trim())) break;
    const hadAnswer = hasAnswer;
    const rest = isText ? removeIndentation(rawLine, indentation) : readHeaders(rawLine, lineNumber);
    current.lines.push(rest);
    if (hadAnswer) answerLines.push(removeIndentation(rawLine, answerIndentation));
    else if (hasAnswer) answerLines.push(rest);

    if (current.name === 'finalAnswer' && !isAnswered) {
      answerStart = `${answerStart} ${rest}`.trim().slice(0, ANSWER_START);
      isAnswered = concluding || !meansNoAnswer(answerStart);
    }
    if (current.name === 'actionInput' && fence === undefined && !concluding) strings.add(rest);
    const opened = opensFence(rest);
    if (opened !== undefined) fenceLines += 1;
    if (isText) continue;
    fence = opened;
    if (current.name === 'actionInput' && BLOCK_SCALAR.test(rest))
      blockIndentation = countIndentation(rawLine);
  }
  const hasOpenString = hasHeaderInString && strings.isOpen();
  return { sections, answerText: answerLines.join('\n').trim(), fenceLines, hasFencedHeader, hasOpenString };
}

function isCall(section: Section): boolean {
  return section.name === 'action' || section.name === 'actionInput';
}

/** Whether a header in a line opens a section. `first`: the header at the line's start. */
function countsInside(
  header: Header,
  current: Section,
  first: Header | undefined,
  hasAction: boolean,
): boolean {
  switch (header.name) {
    case 'thought':
      return current.name !== 'thought';
    case 'action':
      return true;
    case 'actionInput':
      return hasAction;
    case 'finalAnswer':
      return first === undefined || first.name === 'thought';
  }
}

function countIndentation(line: string): number {
  return line.length - line.trimStart().length;
}

/** Removes at most `count` blank characters from the start. */
function removeIndentation(line: string, count: number): string {
  let start = 0;
  while (start < count && start < line.length && line.charAt(start).trim() === '') start += 1;
  return line.slice(start);
}

const OBSERVATION = 'Observation:';
const MARKED_OBSERVATION = /^(?:#{1,6}\s*)?[*_`]{1,3}Observation(?:[*_`]{1,3}:|:)|^#{1,6}\s*Observation:/;
const BASED_ON = '[Based on';
/** An observation that holds one of these repeats the model's prompt; it is not an invented result. */
const REQUESTS = ['Please specify', 'what Action you want to take', 'Error in reasoning'];

/** Whether a trimmed line starts an invented result: only the runtime writes observations. */
function isInvention(line: string): boolean {
  if (line.startsWith(BASED_ON)) return true;
  const observes = isObservation(line) || MARKED_OBSERVATION.test(line);
  return observes && !REQUESTS.some((request) => line.includes(request));
}

/** Whether a trimmed line has the header of an observation, also of one that repeats the model's prompt. */
function isObservation(line: string): boolean {
  return line.startsWith(OBSERVATION);
}
