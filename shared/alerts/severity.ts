// Compares the severities of a group's alerts, which every team names in its own way.

import { SEVERITY_RANKS, severityWord } from '../schema/severityWords.ts';

const RANK_OF: ReadonlyMap<string, number> = new Map(
  SEVERITY_RANKS.flatMap((words, rank) => words.map((word) => [word, rank] as const)),
);

/**
 * The worst of some severities, as its sender wrote it. Words that are not known cannot be compared: the first of them
 * is taken when none is known. Undefined when there is none.
 */
export function worstSeverity(severities: Iterable<string | undefined>): string | undefined {
  let worst: string | undefined;
  for (const severity of severities) {
    if (severity !== undefined && (worst === undefined || rankOf(severity) < rankOf(worst))) worst = severity;
  }
  return worst;
}

function rankOf(severity: string): number {
  return RANK_OF.get(severityWord(severity)) ?? SEVERITY_RANKS.length;
}
