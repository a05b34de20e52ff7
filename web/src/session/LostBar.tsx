// That the connection is lost, how old is what is shown, and when it is tried again.

import { tick } from '../api/clock.ts';
import { clockText } from '../model/format.ts';
import { Icon } from '../parts/Icon.tsx';
import parts from '../parts/parts.module.css';
import s from './session.module.css';
import { useSession } from './state/sessionState.ts';

/** A grey bar while nothing comes. */
export function LostBar() {
  const { link, asOf } = useSession();
  const state = link.value;
  if (state?.kind === 'refused')
    return (
      <div class={s.lost} role="status">
        <b>{state.error.code}</b> {state.error.message}
      </div>
    );
  if (state?.kind !== 'lost') return null;
  // Counted anew every second.
  void tick.value;
  const seconds = Math.max(0, Math.ceil((state.retryAt - performance.now()) / 1_000));
  return (
    <div class={s.lost} role="status">
      <Icon name="dashed" />
      <span>
        <b>Connection lost.</b> What you see is as of{' '}
        {asOf.value === undefined ? 'before' : `${clockText(asOf.value)} UTC`}. Trying again in {seconds} s.
      </span>
      <button type="button" class={parts.quiet} onClick={state.retry}>
        Try now
      </button>
    </div>
  );
}
