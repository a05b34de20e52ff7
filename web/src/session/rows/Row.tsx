// A row of the steps: time, glyph, words, measure.

import type { ComponentChildren } from 'preact';
import type { TimelineEvent } from '../../../../shared/lists/apiTypes.ts';
import { stepId } from '../../model/address.ts';
import { offsetText, timeTitle } from '../../model/format.ts';
import { wordsOfEvent } from '../../parts/eventDisplay.ts';
import { Icon, type IconName } from '../../parts/Icon.tsx';
import parts from '../../parts/parts.module.css';
import type { Tone } from '../../parts/statusDisplay.ts';
import { useSession } from '../state/sessionState.ts';
import s from './steps.module.css';

/** The properties of every row. */
export interface RowProps<E extends TimelineEvent = TimelineEvent> {
  event: E;
  /** Whether its time is that of the row before, and is not repeated. */
  isSameTime: boolean;
  isOpen: boolean;
  toggle: () => void;
  /** Default: the icon of the type of event. */
  icon?: IconName;
  tone?: Tone;
}

interface Shape extends Pick<RowProps, 'event' | 'isSameTime' | 'icon' | 'tone'> {
  measure?: ComponentChildren;
  children: ComponentChildren;
}

const STATUS_TONES: Record<string, Tone> = { failed: 'fail', timed_out: 'late', cancelled: 'none' };
const STATUS_WORDS: Record<string, string> = {
  failed: 'failed',
  timed_out: 'timed out',
  cancelled: 'cancelled',
};

/** A row. */
export function Row({ event, isSameTime, icon, tone, measure, children }: Shape) {
  const { startedAt } = useSession();
  const startMs = Date.parse(startedAt.value ?? event.createdAt);
  const offset = Date.parse(event.createdAt) - startMs;
  const own = tone ?? STATUS_TONES[event.status] ?? 'none';
  const word = STATUS_WORDS[event.status];
  return (
    <li class={s.row} id={stepId(event)} data-row data-type={event.eventType} tabIndex={-1}>
      <span class={s.time} title={timeTitle(event.createdAt)}>
        {isSameTime ? '' : offsetText(offset)}
      </span>
      <span class={`${s.glyph} ${own === 'none' ? '' : parts[own]}`}>
        <Icon name={icon ?? wordsOfEvent(event.eventType).icon} />
      </span>
      <div class={s.main}>{children}</div>
      <span class={s.measure}>{measure ?? word}</span>
    </li>
  );
}
