// Compares the severities of a group's alerts, which every team names in its own way.

/** Words for a severity, the worst first; those of a line are equally bad. Syslog, Prometheus, Zabbix, PagerDuty and Google. */
const RANKS = [
  ['emergency', 'emerg', 'disaster', 'fatal', 'p0', 'sev0'],
  ['critical', 'crit', 'page', 'blocker', 'highest', 'p1', 'sev1'],
  ['error', 'err', 'high', 'major', 'p2', 'sev2'],
  ['warning', 'warn', 'medium', 'moderate', 'average', 'p3', 'sev3'],
  ['minor', 'low', 'notice', 'p4', 'sev4'],
  ['info', 'information', 'informational', 'lowest', 'debug', 'none', 'ok', 'p5', 'sev5'],
];

const RANK_OF: ReadonlyMap<string, number> = new Map(
  RANKS.flatMap((words, rank) => words.map((word) => [word, rank] as const)),
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
  const word = severity.toLowerCase().replace(/[\s_-]/g, '');
  return RANK_OF.get(word) ?? RANKS.length;
}
