// Who works on a session, in its head. Responders claim, release and resolve it there.

import { useSignal } from '@preact/signals';
import type { SessionView, WorkView } from '../../../../shared/lists/apiTypes.ts';
import { canAct, me } from '../../frame/currentUser.ts';
import parts from '../../parts/parts.module.css';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { Confirm } from '../../session/Confirm.tsx';
import { isOffline } from '../../session/state/offline.ts';
import { useAddWork, useReadWork } from '../../session/state/useWork.ts';
import s from './owner.module.css';

/** The owner, and the buttons of a responder. */
export function Owner({ view }: { view: SessionView }) {
  const known = useReadWork(view).value.value;
  const { add, outcome, isSending } = useAddWork();
  const isResolving = useSignal(false);
  const isOwn = known !== undefined && known.claimedBy !== null && known.claimedBy === me.value?.name;
  const isDisabled = known === undefined || isOffline.value || isSending.value;
  const text = known ? describeOwner(known) : '';
  return (
    <div class={s.owner} role="group" aria-label="Owner">
      <span class={s.state} title={text}>
        <Untrusted text={outcome.value || text} />
      </span>
      {canAct.value && (
        <>
          <button
            type="button"
            class={`${parts.button} ${s.claim}`}
            disabled={isDisabled}
            onClick={() => void add(isOwn ? 'release' : 'claim')}
          >
            {isOwn ? 'Release' : 'Claim'}
          </button>
          <button
            type="button"
            class={parts.button}
            disabled={isDisabled}
            onClick={() => (isResolving.value = true)}
          >
            Resolve …
          </button>
        </>
      )}
      {isResolving.value && (
        <Confirm
          name="resolve"
          onClose={() => (isResolving.value = false)}
          act={(_name, _outcome, { reason } = {}) => void add('resolve', reason)}
        />
      )}
    </div>
  );
}

function describeOwner({ claimedBy, resolved, isDisputed }: WorkView): string {
  const state = resolved
    ? `Resolved by ${resolved.by}`
    : claimedBy
      ? `${claimedBy} works on it`
      : 'Not claimed';
  return isDisputed ? `${state}. Reviews differ.` : state;
}
