// Finds values of a claim verbatim in the stored results of tools.

import type { EventOf, TimelineEvent } from '../../../shared/api/types.ts';
import { stepId } from './address.ts';
import { shortName } from './steps.ts';

/** A line of a result that has a value. */
export interface Evidence {
  /** Address of the line within the page. */
  href: string;
  /** The place in words: `get_logs, line 38`. */
  where: string;
}

/** A value that more lines have is not specific. */
const MAX_PLACES = 5;
const WORD = /[\p{L}\p{N}_]/u;

/**
 * Finds values in results: the first line, or undefined where none has the value, and where too many have it.
 * @param events of the session. Only the texts that were read are searched.
 */
export function createEvidenceFinder(
  events: readonly TimelineEvent[],
): (value: string) => Evidence | undefined {
  const results = events.filter((event) => event.eventType === 'tool_result' && !event.metadata.isError);
  return (value) => {
    // A model writes 100,452 for the value 100452.
    const spellings = [value, value.replace(/(?<=\d),(?=\d{3})/g, '')];
    for (const spelling of new Set(spellings)) {
      const places = results.flatMap((event) => placesIn(event as EventOf<'tool_result'>, spelling));
      if (places.length > 0) return places.length > MAX_PLACES ? undefined : places[0];
    }
    return undefined;
  };
}

/** The lines that have a value as whole words, at most one more than a specific value has. */
function placesIn(event: EventOf<'tool_result'>, value: string): Evidence[] {
  const { content, metadata } = event;
  const found = new Set<number>();
  let at = content.indexOf(value);
  while (at >= 0 && found.size <= MAX_PLACES) {
    if (isWhole(content, at, at + value.length)) found.add(lineAt(content, at));
    at = content.indexOf(value, at + 1);
  }
  return [...found].map((line) => ({
    href: `#${stepId(event)}:L${line}`,
    where: `${shortName(metadata.toolName)}, line ${line}`,
  }));
}

const TIME = /^\d\d:\d\d(:\d\d)?$/;

/** Whether a part of a text is neither within a word nor within a number. A time can be a part of a timestamp. */
function isWhole(text: string, from: number, to: number): boolean {
  const [before = '', after = ''] = [text[from - 1], text[to]];
  if (TIME.test(text.slice(from, to)))
    return /[^\w:.]|T/.test(before || ' ') && /[^\w:]|Z/.test(after || ' ');
  const isNumberBefore = /[.,]/.test(before) && /\d/.test(text[from - 2] ?? '');
  const isNumberAfter = /[.,]/.test(after) && /\d/.test(text[to + 1] ?? '');
  return !WORD.test(before) && !WORD.test(after) && !isNumberBefore && !isNumberAfter;
}

function lineAt(text: string, at: number): number {
  let line = 1;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', end + 1)) line++;
  return line;
}
