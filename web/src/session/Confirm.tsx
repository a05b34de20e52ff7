// Actions on a session that require a confirmation.

import { useSignal } from '@preact/signals';
import { ChainChoice } from '../parts/ChainChoice.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import parts from '../parts/parts.module.css';

const CONFIRMED = {
  cancel: {
    title: 'Cancel this session?',
    text: 'Running calls finish; no new ones start. Results so far are kept.',
    button: 'Cancel the session',
    tone: 'danger',
    outcome: 'Cancelling',
  },
  rerun: {
    title: 'Investigate this alert again?',
    text: 'Opens a new session with the current configuration. It has its own cost.',
    button: 'Run again',
    tone: 'primary',
    outcome: 'Waiting for the new session …',
  },
  resolve: {
    title: 'Resolve this session?',
    text: 'Records that the problem is solved. Everyone sees it in the list.',
    button: 'Resolve',
    tone: 'primary',
    outcome: '',
  },
} as const;
/** An action that requires a confirmation. */
export type Confirmed = keyof typeof CONFIRMED;

/** Sends an action. @param text The outcome after success. @param body Default: empty. */
export type Act = (
  name: Confirmed | 'pause' | 'resume' | 'start',
  text: string,
  body?: { reason?: string; chain?: string },
) => void;

interface ConfirmProps {
  name: Confirmed;
  onClose: () => void;
  act: Act;
}

/** Asks whether an action is wanted. */
export function Confirm({ name, onClose, act }: ConfirmProps) {
  const { title, text, button, tone, outcome } = CONFIRMED[name];
  const reason = useSignal('');
  const chain = useSignal('');
  const confirm = () => {
    const given = reason.value.trim();
    act(name, outcome, {
      ...(given !== '' && { reason: given }),
      ...(chain.value !== '' && { chain: chain.value }),
    });
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      {name !== 'rerun' && (
        <label>
          {name === 'cancel' ? 'Reason' : 'What resolved it'} (optional)
          <input
            class={parts.field}
            value={reason.value}
            maxLength={2_000}
            onInput={(event) => {
              reason.value = event.currentTarget.value;
            }}
          />
        </label>
      )}
      {name === 'rerun' && (
        <ChainChoice
          chain={chain.value}
          set={(value) => {
            chain.value = value;
          }}
        />
      )}
      <form method="dialog" class={parts.actions}>
        <button type="submit" class={parts.button}>
          Close
        </button>
        <button type="submit" class={`${parts.button} ${parts[tone]}`} onClick={confirm}>
          {button}
        </button>
      </form>
    </Dialog>
  );
}
