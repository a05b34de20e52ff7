// A bar while the connection is lost: the age of the data, and the time of the next attempt.

import { tick } from '../api/clock.ts';
import { clockText } from '../model/format.ts';
import { Icon } from '../parts/Icon.tsx';
import parts from '../parts/parts.module.css';
import s from './session.module.css';
import { useSession } from './state/sessionState.ts';

/** A grey bar while nothing comes. */
export function OfflineBar() {
  const { connection, asOf } = useSession();
  const state = connection.value;
  if (state?.kind === 'refused')
    return (
      <div class={s.lost} role="status">
        <b>{state.error.code}</b> {state.error.message}
      </div>
    );
  if (state?.kind !== 'lost') return null;
  // Counted again every second.
  void tick.value;
  const seconds = Math.max(0, Math.ceil((state.retryAt - performance.now()) / 1_000));
  return (
    <div class={s.lost} role="status">
      <Icon name="dashed" />
      <span>
        <b>Connection lost.</b> Data as of{' '}
        {asOf.value === undefined ? 'an earlier time' : `${clockText(asOf.value)} UTC`}. Retrying in {seconds}{' '}
        s.
      </span>
      <button type="button" class={parts.quiet} onClick={state.retry}>
        Retry now
      </button>
    </div>
  );
}
