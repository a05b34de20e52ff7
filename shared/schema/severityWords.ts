// Words for severities, which differ from team to team.

/** The worst first; words of a line are equally severe. From Syslog, Prometheus, Zabbix, PagerDuty and Google. */
export const SEVERITY_RANKS: readonly (readonly string[])[] = [
  ['emergency', 'emerg', 'disaster', 'fatal', 'p0', 'sev0'],
  ['critical', 'crit', 'page', 'blocker', 'highest', 'p1', 'sev1'],
  ['error', 'err', 'high', 'major', 'p2', 'sev2'],
  ['warning', 'warn', 'medium', 'moderate', 'average', 'p3', 'sev3'],
  ['minor', 'low', 'notice', 'p4', 'sev4'],
  ['info', 'information', 'informational', 'lowest', 'debug', 'none', 'ok', 'p5', 'sev5'],
];

/** The compared form of a word: `SEV-1` and `sev1` are equal. */
export const severityWord = (word: string): string => word.toLowerCase().replace(/[\s_-]/g, '');

/** An alert without a severity counts as a warning. */
const UNKNOWN_RANK = 3;

/** The rank of a severity, from 0 for the worst; 3, that of a warning, for none and for an unknown word. */
export function severityRank(severity: string | null): number {
  const word = severityWord(severity ?? '');
  const rank = SEVERITY_RANKS.findIndex((words) => words.includes(word));
  return rank === -1 ? UNKNOWN_RANK : rank;
}
