// The parts of features on the page of a session: those of one place in the order in which they stand.

import { verdictWord } from '../../../shared/text/verdictWord.ts';
import { CheckFact } from '../features/checks/CheckFact.tsx';
import { Feedback } from '../features/work/Feedback.tsx';
import { canAct, isOff } from '../frame/currentUser.ts';
import { shownStatus } from '../model/shownStatus.ts';
import { loadLater } from '../parts/lazyPart.tsx';
import type { SessionPart } from '../session/state/slots.tsx';
import { listPending, readApprovals, readClaims } from './preload.ts';

/** The parts. Code that few sessions need, or that is drawn after the answer, is loaded later. */
export const PARTS: readonly SessionPart[] = [
  {
    place: 'facts',
    Part: CheckFact,
  },
  {
    place: 'owner',
    // Read after the session itself; the head has room for it.
    Part: loadLater('The owner', () => import('../features/work/Owner.tsx').then((module) => module.Owner)),
  },
  {
    place: 'above',
    Part: loadLater('The approval', readApprovals),
    isShown: ({ approvals }, { answered }) =>
      approvals.some(({ status, approvalId }) => status === 'pending' || answered.value.has(approvalId)),
    title: (view) => {
      const { length } = listPending(view);
      return length > 0 ? `(${length}) ` : '';
    },
  },
  {
    place: 'above',
    Part: loadLater('The question', () =>
      import('../features/approvals/AgentQuestion.tsx').then((module) => module.AgentQuestion),
    ),
    isShown: (_, { asked }) => asked.value,
  },
  {
    place: 'above',
    Part: loadLater('The check', () =>
      import('../features/checks/CheckPanel.tsx').then((module) => module.CheckPanel),
    ),
    isShown: ({ check }) => check,
  },
  {
    place: 'verdict',
    Part: loadLater('The verdict', readClaims),
    isShown: ({ verdict }) => verdict,
    title: (view) =>
      `${shownStatus(view) === 'limited' ? 'Limited: ' : ''}${view.verdict?.value ? `${verdictWord(view.verdict.value)}: ` : ''}`,
  },
  { place: 'review', Part: Feedback },
  {
    place: 'guidance',
    Part: loadLater('The field for guidance', () =>
      import('../features/guidance/GuidanceForm.tsx').then((module) => module.GuidanceForm),
    ),
    isShown: ({ status, kind }) => status === 'in_progress' && canAct.value && kind !== 'chat',
  },
  {
    place: 'side',
    Part: loadLater('The facts', () => import('./SidePanel.tsx').then((module) => module.SidePanel)),
  },
  {
    place: 'questions',
    Part: loadLater('The questions', () =>
      import('../features/chat/Questions.tsx').then((module) => module.Questions),
    ),
    isShown: () => !isOff('chat'),
  },
];
