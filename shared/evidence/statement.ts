// The values and assertions of an analysis: which are in the results, in the alert, or follow from them.

import { readAssertions } from './assertions.ts';
import { deriveNumbers, isMissing } from './derivedNumbers.ts';
import { createDurations } from './durations.ts';
import type { Assertion } from './markUnchecked.ts';
import { createFind, createLookup, findName } from './matchValue.ts';
import { isName, readValue, roughly } from './readValue.ts';
import { type CheckedSource, indexSource } from './sourceIndex.ts';
import { stemsAround } from './stems.ts';
import { tokenizeText } from './tokens.ts';
import type { Value } from './values.ts';

/** A heading, or a bold start of a line, that starts a part. */
const HEADING = /^\s*(?:#{1,6}\s+(.*)|(?:[-*]\s+)?\*\*([^*\n]+?):?\*\*.*)$/;
const PROPOSALS =
  /\b(?:what to do|do now|next steps?|recommend\w*|remediation|mitigation|proposed|actions?|how to fix|follow[- ]?ups?)\b/i;
/** A command with an option, as code: an action, and no statement. */
const COMMAND = /`[^`\n]*\s--?\p{L}[^`\n]*`/gu;

/** A number, time or name of an analysis, or an assertion with a mark. */
export interface CheckedValue {
  /** As it is written. */
  text: string;
  kind: 'number' | 'time' | 'name' | Assertion['kind'];
  /** Its positions in the analysis, in UTF-16 units; -1 where the analysis has it in another form. */
  start: number;
  end: number;
  /**
   * `derived`: a sum, difference, ratio or percentage of values that are held. `absent`: no result has it.
   * `unchecked`: a result has such a value, but nothing shows that it is this one; or there are no results,
   * or some could not be read. `contradicted`: the results state the opposite. `claim`: a cause that the
   * verdict does not cover.
   */
  state: 'held' | 'alert' | 'derived' | 'absent' | 'unchecked' | 'contradicted' | 'claim';
  /** The result that has it. */
  result?: string;
}

/** Checks the values of texts against the results of one session. */
export type StatementCheck = (analysis: string) => CheckedValue[];

/**
 * Prepares the check of analyses against the results and the alert of a session.
 * @param areComplete whether `sources` are all results. Default: true.
 * @param covered the causes that the verdict names, in words. Their names, and those of the tools, count as
 * those of the alert. Default: none.
 * @param agents the names of the session's agents, which count in the same way. Default: none.
 */
export function createStatementCheck(
  sources: readonly CheckedSource[],
  alert: string,
  areComplete = true,
  covered: readonly string[] = [],
  agents: readonly string[] = [],
): StatementCheck {
  const results = sources.map(indexSource);
  const ofAlert = indexSource({ id: 'alert', text: alert });
  const tools = new Set(sources.map(({ tool = '' }) => tool));
  const known = indexSource({ id: 'known', text: [...covered, ...tools, ...agents].join('\n') });
  const lookup = createLookup([...results, ofAlert]);
  const find = createFind(results);
  const distances = createDurations(results);
  const canDecide = areComplete && results.length > 0;
  return (analysis) => {
    const { text, tokens } = tokenizeText(checkedText(analysis));
    const values: CheckedValue[] = [];
    const numbers = new Map<CheckedValue, Value>();
    for (const [index, token] of tokens.entries()) {
      const { start, end, word } = token;
      const value = readValue(tokens, index, text);
      const isOption = /(?:^|[\s`])--$/.test(text.slice(Math.max(0, start - 3), start));
      if (isOption || (value === undefined && !isName(word))) continue;
      const source =
        value === undefined
          ? findName([...results, ofAlert, known], word)
          : lookup.findValue(value, stemsAround(tokens, index, text));
      const isInResult = source !== undefined && results.includes(source);
      const isAbsent = canDecide && (value === undefined || !lookup.has(roughly(value)));
      const missing = isAbsent ? 'absent' : 'unchecked';
      const state = isInResult ? 'held' : source === undefined ? missing : 'alert';
      const kind = value?.kind ?? 'name';
      const checked = {
        text: text.slice(start, end),
        kind,
        start,
        end,
        state,
        ...(isInResult && { result: source.id }),
      };
      values.push(checked as CheckedValue);
      if (value !== undefined) numbers.set(checked as CheckedValue, value);
    }
    deriveNumbers(text, values, numbers);
    for (const one of values) {
      const value = numbers.get(one);
      if (isMissing(one) && value !== undefined && distances(value, text.slice(one.end)))
        one.state = 'derived';
    }
    const assertions = readAssertions(text, find, covered).map((one) => ({
      ...one,
      text: text.slice(one.start, one.end),
    }));
    return [values, assertions]
      .flatMap((ones) => placeParts<CheckedValue>(ones, analysis))
      .sort((a, b) => a.start - b.start);
  };
}

/**
 * The analysis without headings, numbers of lists, commands and proposals, which are not checked.
 * @param blank makes the text in their place. Default: nothing.
 */
function checkedText(analysis: string, blank: (part: string) => string = () => ''): string {
  let isProposal = false;
  const lines = analysis.split('\n').map((line) => {
    const [, heading, bold] = HEADING.exec(line) ?? [];
    const title = heading ?? bold;
    if (title !== undefined) isProposal = PROPOSALS.test(title);
    if (isProposal || heading !== undefined) return blank(line);
    return line.replace(/^\s*\d+[.)]\s/, blank).replace(COMMAND, blank);
  });
  return lines.join('\n');
}

/** Parts of the checked text in order, with positions in the analysis; -1 for another form there. */
function placeParts<T extends { text: string }>(
  parts: readonly T[],
  analysis: string,
): (T & { start: number; end: number })[] {
  const blanked = checkedText(analysis, (part) => ' '.repeat(part.length));
  let from = 0;
  return parts.map((one) => {
    const start = blanked.indexOf(one.text, from);
    if (start === -1) return { ...one, start: -1, end: -1 };
    from = start + one.text.length;
    return { ...one, start, end: from };
  });
}
