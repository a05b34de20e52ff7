// Calls that wait for a person. Approving takes two acts; no key approves.

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { AnswerOf, Approval, SessionView, TimelineEvent } from '../../../../shared/lists/apiTypes.ts';
import { api, asError } from '../../api/client.ts';
import { serverNow, tick } from '../../api/clock.ts';
import { canAct } from '../../frame/currentUser.ts';
import { durationText } from '../../model/format.ts';
import { isCall, shortName } from '../../model/steps.ts';
import { Arguments } from '../../parts/Arguments.tsx';
import { Dialog } from '../../parts/Dialog.tsx';
import { Icon } from '../../parts/Icon.tsx';
import parts from '../../parts/parts.module.css';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { isOffline } from '../../session/state/offline.ts';
import { useSession } from '../../session/state/sessionState.ts';
import s from './approval.module.css';

/** So long a page shows a decision at its top; the steps keep it. */
const DECIDED_MS = 60_000;

type Decided = AnswerOf<'POST /v1/approvals/{approvalId}'>;

/** The cards of pending approvals, and for a minute of those decided here. */
export function Approvals({ view }: { view: SessionView }) {
  const { answered } = useSession();
  return (
    <>
      {view.approvals
        .filter(({ status, approvalId }) => status === 'pending' || answered.value.has(approvalId))
        .map((approval) => (
          <ApprovalCard key={approval.approvalId} approval={approval} />
        ))}
    </>
  );
}

/** The card of an approval, with all arguments whole. */
function ApprovalCard({ approval }: { approval: Approval }) {
  const { refresh, timeline, answered } = useSession();
  const isAsking = useSignal<'approve' | 'deny' | undefined>(undefined);
  const isDeciding = useSignal(false);
  const { approvalId, agentName, toolName, until } = approval;
  // Not in the card: a refresh can remove the approval while the request is running.
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
      const { outcome, approval: after } = await api.post('/v1/approvals/{approvalId}', { approvalId }, body);
      say(outcomeText(outcome, after));
      refresh();
    } catch (error) {
      say(asError(error).message);
    }
    isDeciding.value = false;
  };
  const statusText =
    answered.value.get(approvalId) || (isDeciding.value ? '' : describeClosedApproval(approval));
  const left = Date.parse(until) - Math.max(tick.value, serverNow());
  const reason = findApprovalReason(timeline.all(), approval);
  const off = isOffline.value;
  const isPending = approval.status === 'pending';
  useEffect(() => {
    if (isPending) {
      // From now on this page shows the outcome, also of other people's decisions.
      if (!answered.peek().has(approvalId)) say('');
      return undefined;
    }
    const timer = setTimeout(() => {
      answered.value = new Map([...answered.value].filter(([id]) => id !== approvalId));
    }, DECIDED_MS);
    return () => clearTimeout(timer);
  }, [isPending]);
  const close = () => (isAsking.value = undefined);
  // A dialog that is open shows the outcome, too, and offers no decision any more.
  const closed = isPending ? '' : statusText;
  const dialogs = (
    <>
      {isAsking.value === 'approve' && (
        <ApproveDialog approval={approval} closed={closed} decide={decide} onClose={close} />
      )}
      {isAsking.value === 'deny' && (
        <DenyDialog approval={approval} closed={closed} decide={decide} onClose={close} />
      )}
    </>
  );
  if (!isPending)
    return (
      <section class={s.decided} aria-label="Decision" data-approval={approvalId}>
        <Icon name="hand" />
        <span role="status">{statusText}</span> <Untrusted text={shortName(toolName)} />
        {dialogs}
      </section>
    );
  return (
    <section class={s.approval} aria-labelledby={`approval-${approvalId}`} data-approval={approvalId}>
      <h2 id={`approval-${approvalId}`}>
        <Icon name="hand" />
        <span>
          <Untrusted text={agentName} /> requests approval for a tool that makes changes
        </span>
      </h2>
      <ToolLine toolName={toolName} />
      <Arguments json={approval.arguments} />
      {reason !== '' && (
        <p>
          Reason: “<Untrusted text={reason} />”
        </p>
      )}
      <p class={parts.meta}>
        {left > 0 ? `Denied automatically in ${durationText(left)}.` : 'Expired.'}
        {off && ' Connection lost: decisions are disabled.'}
      </p>
      {canAct.value ? (
        <Choices off={off} deny={() => void decide('denied', '')} ask={ask} />
      ) : (
        <p>Only responders and admins can decide. Your role is viewer.</p>
      )}
      <p role="status">{statusText}</p>
      {dialogs}
    </section>
  );
}

