// A call that waits for a person. Approving takes two acts; no key approves.

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Approval } from '../../../shared/api/types.ts';
import { postJson } from '../api/client.ts';
import { serverNow, tick } from '../api/clock.ts';
import { mayAct } from '../frame/me.ts';
import { durationText } from '../model/format.ts';
import { metaText, shortName } from '../model/steps.ts';
import { Arguments } from '../parts/Arguments.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Foreign } from '../parts/Foreign.tsx';
import { Icon } from '../parts/Icon.tsx';
import parts from '../parts/parts.module.css';
import s from './approval.module.css';
import { isOffline } from './state/offline.ts';
import { useSession } from './state/sessionState.ts';

interface Decided {
  outcome: 'decided' | 'already_decided' | 'expired' | 'ended';
  approval: Approval;
}

/** The card of an approval, with all arguments whole. */
export function ApprovalCard({ approval }: { approval: Approval }) {
  const { refresh, timeline, answered } = useSession();
  const isAsking = useSignal<'approve' | 'deny' | undefined>(undefined);
  const isDeciding = useSignal(false);
  const { approvalId, agentName, toolName, until } = approval;
  // Not in the card: a refresh may take the approval off the list while the answer is under way.
  const say = (text: string) => {
    answered.value = new Map([...answered.value, [approvalId, text]]);
  };
  const ask = (what: 'approve' | 'deny') => {
    say('');
    isAsking.value = what;
  };
  const decide = async (verdict: 'approved' | 'denied', reason: string) => {
    isAsking.value = undefined;
    isDeciding.value = true;
    say('');
    try {
      const body = { verdict, ...(reason.trim() !== '' && { reason: reason.trim() }) };
      const { outcome, approval: after } = await postJson<Decided>(
        `/v1/approvals/${encodeURIComponent(approvalId)}`,
        body,
      );
      say(saidOf(outcome, after));
      refresh();
    } catch (error) {
      say((error as Error).message);
    }
    isDeciding.value = false;
  };
  const said = answered.value.get(approvalId) || (isDeciding.value ? '' : missedOf(approval));
  const left = Date.parse(until) - Math.max(tick.value, serverNow());
  const reason = reasonOf(timeline.all(), approval);
  const off = isOffline.value;
  return (
    <section class={s.approval} aria-labelledby={`approval-${approvalId}`} data-approval={approvalId}>
      <h2 id={`approval-${approvalId}`}>
        <Icon name="hand" />
        <span>
          <Foreign text={agentName} /> asks to run a tool that changes something
        </span>
      </h2>
      <ToolLine toolName={toolName} />
      <Arguments json={approval.arguments} />
      {reason !== '' && (
        <p>
          Its reason: “<Foreign text={reason} />”
        </p>
      )}
      {approval.status === 'pending' && (
        <>
          <p class={parts.meta}>
            {left > 0 ? `Denied by itself in ${durationText(left)}.` : 'Its time is over.'}
            {off && ' The connection is lost: nobody can decide now.'}
          </p>
          {mayAct.value ? (
            <Choices off={off} deny={() => void decide('denied', '')} ask={ask} />
          ) : (
            <p>Responders and admins may decide. You are a viewer.</p>
          )}
        </>
      )}
      <p role="status">{said}</p>
      {isAsking.value === 'approve' && (
        <ApproveDialog approval={approval} decide={decide} onClose={() => (isAsking.value = undefined)} />
      )}
      {isAsking.value === 'deny' && (
        <DenyDialog approval={approval} decide={decide} onClose={() => (isAsking.value = undefined)} />
      )}
    </section>
  );
}

interface ChoicesProps {
  off: boolean;
  deny: () => void;
  ask: (what: 'approve' | 'deny') => void;
}

