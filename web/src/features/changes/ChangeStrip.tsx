// Changes on the axis of the session's time: those before it on the left, closer together the older they are,
// and later ones above the lines of the session.

import type { SessionView } from '../../../../shared/lists/apiTypes.ts';
import { countText, durationText } from '../../model/format.ts';
import { isWithinRange, type TimeRange } from '../../model/timeRange.ts';
import s from '../../session/side/waterfall.module.css';
import { useSession } from '../../session/state/sessionState.ts';
import { foundChanges } from './foundChanges.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Ages with a line of their own. */
const TICKS_MS = [10 * MINUTE_MS, 60 * MINUTE_MS, 6 * 60 * MINUTE_MS];

/** The place of an age before the session, in per cent: 0 is a day, 100 the start of the session. */
const placeBefore = (ageMs: number) =>
  100 * (1 - Math.log1p(Math.min(Math.max(ageMs, 0), DAY_MS) / MINUTE_MS) / Math.log1p(DAY_MS / MINUTE_MS));

interface StripProps {
  view: SessionView;
  /** The part of the session that the lines show. */
  shown: TimeRange;
}

/** The strip, a link to the panel of changes; absent without changes. */
export function ChangeStrip({ view: { createdAt }, shown }: StripProps) {
  const found = foundChanges(useSession()).value;
  if (found === undefined || found.changes.length === 0) return null;
  const opened = Date.parse(createdAt);
  const marks = found.changes.map(({ id, at, status }) => ({ id, status, time: Date.parse(at) - opened }));
  const alert = found.start === null ? undefined : Date.parse(found.start) - opened;
  const within = (time: number) => (100 * (time - shown.from)) / (shown.to - shown.from);
  const first = Math.min(...marks.map(({ time }) => time));
  const words = `${countText(found.changes.length, 'change')}, the first ${durationText(Math.abs(first))} ${first < 0 ? 'before' : 'after'} the session started`;
  return (
    <a class={s.strip} href="#changes-title" title={words} data-change-strip>
      <svg class={s.axis} aria-hidden="true">
        <line class={s.base} x1="0" x2="100%" y1="9" y2="9" />
        {TICKS_MS.map((age) => (
          <line
            key={age}
            class={s.base}
            x1={`${placeBefore(age)}%`}
            x2={`${placeBefore(age)}%`}
            y1="6"
            y2="12"
          />
        ))}
        {marks.map(({ id, status, time }) =>
          time < 0 ? <Mark key={id} status={status} at={placeBefore(-time)} /> : null,
        )}
        {alert !== undefined && alert <= 0 && <AlertLine at={placeBefore(-alert)} />}
      </svg>
      <svg class={s.axis} aria-hidden="true" data-session>
        <line class={s.base} x1="0" x2="100%" y1="9" y2="9" />
        {marks.map(({ id, status, time }) =>
          time >= 0 && isWithinRange({ from: time, to: time }, shown) ? (
            <Mark key={id} status={status} at={within(time)} />
          ) : null,
        )}
        {alert !== undefined && alert > 0 && alert <= shown.to && <AlertLine at={within(alert)} />}
      </svg>
      <span class={s.spanTime}>{countText(found.changes.length, 'change')}</span>
      <span>24 h before</span>
      <span>Session</span>
    </a>
  );
}

function Mark({ status, at }: { status: string; at: number }) {
  return <rect data-status={status} x={`${at}%`} y="3" width="3" height="12" />;
}

function AlertLine({ at }: { at: number }) {
  return <line class={s.alert} x1={`${at}%`} x2={`${at}%`} y1="0" y2="18" />;
}
