// Finds values of a claim in the stored results of tools, for texts of which the server keeps no ledger. It
// compares as the server does, and is loaded when all steps are read.

import { type SearchedText, searchedText } from '../../../shared/evidence/searchText.ts';
import { tokenizeText } from '../../../shared/evidence/tokens.ts';
import type { EventOf, TimelineEvent } from '../../../shared/lists/apiTypes.ts';
import { type Evidence, evidenceAt } from './ledger.ts';

/** A value that more lines have is not specific. */
const MAX_PLACES = 5;

/** The lines of a result that were split into tokens, by their numbers. */
const split = new WeakMap<TimelineEvent, Map<number, SearchedText>>();

/**
 * Finds values in results: the first line, or undefined where none has the value, and where too many have it.
 * @param events of the session. Only the texts that were read are searched.
 */
export function createEvidenceFinder(
  events: readonly TimelineEvent[],
): (value: string) => Evidence | undefined {
  const results = events.filter((event) => event.eventType === 'tool_result' && !event.metadata.isError);
  return (value) => {
    const { tokens } = tokenizeText(value);
    // Only lines with its letters are split: all take a second on a phone. 100,452 equals 100452.
    const spellings = [value, value.replace(/(?<=\d),(?=\d{3})/g, '')];
    const isIn = (text: string) => spellings.some((one) => text.includes(one));
    const places: Evidence[] = [];
    for (const event of results as EventOf<'tool_result'>[]) {
      if (!isIn(event.content)) continue;
      for (const [index, line] of event.content.split('\n').entries()) {
        if (!isIn(line) || findSearchedLine(event, index, line).placesOf(tokens).length === 0) continue;
        places.push(evidenceAt(event, index + 1));
        if (places.length > MAX_PLACES) return undefined;
      }
    }
    return places[0];
  };
}

function findSearchedLine(event: TimelineEvent, index: number, line: string): SearchedText {
  const known = split.get(event) ?? new Map<number, SearchedText>();
  split.set(event, known);
  const text = known.get(index) ?? searchedText(line);
  known.set(index, text);
  return text;
}
