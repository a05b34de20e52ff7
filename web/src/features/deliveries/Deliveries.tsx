// Messages at destinations: state, attempts, last error. Responders send failed ones again.

import { useEffect } from 'preact/hooks';
import { readPages } from '../../../../shared/client/readPages.ts';
import type { DeliveryView, SessionView } from '../../../../shared/lists/apiTypes.ts';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/useResource.ts';
import { canAct } from '../../frame/currentUser.ts';
import { countText, dayText } from '../../model/format.ts';
import { Problem } from '../../parts/Problem.tsx';
import parts from '../../parts/parts.module.css';
import { Time } from '../../parts/Time.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import s from '../../session/side/side.module.css';
import { isOffline } from '../../session/state/offline.ts';
import { useSession } from '../../session/state/sessionState.ts';
import { useControl } from '../../session/state/useControl.ts';

const STATES: Record<DeliveryView['state'], string> = {
  pending: 'waits',
  sending: 'is sent now',
  sent: 'sent',
  unknown: 'arrival unknown',
  failed: 'failed',
  skipped: 'covered by a later message',
  awaited: 'being written',
};
const EVENTS: Record<string, string> = {
  opened: 'Start',
  progress: 'Progress',
  approval: 'Approval',
  decided: 'Decision',
  ended: 'Result',
  failed: 'Failure',
  details: 'Details',
  answer: 'Answer',
  deferred: 'Deferred',
  outcome: 'Outcome',
};
const LIST = '/v1/sessions/{sessionId}/deliveries';
const SEND_AGAIN = '/v1/sessions/{sessionId}/deliveries/{deliveryId}/send-again';
/** Messages that are sent within seconds are shown without a reload of the page. */
const RELOAD_MS = 10_000;

/** The panel; absent for a session without destinations. */
export function Deliveries({ view }: { view: SessionView }) {
  return (view.destinations ?? []).length === 0 ? null : <Panel view={view} />;
}

function Panel({ view }: { view: SessionView }) {
  const { sessionId } = useSession();
  const { value, error, reload } = useResource(
    (left) => readPages('deliveries', (page) => api.get(LIST, { sessionId, ...page }, left)),
    [sessionId],
  );
  const shown = (value.value?.deliveries ?? []).filter(({ state }) => state !== 'skipped');
  const isMoving = shown.some(({ state }) => state === 'pending' || state === 'sending');
  useEffect(() => {
    reload();
    if (!isMoving) return;
    const timer = setInterval(reload, RELOAD_MS);
    return () => clearInterval(timer);
  }, [view.status, isMoving]);
  const failed = shown.filter(({ state }) => state === 'failed' || state === 'unknown').length;
  return (
    <section class={parts.panel} aria-labelledby="deliveries-title">
      <div class={parts.panelHead}>
        <h2 id="deliveries-title">Messages</h2>
        <span class={parts.meta}>
          {failed > 0 ? `${failed} of ${countText(shown.length, 'message')} not confirmed` : shown.length}
        </span>
      </div>
      {error.value && <Problem error={error.value} onRetry={reload} />}
      <ul class={s.list}>
        {shown.map((delivery) => (
          <Message key={delivery.deliveryId} delivery={delivery} onSent={reload} />
        ))}
      </ul>
    </section>
  );
}

function Message({ delivery, onSent }: { delivery: DeliveryView; onSent: () => void }) {
  const { destination, event, state, attempts, sentAt, dueAt, failure, deliveryId } = delivery;
  const { sessionId } = useSession();
  const { outcome, send } = useControl();
  const at = sentAt ?? dueAt;
  const again = async () => {
    await send(
      () => api.post(SEND_AGAIN, { sessionId, deliveryId }, undefined),
      () => '',
    );
    onSent();
  };
  const canRepeat = canAct.value && (state === 'failed' || state === 'unknown');
  return (
    <li>
      <b>
        <Untrusted text={destination} />
      </b>{' '}
      {EVENTS[event] ?? event}: {STATES[state]}{' '}
      <span class={parts.meta}>
        {at !== null && <Time iso={at} text={dayText(at)} />}
        {attempts > 1 && ` · ${countText(attempts, 'attempt')}`}
      </span>
      {failure !== null && (
        <p class={s.entryText}>
          <code>{failure.code}</code> <Untrusted text={failure.message} />
        </p>
      )}
      {canRepeat && (
        <button type="button" class={parts.button} disabled={isOffline.value} onClick={() => void again()}>
          {state === 'unknown' ? 'Send again, possibly twice' : 'Send again'}
        </button>
      )}
      {outcome.value !== '' && (
        <p class={parts.meta} role="status">
          {outcome.value}
        </p>
      )}
    </li>
  );
}
