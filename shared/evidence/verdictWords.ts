// Verdicts in words for people: one sentence, a disproof, and open questions. One place for all outputs.

import { clockText } from '../text/times.ts';
import { verdictWord } from '../text/verdictWord.ts';
import { causeWords } from './causeWords.ts';

/** A verdict, with its dates as dates or as ISO texts. */
interface Judged {
  value: string | null;
  table: number;
  rule: string;
  caps: readonly string[];
  isRecovered: boolean;
  causes: readonly { component: string | null; mechanism: string | null }[];
  reason: {
    object: string | null;
    says: string | null;
    effect: string | null;
    at: Date | string | null;
    alertAt: Date | string;
    by: string | null;
    siblings: number;
    why: string | null;
    shows: string | null;
  } | null;
  open: readonly { code: string; subject: string }[];
}

const CAPS: Record<string, string> = {
  forced_conclusion: 'The agent was made to conclude early',
  server_missing: 'A server of the evidence was missing at the end',
  tool_changed: 'The tool of the evidence was changed during the session',
  masked_quote: 'A needed value is masked',
  contrast_off: 'Its chain makes no calls for comparison',
  claims_failed: 'The check of its claims failed',
  no_analysis: 'There is no analysis',
  no_time: 'There was no time for the check',
  no_tokens: 'There were no tokens for the check',
};

const NOT_SHOWN: Record<string, string> = {
  no_sibling: 'No healthy sibling exists and nothing was recorded before',
  not_asked: 'Whether it was any different before or elsewhere was not asked',
  no_answer: 'The calls for comparison did not answer',
  no_change: 'A change, its effect and a healthy sibling without it were not all found',
  usual: 'Healthy siblings or earlier samples show the same',
};

const RULES: Record<string, string> = {
  blocked: 'At least half of the calls had no answer, and nothing that was read supports a cause',
  never_true:
    "The alert's own condition was false in every sample from five minutes before the alert until the check",
  no_cause: 'No result speaks of the component that the agent named as the cause',
  texts: 'Two texts of different tools and writers state it; no status or metric shows it',
  unsupported: 'No status or metric and no two independent texts show the named cause',
  change: 'A change and its effect were found',
};

/** `Confirmed. Pod checkout-x2kqp: last state OOMKilled at 09:36, 4 minutes before the alert; …` */
export function verdictSentence(verdict: Judged): string {
  const { value, rule, caps, isRecovered, reason, open, table } = verdict;
  const parts = [
    verdictWord(value),
    ...(table < 2 ? [causesText(verdict)] : composeVerdictBody(rule, reason, verdict)),
    ...(value === 'likely' || value === null ? caps.flatMap((cap) => CAPS[cap] ?? []) : []),
    ...(open.some(({ code }) => code === 'upstream') ? [`Why is open: ${subjects(open, 'upstream')}`] : []),
    ...(isRecovered ? ["The alert's condition is not true any more"] : []),
  ];
  return parts
    .filter((part) => part !== '')
    .map((part) => `${part}.`)
    .join(' ');
}

function composeVerdictBody(rule: string, reason: Judged['reason'], verdict: Judged): string[] {
  const other = reason?.shows ?? null;
  const named = verdict.causes.flatMap(({ mechanism }) => mechanism ?? [])[0] ?? 'another cause';
  if (other !== null && rule === 'contradicted')
    return [`${stateText(reason)}: this speaks of ${words(other)}, the conclusion names ${words(named)}`];
  if (other !== null && rule === 'unsupported')
    return [`The evidence quoted shows ${words(other)}, the conclusion names ${words(named)}`];
  if (rule === 'no_cause' && verdict.causes.length === 0)
    return ['The agent named no cause with evidence, so there was nothing to check'];
  if (rule === 'contradicted') return ['A result contradicts the named cause, or shows a second one'];
  const known = reason?.object == null ? (RULES[rule] ?? '') : stateText(reason);
  return [known === '' ? causesText(verdict) : known, NOT_SHOWN[reason?.why ?? ''] ?? ''];
}

/** The state of a reason with its time and contrast; '' without one. */
export function stateText(reason: Judged['reason']): string {
  if (reason?.object == null) return '';
  const { object, says, effect, at, alertAt, by, siblings } = reason;
  const when = at === null ? '' : ` at ${clock(at)}, ${distance(new Date(at), new Date(alertAt))}`;
  const contrast: Record<string, string> = {
    series: '; earlier samples do not show it',
    earlier: '; an equally long time before does not show it',
    sibling: `; ${siblings} healthy sibling${siblings === 1 ? ' does' : 's do'} not show it`,
  };
  const after = effect === null ? '' : `; then ${effect}`;
  return `${object}: ${says ?? ''}${when}${after}${contrast[by ?? ''] ?? ''}`;
}

/** An observation that would disprove a verdict; '' where nothing is claimed. */
function describeDisproof({ value, reason, causes }: Judged): string {
  if (value === 'not_an_incident') return "A sample in which the alert's condition is true.";
  if ((value !== 'confirmed' && value !== 'likely') || causes.length === 0) return '';
  if (reason?.object == null) return 'A status or metric of the component that shows another mechanism.';
  return `A healthy sibling shows the same; it was the same long before the alert; or the alert continues after ${reason.object} no longer shows it.`;
}

/** A verdict with its texts. */
export type ReadVerdict<V extends Judged> = V & {
  sentence: string;
  /** An observation that would disprove it; '' where nothing is claimed. */
  disproof: string;
  /** Open questions, a sentence each. */
  questions: string[];
};

/** A verdict with its texts. */
export const readVerdict = <V extends Judged>(verdict: V): ReadVerdict<V> => ({
  ...verdict,
  sentence: verdictSentence(verdict),
  disproof: describeDisproof(verdict),
  questions: openQuestions(verdict),
});

function openQuestions({ open }: Pick<Judged, 'open'>): string[] {
  return open.map(({ code, subject }) => {
    if (code === 'upstream') return `Why it came about. The results also show ${words(subject)}.`;
    if (code === 'server') return `The server ${subject}: it was missing at the end.`;
    return `The comparison ${subject}: the call did not answer.`;
  });
}

const subjects = (open: Judged['open'], of: string): string =>
  open.flatMap(({ code, subject }) => (code === of ? words(subject) : [])).join(', ');
const words = (name: string): string => name.replaceAll('_', ' ');
const clock = (at: Date | string): string => clockText(new Date(at));

function distance(at: Date, alertAt: Date): string {
  const minutes = Math.round((alertAt.getTime() - at.getTime()) / 60_000);
  if (minutes === 0) return 'as the alert began';
  const count = Math.abs(minutes);
  return `${count} minute${count === 1 ? '' : 's'} ${minutes > 0 ? 'before' : 'after'} the alert`;
}

const causesText = ({ causes }: Pick<Judged, 'causes'>): string =>
  causes
    .filter(({ component }) => component !== null)
    .map(causeWords)
    .join(', ');
