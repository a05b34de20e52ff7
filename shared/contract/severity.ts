// Compares severities, whose words differ from team to team.

/** The worst first; words of a line are equally severe. Syslog, Prometheus, Zabbix, PagerDuty, Google. */
export const SEVERITY_RANKS: readonly (readonly string[])[] = [
  ['emergency', 'emerg', 'disaster', 'fatal', 'p0', 'sev0'],
  ['critical', 'crit', 'page', 'blocker', 'highest', 'p1', 'sev1'],
  ['error', 'err', 'high', 'major', 'p2', 'sev2'],
  ['warning', 'warn', 'medium', 'moderate', 'average', 'p3', 'sev3'],
  ['minor', 'low', 'notice', 'p4', 'sev4'],
  [
    ...[
      'info',
      'information',
      'informational',
      'lowest',
      'debug',
      'planning',
      'none',
      'ok',
      'clear',
      'cleared',
    ],
    ...['normal', 'p5', 'sev5'],
  ],
];

/** The compared form of a word: `SEV-1` equals `sev1`, ServiceNow's `1 - Critical` equals `critical`. */
export const severityWord = (word: string): string =>
  word
    .toLowerCase()
    .replace(/^\s*\d\s*-\s*/, '')
    .replace(/[\s_-]/g, '');

/** An alert without a severity counts as a warning. */
const UNKNOWN_RANK = 3;

const RANK_OF: ReadonlyMap<string, number> = new Map(
  SEVERITY_RANKS.flatMap((words, rank) => words.map((word) => [word, rank] as const)),
);

/** Whether a word is a severity that can be compared. */
export const isKnownSeverity = (word: string): boolean => RANK_OF.has(severityWord(word));

/** The rank of a severity, from 0 for the worst; 3, that of a warning, for none and for an unknown word. */
export function severityRank(severity: string | null): number {
  return RANK_OF.get(severityWord(severity ?? '')) ?? UNKNOWN_RANK;
}

/** The rank of `critical`. */
const CRITICAL_RANK = 1;

/** Whether a severity is critical or worse. Such alerts come first where models and budgets are scarce. */
export const isCritical = (severity: string | null): boolean => severityRank(severity) <= CRITICAL_RANK;

/**
 * The worst of some severities, as its sender wrote it. Words that are not known cannot be compared: the
 * first of them is taken when none is known. Undefined when there is none.
 */
export function worstSeverity(severities: Iterable<string | undefined>): string | undefined {
  let worst: string | undefined;
  for (const severity of severities) {
    if (severity !== undefined && (worst === undefined || severityOrder(severity) < severityOrder(worst)))
      worst = severity;
  }
  return worst;
}

/** Like `severityRank`, but unknown words are last. */
function severityOrder(severity: string): number {
  return RANK_OF.get(severityWord(severity)) ?? SEVERITY_RANKS.length;
}
