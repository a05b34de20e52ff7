// Actions on a session: cancel, pause, resume, start, run again, share, export, ask.

import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { SessionView } from '../../../shared/lists/apiTypes.ts';
import { api, asError } from '../api/client.ts';
import type { SentAlert } from '../api/sentAlert.ts';
import { canAct, isOff } from '../frame/currentUser.ts';
import { hasEnded } from '../model/status.ts';
import { Icon } from '../parts/Icon.tsx';
import { loadLater } from '../parts/lazyPart.tsx';
import parts from '../parts/parts.module.css';
import type { Act, Confirmed } from './Confirm.tsx';
import s from './session.module.css';
import { isOffline } from './state/offline.ts';
import { expire, useControl } from './state/useControl.ts';

const Items = loadLater('The menu', () => import('./ExportItems.tsx').then((module) => module.ExportItems));

const Confirm = loadLater('The confirmation', () => import('./Confirm.tsx').then((module) => module.Confirm));

/** The buttons of the head. */
export function Actions({ view }: { view: SessionView }) {
  const { outcome, send } = useControl();
  const confirmed = useSignal<Confirmed | undefined>(undefined);
  const hasEndedNow = hasEnded(view.status);
  const openNew = useNewSession(outcome);
  const act: Act = (name, text, body = {}) => {
    // The owner's part of the page resolves.
    if (name === 'resolve') return;
    void send(
      () => api.post(`/v1/sessions/{sessionId}/${name}`, { sessionId: view.sessionId }, body),
      (answer) => {
        if ('messageId' in answer) void openNew(answer);
        return text;
      },
    );
  };
  return (
    <div class={s.actions}>
      {canAct.value && <ControlButtons view={view} act={act} confirmed={confirmed} />}
      <ShareButton sessionId={view.sessionId} outcome={outcome} />
      <ExportMenu view={view} outcome={outcome} />
      {canAct.value && hasEndedNow && (
        <AskButton sessionId={view.sessionId} isPrimary={view.finalAnalysis !== null} />
      )}
      <span class={s.outcome} role="status">
        {outcome.value}
      </span>
      {confirmed.value && (
        <Confirm name={confirmed.value} onClose={() => (confirmed.value = undefined)} act={act} />
      )}
    </div>
  );
}

/** Opens the session of an alert that was sent, when it is there. @param outcome receives why it is not. */
function useNewSession(outcome: Signal<string>): (sent: SentAlert) => Promise<void> {
  const { route } = useLocation();
  const left = useMemo(() => new AbortController(), []);
  useEffect(() => () => left.abort(), [left]);
  return async (sent) => {
    try {
      const { awaitAlertSession: sessionOf } = await import('../api/sentAlert.ts');
      const found = await sessionOf(sent, left.signal);
      if (found !== undefined) route(`/s/${found.sessionId}`);
    } catch (cause) {
      outcome.value = asError(cause).message;
    }
  };
}

interface ControlProps {
  view: SessionView;
  act: Act;
  /** The action that is being confirmed. */
  confirmed: Signal<Confirmed | undefined>;
}

/** The actions that the state of the session permits. */
function ControlButtons({ view, act, confirmed }: ControlProps) {
  const { status, kind, steering, alert } = view;
  const isRunning = status === 'in_progress';
  const isWithout = view.finalAnalysis === null;
  return (
    <>
      {isRunning && (
        <ControlButton isDanger onClick={() => (confirmed.value = 'cancel')}>
          Cancel …
        </ControlButton>
      )}
      {isRunning && kind !== 'chat' && steering.paused === null && (
        <ControlButton onClick={() => act('pause', 'Pausing after the running calls')}>Pause</ControlButton>
      )}
      {isRunning && kind !== 'chat' && steering.paused !== null && (
        <ControlButton onClick={() => act('resume', 'Resumed')}>Resume</ControlButton>
      )}
      {status === 'deferred' && (
        <ControlButton onClick={() => act('start', 'Starting')}>Start now</ControlButton>
      )}
      {hasEnded(status) && alert !== null && (
        <ControlButton isPrimary={isWithout} onClick={() => (confirmed.value = 'rerun')}>
          <Icon name="again" /> Run again …
        </ControlButton>
      )}
    </>
  );
}

interface ButtonProps {
  isDanger?: boolean;
  isPrimary?: boolean;
  onClick: () => void;
  children: ComponentChildren;
}

/** A button that is disabled while the connection is lost. */
function ControlButton({ isDanger = false, isPrimary = false, onClick, children }: ButtonProps) {
  const tone = isDanger ? parts.danger : isPrimary ? parts.primary : '';
  return (
    <button
      type="button"
      class={`${parts.button} ${tone}`}
      disabled={isOffline.value}
      title={isOffline.value ? 'Connection lost' : undefined}
      onClick={onClick}
    >
      {children}
    </button>
  );
}

function ShareButton({ sessionId, outcome }: { sessionId: string; outcome: Signal<string> }) {
  const share = () => {
    const address = `${location.origin}/s/${sessionId}${location.hash}`;
    navigator.clipboard.writeText(address).then(
      () => {
        outcome.value = 'Link copied';
        expire(outcome);
      },
      () => {
        outcome.value = address;
      },
    );
  };
  return (
    <button type="button" class={parts.button} onClick={share}>
      <Icon name="link" /> Share
    </button>
  );
}

function AskButton({ sessionId, isPrimary }: { sessionId: string; isPrimary: boolean }) {
  const { route } = useLocation();
  if (isOff('chat')) return null;
  return (
    <button
      type="button"
      class={`${parts.button} ${isPrimary ? parts.primary : ''} ${s.ask}`}
      onClick={() => route(`/s/${sessionId}/ask`)}
    >
      <Icon name="speech" /> Ask
    </button>
  );
}

/** The menu of exports. @param props.outcome receives the failure of an export. */
function ExportMenu({ view, outcome }: { view: SessionView; outcome: Signal<string> }) {
  const isOpen = useSignal(false);
  const menu = useRef<HTMLDetailsElement>(null);
  const close = () => {
    if (menu.current !== null) menu.current.open = false;
  };
  useEffect(() => {
    const onPointer = ({ target }: Event) => {
      if (target instanceof Node && !menu.current?.contains(target)) close();
    };
    const onKey = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape' || menu.current?.open !== true) return;
      close();
      menu.current.querySelector('summary')?.focus();
    };
    addEventListener('pointerdown', onPointer);
    addEventListener('focusin', onPointer);
    addEventListener('keydown', onKey);
    return () => {
      removeEventListener('pointerdown', onPointer);
      removeEventListener('focusin', onPointer);
      removeEventListener('keydown', onKey);
    };
  }, []);
  return (
    <details
      class={s.export}
      ref={menu}
      onToggle={() => {
        isOpen.value = menu.current?.open === true;
      }}
    >
      <summary class={parts.button}>Export</summary>
      {isOpen.value && <Items view={view} outcome={outcome} close={close} />}
    </details>
  );
}
