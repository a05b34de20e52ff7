// The badge of a session's problem, which stands before the state of the work wherever a session is shown.

import type { SessionView } from '../../../shared/lists/apiTypes.ts';
import { problemWords } from '../../../shared/text/problemWords.ts';
import { serverNow } from '../api/clock.ts';
import { momentText, timeTitle } from '../model/format.ts';
import { Icon, type IconName } from './Icon.tsx';
import s from './parts.module.css';
import type { Tone } from './statusDisplay.ts';

type Problem = NonNullable<SessionView['problem']>;

const SHOWN: Record<Problem['status'], { icon: IconName; tone: Tone }> = {
  firing: { icon: 'flame', tone: 'fail' },
  resolved: { icon: 'check', tone: 'ok' },
  acknowledged: { icon: 'eye', tone: 'late' },
  test: { icon: 'info', tone: 'none' },
  unknown: { icon: 'question', tone: 'none' },
};

/**
 * The badge, with a time in the reader's time zone; nothing for a session without an alert.
 * @param isShort without the number of repeats, unless nothing else is known.
 */
export function ProblemBadge({
  problem,
  isShort = false,
}: {
  problem: SessionView['problem'] | undefined;
  isShort?: boolean;
}) {
  // A server of an older version answers none.
  if (!problem) return null;
  const { status, at, repeats } = problem;
  const shown = { status, at, repeats: isShort && status !== 'unknown' ? 0 : repeats };
  const { icon, tone } = SHOWN[status];
  return (
    <span
      class={`${s.status} ${s.pill} ${s[tone]}`}
      data-problem={status}
      title={at === null ? undefined : timeTitle(at)}
    >
      <Icon name={icon} />
      <span class={s.hidden}>Problem: </span>
      {problemWords(shown, (iso) => momentText(iso, serverNow()))}
    </span>
  );
}
