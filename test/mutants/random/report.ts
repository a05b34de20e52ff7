// The result of a sample as text: a table by folder, and the mutants that survived.

import type { CampaignEnd, TriedMutant } from './campaign.ts';
import { describeMutant } from './mutant.ts';
import { wilsonInterval } from './sample.ts';
import type { Outcome } from './tryMutant.ts';

const OUTCOMES: Outcome[] = [
  'killed',
  'timeout',
  'survived',
  'no coverage',
  'refused',
  'equivalent',
  'not decided',
];

/**
 * Reports a sample as Markdown. The rate is that of killed and timeout among these, survived and no coverage;
 * "at least" is the rate if no test detects the mutants that are not decided. Both have Wilson's interval of
 * 95 %.
 */
export function reportSample({ tried, all, failing }: CampaignEnd): string {
  const folders = Map.groupBy(tried, ({ mutant }) =>
    mutant.file.split('/').slice(0, -1).slice(0, 2).join('/'),
  );
  const rows = [...folders].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, some]) => rowOf(name, some));
  const withOutcome = (outcome: Outcome) =>
    tried
      .filter(({ verdict }) => verdict.outcome === outcome)
      .map(({ mutant, verdict }) => `- ${describeMutant(mutant)}${verdict.by ? ` (${verdict.by})` : ''}`);
  return [
    `${tried.length} of ${all} mutants`,
    '',
    `| folder | ${OUTCOMES.join(' | ')} | rate | at least |`,
    `|---|${'---|'.repeat(OUTCOMES.length + 2)}`,
    ...rows,
    rowOf('all', tried),
    ...(['survived', 'no coverage', 'not decided'] as const).flatMap((outcome) => {
      const lines = withOutcome(outcome);
      return lines.length > 0 ? ['', `${outcome}:`, ...lines] : [];
    }),
    ...(failing.length > 0 ? ['', 'fail without a mutant:', ...failing.map((file) => `- ${file}`)] : []),
  ].join('\n');
}

function rowOf(name: string, tried: readonly TriedMutant[]): string {
  const counts = new Map<Outcome, number>();
  for (const { verdict } of tried) counts.set(verdict.outcome, (counts.get(verdict.outcome) ?? 0) + 1);
  const count = (outcome: Outcome) => counts.get(outcome) ?? 0;
  const hits = count('killed') + count('timeout');
  const total = hits + count('survived') + count('no coverage');
  const rates = [formatRate(hits, total), formatRate(hits, total + count('not decided'))];
  return `| ${[name, ...OUTCOMES.map(count), ...rates].join(' | ')} |`;
}

/** `76 % (71 to 80)`; empty without a measurement. */
function formatRate(hits: number, total: number): string {
  if (total === 0) return '';
  const percent = (share: number) => Math.round(share * 100);
  return `${percent(hits / total)} % (${wilsonInterval(hits, total).map(percent).join(' to ')})`;
}
