// The page of a session: analysis, steps, time, cost, alert and questions.

import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import type { Approval, SessionView } from '../../../shared/api/types.ts';
import { verdictWord } from '../../../shared/text/verdictWord.ts';
import { canAct } from '../frame/currentUser.ts';
import frame from '../frame/frame.module.css';
import { useTabTitle } from '../frame/tabTitle.ts';
import { countText, titleText } from '../model/format.ts';
import { shownStatus } from '../model/shownStatus.ts';
import { hasEnded } from '../model/status.ts';
import { Bars } from '../parts/Bars.tsx';
import { Icon } from '../parts/Icon.tsx';
import { loadLater } from '../parts/lazyPart.tsx';
import { Analysis } from './analysis/Analysis.tsx';
import { type Following, useFollowSession } from './followSession.ts';
import { NowLine } from './NowLine.tsx';
import { OfflineBar } from './OfflineBar.tsx';
import { isWaiting, readApprovalCard, readClaims } from './preload.ts';
import steps from './rows/steps.module.css';
import { chooseSessionTitle, SessionHead } from './SessionHead.tsx';
import s from './session.module.css';
import { readFolding } from './state/folding.ts';
import { moveIn } from './state/keyboardMoves.ts';
import { openSession, SessionContext, useSession } from './state/sessionState.ts';
import { readFilter } from './state/stepFilter.ts';
import { Steps } from './steps/Steps.tsx';
import { useStepAddress } from './useStepAddress.ts';

// Drawn after the answer and its steps, which people read first.
const Keys = loadLater('The keys', () => import('./Shortcuts.tsx').then((module) => module.Shortcuts));
const Side = loadLater('The facts', () => import('./side/SidePanel.tsx').then((module) => module.SidePanel));
const Ask = loadLater('The questions', () => import('./Questions.tsx').then((module) => module.Questions));
// Only chains that keep a ledger have one.
const Claims = loadLater('The verdict', readClaims);
const NotRead = loadLater('The reason', () =>
  import('./UnreadableSession.tsx').then((module) => module.UnreadableSession),
);
// Only checks have one.
const CheckPanel = loadLater('The check', () =>
  import('./CheckPanel.tsx').then((module) => module.CheckPanel),
);
// Few sessions have one.
const Asked = loadLater('The question', () =>
  import('./AgentQuestion.tsx').then((module) => module.AgentQuestion),
);
// Only sessions that wait for a decision have one, and only running ones take guidance.
const ApprovalCard = loadLater('The approval', readApprovalCard);
const GuidanceForm = loadLater('The field for guidance', () =>
  import('./GuidanceForm.tsx').then((module) => module.GuidanceForm),
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
  const isWhole = useAbove(view);
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
function useAbove(view: SessionView | undefined): boolean {
  const wasWhole = useRef(false);
  const above = [
    Keys,
    ...(view && isWaiting(view) ? [ApprovalCard] : []),
    ...(view?.verdict ? [Claims] : []),
    ...(view?.check ? [CheckPanel] : []),
  ];
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
  const verdict = view.verdict && <Claims view={view} verdict={view.verdict} />;
  const following = useFollowSession(session, isRunning);
  useStepAddress(session);
  const pending = view.approvals.filter(({ status }) => status === 'pending');
  const isShown = ({ status, approvalId }: Approval) =>
    status === 'pending' || session.answered.value.has(approvalId);
  const count = pending.length > 0 ? `(${pending.length}) ` : '';
  const limited = shownStatus(view) === 'limited' ? 'Limited: ' : '';
  const word = view.verdict?.value ? `${verdictWord(view.verdict.value)}: ` : '';
  useTabTitle(titleText(`${count}${limited}${word}${chooseSessionTitle(view)}`));
  return (
    <>
      <SessionHead view={view} />
      <OfflineBar />
      <div class={`${frame.page} ${s.columns} ${isAsking ? s.asking : ''}`}>
        <div class={s.main}>
          {isRunning && pending.length === 0 && <NowLine view={view} />}
          {view.approvals.filter(isShown).map((approval) => (
            <ApprovalCard key={approval.approvalId} approval={approval} />
          ))}
          <OpenQuestion view={view} />
          {view.check && <CheckPanel check={view.check} status={view.status} />}
          {!isToldBelow(view) && <Analysis view={view} />}
          {isNarrow && verdict}
          {(view.kind !== 'chat' || view.stages.some(({ kind }) => kind !== 'chat')) && <Steps view={view} />}
          {view.status === 'in_progress' && canAct.value && view.kind !== 'chat' && (
            <GuidanceForm view={view} />
          )}
        </div>
        <aside class={s.side} id="facts" aria-label="Facts">
          {isAsking && <Ask view={view} />}
          {!isNarrow && verdict}
          <Side view={view} />
        </aside>
        <div class={s.questions}>{!isAsking && <Ask view={view} isShort />}</div>
      </div>
      <Pill following={following} isRunning={isRunning} />
      <BottomBar view={view} isAsking={isAsking} />
      <Keys following={following} sessionId={view.sessionId} />
    </>
  );
}

/** The question of an agent that no person has answered. */
function OpenQuestion({ view }: { view: SessionView }) {
  const { asked } = useSession();
  return asked.value === undefined ? null : <Asked view={view} event={asked.value} />;
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
      <a href={`${path}/ask`} aria-current={isAsking ? 'page' : undefined}>
        <Icon name="speech" />
        Ask
      </a>
    </nav>
  );
}
