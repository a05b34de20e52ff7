// Follows the problem of a session, which goes on after the session has ended and its stream with it.

import type { SessionView } from '../../../../shared/lists/apiTypes.ts';
import { api } from '../../api/client.ts';
import type { SessionModel } from './sessionModel.ts';

/** Between two reads of a few documents each. */
const READ_EVERY_MS = 10_000;

type ProblemPart = Pick<SessionView, 'problem' | 'reports'>;

/** Reads the state of the problem while the page is visible, until the returned function is called. */
export function followProblem({ view, sessionId, aroundChange }: SessionModel): () => void {
  const read = async (): Promise<void> => {
    if (document.hidden || !view.peek()?.problem) return;
    const { problem, reports } = await api.get('/v1/sessions/{sessionId}/problem', { sessionId });
    const shown = view.peek();
    if (shown === undefined || serializeProblem(shown) === serializeProblem({ problem, reports })) return;
    aroundChange.current(() => {
      view.value = { ...shown, problem, reports };
    });
  };
  // The next read also covers a failed one.
  const tryRead = () => void read().catch(() => {});
  const timer = setInterval(tryRead, READ_EVERY_MS);
  document.addEventListener('visibilitychange', tryRead);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', tryRead);
  };
}

const serializeProblem = ({ problem, reports }: ProblemPart) => JSON.stringify({ problem, reports });
