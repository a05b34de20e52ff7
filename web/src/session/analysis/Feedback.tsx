// Feedback on an analysis; the last one counts.

import { useSignal } from '@preact/signals';
import { canAct } from '../../frame/me.ts';
import parts from '../../parts/parts.module.css';
import { isOffline } from '../state/offline.ts';
import { useControl } from '../state/useControl.ts';
import s from './analysis.module.css';

const VERDICTS = [
  { verdict: 'helpful', name: 'Right' },
  { verdict: 'not_helpful', name: 'Wrong' },
] as const;

/** Two buttons. */
export function Feedback() {
  const given = useSignal('');
  const { outcome, send } = useControl();
  const give = async (verdict: string) => {
    const error = await send('feedback', { verdict }, () => 'Feedback stored.');
    if (error === undefined) given.value = verdict;
  };
  if (!canAct.value) return null;
  return (
    <div class={s.feedback}>
      <span class={parts.meta} role="status">
        {outcome.value === '' ? 'Is it right?' : outcome.value}
      </span>
      {VERDICTS.map(({ verdict, name }) => (
        <button
          key={verdict}
          type="button"
          class={parts.button}
          aria-pressed={given.value === verdict}
          disabled={isOffline.value}
          onClick={() => void give(verdict)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
