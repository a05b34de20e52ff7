// Absolute times, with UTC and the reader's own in their title.

import { isClockWrong } from '../api/clock.ts';
import { timeTitle } from '../model/format.ts';
import s from './parts.module.css';

/** A time. @param text The visible text. */
export function Time({ iso, text }: { iso: string; text: string }) {
  const note = isClockWrong.value ? ' (server time)' : '';
  return (
    <time class={s.number} dateTime={iso} title={`${timeTitle(iso)}${note}`}>
      {text}
      {note}
    </time>
  );
}
