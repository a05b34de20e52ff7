// Sends alerts and questions through the API, and follows them until they are answered.

import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionView } from '../../shared/runtime/views/sessionView.ts';
import type { Printer } from '../print/printer.ts';
import { reportUnreadable } from '../print/reportUnreadable.ts';
import type { ApiClient } from './apiClient.ts';
import { ApiProblem } from './apiProblem.ts';
import { followSession, readState } from './sessions.ts';

const POLL_MS = 300;

/** How the investigation or answer is followed. */
interface Following {
  api: ApiClient;
  /** Absent: does not wait. */
  printer?: Printer | undefined;
  onProgress: (line: string) => void;
  signal: AbortSignal;
}

/** Publishes an alert, and follows its session. @returns the ended session; undefined without a printer. */
export async function sendAlert(
  data: Buffer,
  chain: string | undefined,
  following: Following,
): Promise<EndedSession | undefined> {
  const { api, printer, onProgress } = following;
  type Sent = { alertKey: string; alert: { title: string } };
  const { alertKey, alert } = await api.post<Sent>('/v1/alerts', data, { chain });
  onProgress(`published "${alert.title}" as ${alertKey}`);
  if (printer === undefined) return undefined;
  const sessionId = await sessionOf(alertKey, following);
  return await followToEnd(sessionId, { ...following, printer });
}

/** Investigates the alert of a session again, and follows the new session as `sendAlert` does. */
export async function rerun(
  sessionId: string,
  chain: string | undefined,
  following: Following,
): Promise<EndedSession | undefined> {
  const { api, printer, onProgress } = following;
  const body = chain === undefined ? {} : { chain };
  const { alertKey } = await api.post<{ alertKey: string }>(`/v1/sessions/${sessionId}/rerun`, body);
  onProgress(`rerun of ${sessionId} is published as ${alertKey}`);
  if (printer === undefined) return undefined;
  return await followToEnd(await sessionOf(alertKey, following), { ...following, printer });
}

/** A stored question. */
interface StoredQuestion {
  sessionId: string;
  stageId: string;
  executionId: string;
  isPublished: boolean;
}

/** Asks a question, and follows the answer. */
export async function ask(
  text: string,
  { sessionId, chain }: { sessionId?: string | undefined; chain?: string | undefined },
  { api, printer, onProgress, signal }: Following,
): Promise<{ question: StoredQuestion; answer: ExecutionView | undefined }> {
  const question =
    sessionId === undefined
      ? await api.post<StoredQuestion>('/v1/chats', { text, ...(chain !== undefined && { chain }) })
      : await api.post<StoredQuestion>(`/v1/sessions/${sessionId}/questions`, { text });
  if (!question.isPublished)
    onProgress('its message could not be published: the sweep publishes it within two minutes');
  if (printer === undefined) return { question, answer: undefined };
  onProgress(`session ${question.sessionId}`);
  signal.addEventListener(
    'abort',
    () => onProgress('no longer watching; the question is still being answered'),
    {
      once: true,
    },
  );
  await followSession(api, question.sessionId, {
    onEvent: (event) => event.executionId === question.executionId && printer.event(event),
    signal,
    onLost: onProgress,
  });
  const { stages } = await readState(api, question.sessionId);
  const answer = stages
    .flatMap(({ executions }) => executions)
    .find((one) => one.executionId === question.executionId);
  if (answer === undefined) throw new Error(`the answer of session ${question.sessionId} was deleted`);
  return { question, answer };
}

/** A session as the API returns it. */
type EndedSession = Omit<SessionView, 'timeline'>;

/** An execution as the API returns it. */
type ExecutionView = SessionView['stages'][number]['executions'][number];

/** Prints a session until it has ended, or is deferred without a time. */
export async function followToEnd(
  sessionId: string,
  { api, printer, onProgress, signal, fromNow }: Following & { printer: Printer; fromNow?: boolean },
): Promise<EndedSession> {
  await followSession(api, sessionId, {
    onEvent: printer.event,
    onUnreadable: reportUnreadable,
    signal,
    onLost: onProgress,
    ...(fromNow !== undefined && { fromNow }),
  });
  const view = await readState(api, sessionId);
  printer.end({ ...view, chain: { name: view.chain } }, `sessions/${sessionId} in ${api.where}`, view.models);
  return view;
}

async function sessionOf(
  alertKey: string,
  { api, onProgress, signal }: Pick<Following, 'api' | 'onProgress' | 'signal'>,
): Promise<string> {
  for (;;) {
    try {
      const { sessionId } = await api.get<{ sessionId: string }>(`/v1/alerts/${alertKey}`);
      onProgress(`session ${sessionId}`);
      return sessionId;
    } catch (error) {
      if (!(error instanceof ApiProblem && error.code === 'NOT_FOUND')) throw error;
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}