/** What can be decided; all but a plain denial asks once more. */
function Choices({ off, deny, ask }: ChoicesProps) {
  return (
    <div class={parts.actions}>
      <button type="button" class={parts.button} disabled={off} onClick={deny}>
        Deny
      </button>
      <button type="button" class={parts.button} disabled={off} onClick={() => ask('deny')}>
        Deny and say why …
      </button>
      <button
        type="button"
        class={`${parts.button} ${s.approve}`}
        disabled={off}
        onClick={() => ask('approve')}
      >
        Approve once …
      </button>
    </div>
  );
}

function ToolLine({ toolName }: { toolName: string }) {
  return (
    <p class={s.toolLine}>
      <bdi>
        {toolName.slice(0, toolName.length - shortName(toolName).length)}
        <b>{shortName(toolName)}</b>
      </bdi>
    </p>
  );
}

interface DialogProps {
  approval: Approval;
  decide: (verdict: 'approved' | 'denied', reason: string) => Promise<void>;
  onClose: () => void;
}

/** The second act: tool and arguments once more, and a button that says what will happen. The focus is on Deny. */
function ApproveDialog({ approval, decide, onClose }: DialogProps) {
  const deny = useRef<HTMLButtonElement>(null);
  useEffect(() => deny.current?.focus(), []);
  return (
    <Dialog title={`Run ${shortName(approval.toolName)}?`} onClose={onClose}>
      <ToolLine toolName={approval.toolName} />
      <div class={s.whole}>
        <Arguments json={approval.arguments} />
      </div>
      <div class={parts.actions}>
        <button ref={deny} type="button" class={parts.button} onClick={() => void decide('denied', '')}>
          Deny
        </button>
        <button type="button" class={parts.button} onClick={onClose}>
          Not yet
        </button>
        <button
          type="button"
          class={`${parts.button} ${s.approve}`}
          onClick={() => void decide('approved', '')}
        >
          Run <bdi>{shortName(approval.toolName)}</bdi>
        </button>
      </div>
    </Dialog>
  );
}

function DenyDialog({ approval, decide, onClose }: DialogProps) {
  const reason = useSignal('');
  return (
    <Dialog title={`Deny ${shortName(approval.toolName)}`} onClose={onClose}>
      <label>
        Why? The agent reads it.
        <input
          class={parts.field}
          value={reason.value}
          maxLength={2_000}
          onInput={(event) => {
            reason.value = event.currentTarget.value;
          }}
        />
      </label>
      <div class={parts.actions}>
        <button type="button" class={parts.button} onClick={onClose}>
          Not yet
        </button>
        <button
          type="button"
          class={`${parts.button} ${parts.danger}`}
          onClick={() => void decide('denied', reason.value)}
        >
          Deny
        </button>
      </div>
    </Dialog>
  );
}

function saidOf(outcome: Decided['outcome'], { status, decidedBy, reason }: Approval): string {
  if (outcome === 'decided') return status === 'approved' ? 'Approved. It runs now.' : 'Denied.';
  if (outcome === 'already_decided')
    return `Meanwhile ${decidedBy ?? 'somebody else'} decided: ${status}${reason === null ? '' : ` (${reason})`}.`;
  return outcome === 'expired'
    ? 'Too late: its time is over, and it was denied.'
    : 'Too late: the agent has ended.';
}

/** What became of an approval that was open here when somebody else, or its time, closed it. */
function missedOf(approval: Approval): string {
  const { status } = approval;
  if (status === 'pending') return '';
  return saidOf(status === 'expired' || status === 'ended' ? status : 'already_decided', approval);
}

/** What the agent said in the answer that made the call. */
function reasonOf(
  events: ReturnType<ReturnType<typeof useSession>['timeline']['all']>,
  { executionId, callId }: Approval,
): string {
  const call = events.find(
    (event) => event.executionId === executionId && metaText(event, 'callId') === callId,
  );
  const said = events.find(
    (event) =>
      event.eventType === 'llm_response' &&
      event.executionId === executionId &&
      event.iteration === call?.iteration,
  );
  return said?.content.trim() ?? '';
}
