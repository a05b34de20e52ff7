// Absolute times. A click or a tap shows a time in UTC and in the reader's time zone.

import { useId } from 'preact/hooks';
import { isClockWrong } from '../api/clock.ts';
import { localText, timeTitle, utcText } from '../model/format.ts';
import s from './parts.module.css';

/** A time. @param text The visible text. */
export function Time({ iso, text }: { iso: string; text: string }) {
  const id = useId();
  const note = isClockWrong.value ? ' (server time)' : '';
  return (
    <>
      <button type="button" class={s.time} popovertarget={id} title={`${timeTitle(iso)}${note}`}>
        <time class={s.number} dateTime={iso}>
          {text}
          {note}
        </time>
      </button>
      <span id={id} popover="auto" class={s.times}>
        <span>{utcText(iso)}</span>
        {new Date(iso).getTimezoneOffset() !== 0 && <span>{localText(iso)}</span>}
      </span>
    </>
  );
}
