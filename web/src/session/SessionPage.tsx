// The page of a session: analysis, steps, time, cost, alert and questions.

import { useContext, useEffect, useMemo, useRef } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import type { SessionView } from '../../../shared/lists/apiTypes.ts';
import { serverNow, tick } from '../api/clock.ts';
import { isOff } from '../frame/currentUser.ts';
import frame from '../frame/frame.module.css';
import { useTabTitle } from '../frame/tabTitle.ts';
import { clockText, countText, durationText, titleText } from '../model/format.ts';
import { hasEnded } from '../model/status.ts';
import { Bars } from '../parts/Bars.tsx';
import { Icon } from '../parts/Icon.tsx';
import { loadLater } from '../parts/lazyPart.tsx';
import parts from '../parts/parts.module.css';
import { statusShown } from '../parts/statusDisplay.ts';
import { Analysis } from './analysis/Analysis.tsx';
import { type Following, useFollowSession } from './followSession.ts';
import steps from './rows/steps.module.css';
import { chooseSessionTitle, SessionHead } from './SessionHead.tsx';
import s from './session.module.css';
import { readFolding } from './state/folding.ts';
import { moveIn } from './state/keyboardMoves.ts';
import { describeNow } from './state/sentences.ts';
import { openSession, SessionContext, type SessionState, useSession } from './state/sessionState.ts';
import { listPartsAbove, SessionParts, Slot } from './state/slots.tsx';
import { readFilter } from './state/stepFilter.ts';
import { Steps } from './steps/Steps.tsx';
import { useStepAddress } from './useStepAddress.ts';

// Drawn after the answer and its steps, which people read first.
const Keys = loadLater('The keys', () => import('./Shortcuts.tsx').then((module) => module.Shortcuts));
const NotRead = loadLater('The reason', () =>
  import('./UnreadableSession.tsx').then((module) => module.UnreadableSession),
);
/** The page of a session. */
export function SessionPage() {
  const { params } = useRoute();
  return <Session key={params.sessionId} sessionId={params.sessionId ?? ''} />;
}

function Session({ sessionId }: { sessionId: string }) {
  const session = useMemo(() => openSession(sessionId), [sessionId]);
  const { path, query } = useLocation();
  useEffect(() => {
    readFilter(query);
    readFolding(query);
    moveIn(session.timeline);
    const stop = session.start();
    return () => {
      moveIn(undefined);
      stop();
    };
    // The query is read once: later input writes it.
  }, [session]);
  const view = session.view.value;
  const isWhole = useAbove(view, session);
  if (session.error.value !== undefined && view === undefined)
    return <NotRead sessionId={sessionId} error={session.error.value} retry={() => void session.load()} />;
  if (view === undefined || !isWhole) return <Bars />;
  return (
    <SessionContext.Provider value={session}>
      <Loaded view={view} isAsking={path.endsWith('/ask')} />
    </SessionContext.Provider>
  );
}

/**
 * Loads the parts that stand above the steps.
 * @returns whether these parts are loaded, so that the page can be drawn without a layout shift. Never
 * becomes false again.
 */
function useAbove(view: SessionView | undefined, session: SessionState): boolean {
  const wasWhole = useRef(false);
  const above = [Keys, ...listPartsAbove(useContext(SessionParts), view, session)];
  useEffect(() => {
    for (const part of above) part.start();
  }, [above.length]);
  wasWhole.current ||= view !== undefined && above.every((part) => part.isSettled());
  return wasWhole.current;
}

