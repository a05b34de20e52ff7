// Corrections of grouping: an alert leaves a session, or a session is merged into another.

import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { AlertFate } from '../../../../shared/lists/apiTypes.ts';
import { api, asError } from '../../api/client.ts';
import { useResource } from '../../api/useResource.ts';
import { shortId } from '../../model/address.ts';
import { Dialog } from '../../parts/Dialog.tsx';
import { Problem } from '../../parts/Problem.tsx';
import parts from '../../parts/parts.module.css';
import { Untrusted } from '../../parts/Untrusted.tsx';
import s from './fates.module.css';
import { idIn, mostSimilar } from './mostSimilar.ts';

interface RegroupProps {
  /** The session whose alerts are listed. */
  sessionId: string;
  /** The title of the alert that opened it. */
  title: string;
  /** The alert to take out; undefined for a merge of the session. */
  fate: AlertFate | undefined;
  onClose: () => void;
  /** Receives the outcome as a sentence. */
  onDone: (outcome: string) => void;
}

/** Asks whether a split or a merge is wanted, and requests it. */
export function Regroup({ fate, ...props }: RegroupProps) {
  return fate === undefined ? <Merge {...props} /> : <Split {...props} fate={fate} />;
}

function Split({ sessionId, fate, onClose, onDone }: RegroupProps & { fate: AlertFate }) {
  const { error, send } = useRequest(async () => {
    await api.post('/v1/sessions/{sessionId}/split', { sessionId }, { messageId: fate.messageId });
    onDone('The alert has left this session. Its own session opens, or waits for a budget.');
  });
  return (
    <Dialog title="Split off this alert?" onClose={onClose}>
      <p>
        <Untrusted text={fate.title} /> leaves session {shortId(sessionId)} and gets its own session, which
        has the usual cost. Later reports of the same problem go to the new session.
      </p>
      <Buttons error={error} onClose={onClose} onConfirm={send}>
        Split off
      </Buttons>
    </Dialog>
  );
}

function Merge({ sessionId, title, onClose, onDone }: Omit<RegroupProps, 'fate'>) {
  const open = useResource((left) =>
    api.get('/v1/sessions', { status: 'in_progress,deferred', limit: 100 }, left),
  );
  const chosen = useSignal<string | undefined>(undefined);
  const typed = useSignal('');
  const rows = mostSimilar(sessionId, title, open.value.value?.sessions ?? []);
  const into = idIn(typed.value) || (chosen.value ?? rows[0]?.sessionId ?? '');
  const { error, send } = useRequest(async () => {
    await api.post('/v1/sessions/{sessionId}/merge', { sessionId }, { into });
    onDone(`Session ${shortId(sessionId)} is merged into session ${into}.`);
  });
  return (
    <Dialog title={`Merge session ${shortId(sessionId)} into another one?`} onClose={onClose}>
      <p>
        Session {shortId(sessionId)} ends as cancelled. The other one takes its alert and further reports, but
        not its findings. To undo it, split the alert off there: that opens a new session.
      </p>
      {open.error.value && <Problem error={open.error.value} onRetry={open.reload} />}
      {rows.length > 0 && (
        <label class={s.choice}>
          Open session, the most similar first
          <select
            class={`${parts.select} ${parts.field}`}
            value={chosen.value ?? rows[0]?.sessionId}
            disabled={typed.value.trim() !== ''}
            onChange={(event) => {
              chosen.value = event.currentTarget.value;
            }}
          >
            {rows.map((row) => (
              <option key={row.sessionId} value={row.sessionId}>
                {`${row.title ?? 'no title'} (${shortId(row.sessionId)})`}
              </option>
            ))}
          </select>
        </label>
      )}
      {open.value.value !== undefined && rows.length === 0 && <p>No other session is open.</p>}
      <label class={s.choice}>
        Or the id or link of an open session
        <input
          class={parts.field}
          value={typed.value}
          maxLength={2_000}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
        />
      </label>
      <Buttons error={error} isDisabled={into === ''} onClose={onClose} onConfirm={send}>
        Merge and cancel {shortId(sessionId)}
      </Buttons>
    </Dialog>
  );
}

/** Sends a request once at a time. */
function useRequest(request: () => Promise<void>) {
  const error = useSignal<Error | undefined>(undefined);
  const isSending = useSignal(false);
  const send = async (): Promise<void> => {
    if (isSending.value) return;
    isSending.value = true;
    error.value = undefined;
    try {
      await request();
    } catch (cause) {
      error.value = asError(cause);
    } finally {
      isSending.value = false;
    }
  };
  return { error, send };
}

interface ButtonsProps {
  error: Signal<Error | undefined>;
  isDisabled?: boolean;
  onClose: () => void;
  onConfirm: () => Promise<void>;
  children: ComponentChildren;
}

/** The buttons of a dialog that stays open until the request succeeds. */
function Buttons({ error, isDisabled = false, onClose, onConfirm, children }: ButtonsProps) {
  return (
    <>
      {error.value && <Problem error={error.value} />}
      <div class={parts.actions}>
        <button type="button" class={parts.button} onClick={onClose}>
          Close
        </button>
        <button
          type="button"
          class={`${parts.button} ${parts.danger}`}
          disabled={isDisabled}
          onClick={() => void onConfirm()}
        >
          {children}
        </button>
      </div>
    </>
  );
}
