// Sends alerts and questions through the API, and follows them until they are answered.

import { setTimeout as sleep } from 'node:timers/promises';
import { isInvestigated } from '../../shared/alerts/fields/status.ts';
import type { Alert } from '../../shared/alerts/schema/alert.ts';
import { ATTRIBUTES_HEADER } from '../../shared/api/http/alertAttributes.ts';
import { ApiError } from '../../shared/client/apiError.ts';
import type { TimelineEvent } from '../../shared/core/schema/timelineEvent.ts';
import type { SessionView } from '../../shared/kits/views/sessionView.ts';
import type { AnswerOf } from '../../shared/lists/apiTypes.ts';
import { paths } from '../../shared/lists/documents.ts';
import { secondsText } from '../../shared/text/amounts.ts';
import type { ApiClient } from '../api/apiClient.ts';
import { followSession, readState } from '../api/sessions.ts';
import type { Printer } from '../print/printer.ts';
import { problemText, reportsText } from '../print/reports.ts';
import type { Terminal } from '../process/ask.ts';
import { beforeAbort } from '../process/interrupt.ts';
import { reportUnreadable } from '../process/output.ts';
import { type AlertInput, describeAlert } from './alertInput.ts';
import { createApprovalAsker } from './askApproval.ts';

const POLL_MS = 300;
/** Every so many polls search for a dropped or refused alert, too. */
const POLLS_OF_SEARCH = 4;
/** Milliseconds without answer or session before a notice; a cold start is usually faster. */
const PATIENCE_MS = 5_000;

const STATUS_WORDS: Partial<Record<Alert['status'], string>> = {
  resolved: 'resolved',
  acknowledged: 'acknowledged',
  test: 'a test',
};

/** How an investigation or answer is followed. */
export interface Following {
  api: ApiClient;
  /** Prints the timeline as it grows. Absent: does not wait. */
  printer?: Printer | undefined;
  /** The terminal that asks for approvals. Absent: no question is asked. */
  terminal?: Terminal | undefined;
  /** Called with a line for people: the alert, its session, and delays. */
  onProgress: (line: string) => void;
  /** Ends the wait. */
  signal: AbortSignal;
}

/** How an alert is sent. */
interface SendOptions {
  /** The chain to run. Default: the rules select it. */
  chain?: string | undefined;
  /** Further attributes of its message. */
  attributes?: Record<string, string>;
  /** Later alerts of the same source, in order. Each is published when the previous one has been ingested. */
  later?: readonly AlertInput[];
}

type SentAlert = AnswerOf<'POST /v1/alerts'>;
type Fate = AnswerOf<'GET /v1/alerts/{alertKey}'>;
type StoredQuestion = AnswerOf<'POST /v1/chats'>;

type EndedSession = Omit<SessionView, 'timeline'>;

type ExecutionView = SessionView['stages'][number]['executions'][number];

/**
 * Publishes an alert, and follows its session.
 * @returns the ended session; undefined without a printer, and for an alert whose status needs no
 * investigation.
 * @throws Error when the alert was dropped or refused; the signal's reason.
 */
export async function sendAlert(
  input: AlertInput,
  { later = [], ...how }: SendOptions,
  following: Following,
): Promise<EndedSession | undefined> {
  const { onProgress, printer } = following;
  const sent = await publishAlert(input, how, following);
  onProgress(`alert ${describeAlert(input.alert)}`);
  reportPublished(sent, following);
  if (printer === undefined) return undefined;
  const { status, title } = input.alert;
  if (!isInvestigated(status)) {
    const fate = await awaitTaken(sent, following);
    onProgress(`"${title}" is ${STATUS_WORDS[status]}: ${reportedText(fate)}`);
    return undefined;
  }
  const sessionId = await awaitSession(sent, following);
  for (const next of later) {
    const fate = await awaitFate(await publishAlert(next, how, following), following);
    onProgress(`alert ${describeAlert(next.alert)}`);
    onProgress(`  ${placementText(fate, sessionId)}`);
  }
  return await followAlert(sessionId, { ...following, printer });
}