interface ChoicesProps {
  off: boolean;
  deny: () => void;
  ask: (what: 'approve' | 'deny') => void;
}

/** The decisions; all except a plain denial ask for a confirmation. */
function Choices({ off, deny, ask }: ChoicesProps) {
  return (
    <div class={parts.actions}>
      <button type="button" class={parts.button} disabled={off} onClick={deny}>
        Deny
      </button>
      <button type="button" class={parts.button} disabled={off} onClick={() => ask('deny')}>
        Deny with a reason …
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
  /** The outcome after another user or the deadline closed the approval; '' while it is pending. */
  closed: string;
  decide: (verdict: 'approved' | 'denied', reason: string) => Promise<void>;
  onClose: () => void;
}

/** The confirmation: tool and arguments again, and a button that names the effect. The focus is on Deny. */
function ApproveDialog({ approval, closed, decide, onClose }: DialogProps) {
  const deny = useRef<HTMLButtonElement>(null);
  useEffect(() => deny.current?.focus(), []);
  return (
    <Dialog title={`Run ${shortName(approval.toolName)}?`} onClose={onClose}>
      <ToolLine toolName={approval.toolName} />
      <div class={s.whole}>
        <Arguments json={approval.arguments} />
      </div>
      <p role="status">{closed}</p>
      <div class={parts.actions}>
        {closed === '' && (
          <button ref={deny} type="button" class={parts.button} onClick={() => void decide('denied', '')}>
            Deny
          </button>
        )}
        <button type="button" class={parts.button} onClick={onClose}>
          Close
        </button>
        {closed === '' && (
          <button
            type="button"
            class={`${parts.button} ${s.approve}`}
            onClick={() => void decide('approved', '')}
          >
            Run <bdi>{shortName(approval.toolName)}</bdi>
          </button>
        )}
      </div>
    </Dialog>
  );
}

function DenyDialog({ approval, closed, decide, onClose }: DialogProps) {
  const reason = useSignal('');
  return (
    <Dialog title={`Deny ${shortName(approval.toolName)}`} onClose={onClose}>
      <label>
        Reason, sent to the agent
        <input
          class={parts.field}
          value={reason.value}
          maxLength={2_000}
          onInput={(event) => {
            reason.value = event.currentTarget.value;
          }}
        />
      </label>
      <p role="status">{closed}</p>
      <div class={parts.actions}>
        <button type="button" class={parts.button} onClick={onClose}>
          Close
        </button>
        {closed === '' && (
          <button
            type="button"
            class={`${parts.button} ${parts.danger}`}
            onClick={() => void decide('denied', reason.value)}
          >
            Deny
          </button>
        )}
      </div>
    </Dialog>
  );
}

function outcomeText(outcome: Decided['outcome'], { status, decidedBy, reason }: Approval): string {
  if (outcome === 'decided') return status === 'approved' ? 'Approved. The tool is running.' : 'Denied.';
  if (outcome === 'already_decided')
    return `Already decided by ${decidedBy ?? 'another user'}: ${status}${reason === null ? '' : ` (${reason})`}.`;
  return outcome === 'expired' ? 'Expired: the call was denied.' : 'The agent has already ended.';
}

/** The outcome of an approval that another user or its deadline closed. */
function describeClosedApproval(approval: Approval): string {
  const { status } = approval;
  if (status === 'pending') return '';
  return outcomeText(status === 'expired' || status === 'ended' ? status : 'already_decided', approval);
}

/** The response of the agent that made the call. */
function findApprovalReason(events: readonly TimelineEvent[], { executionId, callId }: Approval): string {
  const call = events
    .filter(isCall)
    .find((event) => event.executionId === executionId && event.metadata.callId === callId);
  const response = events.find(
    (event) =>
      event.eventType === 'llm_response' &&
      event.executionId === executionId &&
      event.iteration === call?.iteration,
  );
  return response?.content.trim() ?? '';
}
