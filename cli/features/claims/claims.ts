// `claims`: prints the verdict on a session, with the evidence that code has checked.

import { causeWords } from '../../../shared/evidence/causeWords.ts';
import { excludeReason } from '../../../shared/evidence/evidenceWords.ts';
import { MARK_WORDS } from '../../../shared/evidence/markUnchecked.ts';
import { outcomeWords, probeWords } from '../../../shared/evidence/outcomeWords.ts';
import { type Answer, command } from '../../api/command.ts';
import { printableText } from '../../process/output.ts';

const HELP = `
Prints the verdict, the hypotheses of the agents with their evidence, and the marked values and assertions of the
analysis. Evidence that is excluded does not count; the reason stands beside it. Agents state hypotheses where their chain has \`ledger: on\` (shared/features/claims/README.md).
`;

const ROUTE = 'GET /v1/sessions/{sessionId}/claims';
type Claims = Answer<typeof ROUTE>;

/** The command `claims`. */
export const claims = command({
  name: 'claims',
  json: 'print one JSON document',
  help: HELP,
  route: ROUTE,
  print: claimLines,
});

function claimLines({ sentence, hypotheses, evidence, values, outcome }: Claims): string[] {
  const missing = Object.entries(MARK_WORDS).flatMap(([state, words]) => {
    const texts = values.filter((one) => one.state === state).map(({ text }) => printableText(text));
    return texts.length === 0 ? [] : [`In the analysis, ${words}: ${texts.join(', ')}`];
  });
  return [
    printableText(sentence),
    ...hypotheses.flatMap((one) => {
      const isOf = (item: { hypothesis: string }) => item.hypothesis === one.id;
      return [
        `${one.cause ? 'Cause' : 'Other hypothesis'}: ${printableText(causeWords(one) || one.text || one.id)}`,
        ...evidence.filter(isOf).map(evidenceLine),
      ];
    }),
    ...missing,
    ...outcomeLines(outcome),
  ];
}

/** The outcome, and each probe with its latest result. */
function outcomeLines(outcome: Claims['outcome']): string[] {
  if (outcome === null) return [];
  const { value, reason, nextCheckAt, probes, checks } = outcome;
  const latest = checks.findLast(({ endedAt }) => endedAt !== null)?.results ?? [];
  const next = nextCheckAt === null ? '' : `, next check after ${String(nextCheckAt)}`;
  const head = value === null ? 'not checked yet' : `${outcomeWords(value)}: ${printableText(reason ?? '')}`;
  return [
    `Outcome: ${head}${next}`,
    ...probes.map((one, index) => `    ${printableText(probeWords(one, latest[index]?.holds ?? null))}`),
  ];
}

/** `for       reason: OOMKilled  (01-kubernetes-investigator, result r6, line 58)` */
function evidenceLine(item: Claims['evidence'][number]): string {
  const { side, quote, pointer, value, executionId, result, line, found } = item;
  const excluded = excludeReason(item);
  const stated = (quote ?? `${pointer ?? ''} = ${value ?? ''}`).replaceAll('\n', ' ');
  const where =
    result === null ? '' : `  (${executionId}, result ${result}${line === null ? '' : `, line ${line}`})`;
  const why = excluded === undefined ? '' : `  ${excluded}`;
  const other = found === null ? '' : `: ${printableText(found)}`;
  const label = (excluded === undefined ? side : 'excluded').padEnd(8);
  return `    ${label}  ${printableText(stated)}${where}${why}${other}`;
}