/** Investigates the alert of a session again, and follows the new session as `sendAlert` does. */
export async function rerunAlert(
  sessionId: string,
  chain: string | undefined,
  following: Following,
): Promise<EndedSession | undefined> {
  const { api, printer, onProgress } = following;
  const body = chain === undefined ? {} : { chain };
  const posted = api.post('/v1/sessions/{sessionId}/rerun', { sessionId }, body);
  const sent = await untilAnswered(posted, following);
  const { problem } = await beforeAbort(readState(api, sessionId), following.signal);
  onProgress(`rerun of ${sessionId}, which ran chain ${sent.chain}`);
  onProgress(`alert ${describeAlert(sent.alert, problemText(problem, new Date()))}`);
  reportPublished(sent, following);
  if (printer === undefined) return undefined;
  return await followAlert(await awaitSession(sent, following), { ...following, printer });
}

function publishAlert(
  { data }: AlertInput,
  { chain, attributes = {} }: SendOptions,
  following: Following,
): Promise<SentAlert> {
  const isNone = Object.keys(attributes).length === 0;
  const headers = isNone ? {} : { [ATTRIBUTES_HEADER]: asciiJson(attributes) };
  return untilAnswered(following.api.post('/v1/alerts', { chain }, data, headers), following);
}

function asciiJson(value: object): string {
  const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(/[^\x20-\x7e]/g, escapeUnit);
}

function untilAnswered<T>(posted: Promise<T>, { api, onProgress, signal }: Following): Promise<T> {
  const late = `Pub/Sub of ${api.where} has not answered for ${secondsText(PATIENCE_MS)}; still trying`;
  return withLateNotice(beforeAbort(posted, signal), () => onProgress(late));
}

function reportPublished({ messageId, alertKey }: SentAlert, { printer, onProgress }: Following): void {
  const name = `published message ${messageId}`;
  const session = `${paths.alertKey(alertKey)} names its session`;
  onProgress(printer === undefined ? `${name}; once it is taken, ${session}` : name);
}

/** The session of a published alert. @throws Error when the alert was dropped or refused. */
async function awaitSession(sent: SentAlert, following: Following): Promise<string> {
  const { onProgress } = following;
  const fate = await awaitTaken(sent, following);
  if (fate.sessionId === null) throw new Error(`the alert was ${fate.reason}`);
  onProgress(`session ${fate.sessionId}`);
  if (fate.outcome === 'joined')
    onProgress('an earlier alert of the same problem opened it; `inquest rerun` investigates it again');
  return fate.sessionId;
}

/** Waits until a published alert has been ingested, with a line when that takes long. */
async function awaitTaken(sent: SentAlert, following: Following): Promise<Fate> {
  const late = `published, but not ingested within ${secondsText(PATIENCE_MS)}: see the log of ingestAlert (on one machine, the terminal of \`inquest start\`); still waiting`;
  return await withLateNotice(awaitFate(sent, following), () => following.onProgress(late));
}

/** The effect of an alert without investigation, as a clause. @throws Error: dropped or refused. */
function reportedText({ outcome, sessionId, reason }: Fate): string {
  if (sessionId === null) throw new Error(`the alert was ${reason}`);
  return outcome === 'joined'
    ? `nothing new is investigated. Session ${sessionId} of its problem has the report`
    : `there is nothing to investigate, and no session has its problem. It is stored as deferred; to investigate it all the same: inquest start-deferred ${sessionId}`;
}