function Loaded({ view, isAsking }: { view: SessionView; isAsking: boolean }) {
  const session = useSession();
  const isRunning = !hasEnded(view.status);
  // On a narrow screen the facts stand below the steps; the verdict stays above them.
  const isNarrow = matchMedia('(max-width: 56.25em)').matches;
  const verdict = <Slot place="verdict" view={view} />;
  const following = useFollowSession(session, isRunning);
  useStepAddress(session);
  const before = useContext(SessionParts).map(({ title }) => title?.(view) ?? '');
  useTabTitle(titleText(`${before.join('')}${chooseSessionTitle(view)}`));
  return (
    <>
      <SessionHead view={view} />
      <OfflineBar />
      <div class={`${frame.page} ${s.columns} ${isAsking ? s.asking : ''}`}>
        <div class={s.main}>
          {isRunning && <NowLine view={view} />}
          <Slot place="above" view={view} />
          {!isToldBelow(view) && <Analysis view={view} />}
          {isNarrow && verdict}
          {(view.kind !== 'chat' || view.stages.some(({ kind }) => kind !== 'chat')) && <Steps view={view} />}
          <Slot place="guidance" view={view} />
        </div>
        <aside class={s.side} id="facts" aria-label="Facts">
          {isAsking && <Slot place="questions" view={view} />}
          {!isNarrow && verdict}
          <Slot place="side" view={view} />
        </aside>
        <div class={s.questions}>{!isAsking && <Slot place="questions" view={view} isShort />}</div>
      </div>
      <Pill following={following} isRunning={isRunning} />
      <BottomBar view={view} isAsking={isAsking} />
      <Keys following={following} sessionId={view.sessionId} />
    </>
  );
}

/** Whether a chat needs no analysis: its question has the answer or the error. */
function isToldBelow({ kind, status, stages, cancellation, finalAnalysis }: SessionView): boolean {
  if (kind !== 'chat' || cancellation !== null || finalAnalysis !== null) return false;
  if (!hasEnded(status)) return true;
  return stages.some(({ executions }) => executions.some((one) => one.failure ?? one.finalAnalysis));
}

/** New parts outside of the screen: the analysis, or steps. */
function Pill({ following, isRunning }: { following: Following; isRunning: boolean }) {
  const { isAnalysisReady, fresh, go, goToAnalysis } = following;
  if (isAnalysisReady.value)
    return (
      <button type="button" class={steps.fresh} onClick={goToAnalysis}>
        <Icon name="flag" /> Analysis ready <kbd>g a</kbd>
      </button>
    );
  if (fresh.value === 0 || !isRunning) return null;
  return (
    <button type="button" class={steps.fresh} onClick={go}>
      <Icon name="down" /> {countText(fresh.value, 'new step')}
    </button>
  );
}

const BAR = [
  { href: '#analysis', name: 'Answer', icon: 'flag' },
  { href: '#steps', name: 'Steps', icon: 'steps' },
  { href: '#facts', name: 'Facts', icon: 'info' },
] as const;

function BottomBar({ view: { sessionId, kind }, isAsking }: { view: SessionView; isAsking: boolean }) {
  const path = `/s/${sessionId}`;
  const shown = BAR.filter(({ href }) => kind !== 'chat' || href === '#facts');
  return (
    <nav class={s.bottom} aria-label="Parts of the session">
      {shown.map(({ href, name, icon }) => (
        <a key={href} href={isAsking ? `${path}${href}` : href}>
          <Icon name={icon} />
          {name}
        </a>
      ))}
      {!isOff('chat') && (
        <a href={`${path}/ask`} aria-current={isAsking ? 'page' : undefined}>
          <Icon name="speech" />
          Ask
        </a>
      )}
    </nav>
  );
}

/** The current activity, with elapsed time and deadline; nothing while an approval waits. */
function NowLine({ view }: { view: SessionView }) {
  if (view.approvals.some((one) => one.status === 'pending')) return null;
  const now = Math.max(tick.value, serverNow());
  const { status, lead, rest } = describeNow(view, now);
  const { icon, tone } = statusShown(status);
  const startMs = Date.parse(view.createdAt);
  return (
    <div class={`${s.now} ${parts[tone]}`} data-now>
      <Icon name={icon} {...(icon === 'ring' && { class: parts.spin ?? '' })} />
      <p>
        <b>
          <bdi>{lead}</bdi>
        </b>{' '}
        <bdi>{rest}</bdi>
      </p>
      {status !== 'deferred' && (
        <span class={parts.number}>
          {durationText(Math.max(0, now - startMs))} of {durationText(Date.parse(view.deadline) - startMs)}
        </span>
      )}
    </div>
  );
}

/** A grey bar while nothing comes. */
function OfflineBar() {
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