/** Waits until a published alert has been ingested. */
async function awaitFate({ alertKey, messageId }: SentAlert, { api, signal }: Following): Promise<Fate> {
  for (let polls = 1; ; polls++) {
    // The search for a dropped or refused alert reads many documents.
    const query = polls % POLLS_OF_SEARCH === 0 ? { messageId } : {};
    try {
      return await beforeAbort(api.get('/v1/alerts/{alertKey}', { alertKey, ...query }), signal);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error;
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** Whether a later alert joined, opened a session or was dropped. @throws Error: refused. */
function placementText(fate: Fate, sessionId: string): string {
  if (fate.outcome === 'refused') throw new Error(`the alert was ${fate.reason}`);
  if (fate.sessionId === null) return `the alert was ${fate.reason}`;
  if (fate.sessionId === sessionId) return 'belongs to the session';
  const state = fate.deferral === null ? fate.status : `deferred (${fate.deferral})`;
  return `has a session of its own, ${state}: ${paths.session(fate.sessionId)}`;
}

async function followAlert(
  sessionId: string,
  following: Following & { printer: Printer },
): Promise<EndedSession> {
  const session = await followToEnd(sessionId, following);
  const seen = reportsText(session.reports, session);
  if (seen !== null) following.onProgress(`the alert was ${seen}`);
  return session;
}

/** Prints a session until it has ended, or is deferred without a time. */
export async function followToEnd(
  sessionId: string,
  {
    api,
    printer,
    terminal,
    onProgress: onLost,
    signal,
    fromNow = false,
  }: Following & { printer: Printer; fromNow?: boolean },
): Promise<EndedSession> {
  const asker = terminal && createApprovalAsker(api, terminal);
  const onEvent = (event: TimelineEvent): void => {
    printer.event(event);
    asker?.event(event);
    if (asker === undefined && isRequested(event)) onLost(`no terminal to ask on: ${WAITS}`);
  };
  const how = { onEvent, onUnreadable: reportUnreadable, signal, onLost, fromNow };
  await followSession(api, sessionId, how).finally(() => asker?.close());
  const view = await readState(api, sessionId);
  printer.end(view, `sessions/${sessionId} in ${api.where}`, view.models);
  return view;
}

const WAITS =
  'waiting for approve or deny from another terminal, until the time above; then the call counts as denied. Ctrl-C ends';

const isRequested = ({ eventType, metadata }: TimelineEvent): boolean =>
  eventType === 'notice' && metadata.code === 'approval_requested';

/** Stores a question about a session; without one, the question opens a chat of the chain. */
export async function storeQuestion(
  text: string,
  { sessionId, chain }: { sessionId?: string | undefined; chain?: string | undefined },
  { api, onProgress }: Following,
): Promise<StoredQuestion> {
  const question =
    sessionId === undefined
      ? await api.post('/v1/chats', {}, { text, chain })
      : await api.post('/v1/sessions/{sessionId}/questions', { sessionId }, { text });
  if (!question.isPublished)
    onProgress('its message could not be published: the sweep publishes it within two minutes');
  return question;
}

/** Prints the answer to a question until it is complete. @returns the execution that answered. */
export async function followAnswer(
  { sessionId, stageId, executionId }: StoredQuestion,
  { api, printer, onProgress: onLost, signal }: Following & { printer: Printer },
): Promise<ExecutionView & { sessionId: string; stageId: string }> {
  const onEvent = (event: TimelineEvent) => event.executionId === executionId && printer.event(event);
  await followSession(api, sessionId, { onEvent, signal, onLost });
  const { stages } = await readState(api, sessionId);
  const answer = stages
    .flatMap(({ executions }) => executions)
    .find((one) => one.executionId === executionId);
  if (answer === undefined) throw new Error(`the answer of session ${sessionId} was deleted`);
  return { ...answer, sessionId, stageId };
}

/** Returns the result of `work`. Calls `onLate` once if it takes longer than `PATIENCE_MS`. */
async function withLateNotice<T>(work: Promise<T>, onLate: () => void): Promise<T> {
  const timer = setTimeout(onLate, PATIENCE_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}
