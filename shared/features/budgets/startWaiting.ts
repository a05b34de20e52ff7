// Starts sessions that a budget deferred, when it has room: the most severe first, then the oldest.

import { readWaitedBudgets } from '../../alerts/schema/waitedBudgets.ts';
import type { Budgets } from '../../config/config.ts';
import type { Store, Stored } from '../../core/contract/store.ts';
import { deleteDocument } from '../../core/contract/store.ts';
import { errorMessage, InquestError, TerminalError } from '../../core/errors.ts';
import { CRASH_POINTS } from '../../core/kernel/crashPoints.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { captureFailure } from '../../core/kernel/documents/reading.ts';
import type { FeatureReport } from '../../core/kernel/feature/sweepFeature.ts';
import { withNotice } from '../../core/kernel/session/noticed.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { rawDocumentType } from '../../core/schema/documentType.ts';
import type { Session } from '../../core/schema/session.ts';
import { commitStart } from '../../core/session/startDeferred.ts';
import { waitingSessionType } from '../../kits/alerts/waitingSession.ts';
import { dayUsedUp, sessionsUsedUp, takeTickets } from '../../kits/budgets/usageLimits.ts';
import { openingTokens } from './openingTokens.ts';

/** Sorts before and after all ids: names of chains start with a letter. */
const FIRST_ID = 'A';
const LAST_ID = '~';
/** The chain, then the sort key of its sessions: rank, time and the id of the session. */
const ENTRY_ID = /^([^.]+)\.(\d\.[^.]+\.(.+))$/;

/** The most sessions that one run starts: sessions that start together compete for the same quota. */
const MAX_STARTS = 20;
/** The most entries that one run reads. It deletes entries whose session no longer waits. */
const MAX_LOOKS = 100;

/** The result for an entry. */
type Look =
  | 'started'
  /** Its session no longer waits, or another process was faster. */
  | 'gone'
  /** A budget of its chain is still used up, so that no session of the chain can start. */
  | 'no_room';

/**
 * Starts as many waiting sessions as their budgets allow, at most 20. Concurrent runs start each session
 * once. The slower run loses its ticket, so that an hour has fewer sessions, never more. The report contains
 * the errors of the store.
 */
export async function startWaiting(deps: StateDeps): Promise<FeatureReport> {
  const report: FeatureReport = { started: 0, failures: [] };
  await withReport(waitingSessionType.paths.waitingSessions, report, deps, async () => {
    const heads = await firstWaiting(deps.store);
    for (let looks = 0; looks < MAX_LOOKS && report.started < MAX_STARTS; looks++) {
      const head = heads.sort((a, b) => (a.order < b.order ? -1 : 1)).shift();
      if (head === undefined) break;
      const look = await withReport(head.sessionId, report, deps, () => startOne(head, deps));
      if (look === 'started') report.started++;
      if (look === 'no_room') continue;
      const next = await nextWaiting(head, deps.store);
      if (next !== undefined) heads.push(next);
    }
  });
  return report;
}

/** Runs `work` and adds its error to the report, so that one session does not block the others. */
async function withReport<T>(
  sessionId: string,
  { failures }: FeatureReport,
  { log }: StateDeps,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof InquestError)) throw error;
    const message = errorMessage(error);
    failures.push({ sessionId, code: error.code, message });
    log.error({ err: error, sessionId }, `a waiting session was not started: ${message}`);
    return undefined;
  }
}

async function startOne({ sessionId, entry }: WaitingHead, deps: StateDeps): Promise<Look> {
  const { store, clock, failpoint } = deps;
  await failpoint?.(CRASH_POINTS.duringSweep);
  const deletion = deleteDocument(entry.path, waitingSessionType);
  const { value: session, failure } = await captureFailure(store.get(paths.session(sessionId), sessionType));
  const now = clock.now();
  const isWaiting = session?.value.status === 'deferred' && session.value.expireAt > now;
  const budgets = isWaiting ? readWaitedBudgets(session.value) : null;
  if (session === undefined || budgets === null) {
    await store.commit([deletion]);
    if (failure !== undefined) throw new TerminalError('DOCUMENT_INVALID', failure.message);
    return 'gone';
  }
  if (!(await hasTickets(session.value, budgets, now, deps))) return 'no_room';
  await failpoint?.(CRASH_POINTS.duringSweep);
  const content = 'The budget has room again: the investigation starts.';
  const notice = { code: 'budget_has_room', subject: session.value.deferral?.reason ?? '', content } as const;
  const noted = withNotice(session, session.value, notice, now, deps);
  const { steering } = noted.session;
  const started = await commitStart(session, deps, { steering }, [noted.event, deletion], now);
  return started === undefined ? 'gone' : 'started';
}

/**
 * Takes a ticket of each budget of a session, if all have room. Reads them first: otherwise a session whose
 * chain has no room would write a document at each run.
 */
async function hasTickets(
  session: Session,
  { dailyTokens, sessionsPerHour }: Budgets,
  now: Date,
  deps: StateDeps,
): Promise<boolean> {
  const [tokens, sessions] = await Promise.all([
    dayUsedUp(dailyTokens, openingTokens(session), now, deps),
    sessionsUsedUp(sessionsPerHour, now, deps),
  ]);
  if (tokens !== undefined || sessions !== undefined) return false;
  return (await takeTickets(sessionsPerHour, now, deps)) === undefined;
}

// Finds the sessions that a budget has deferred, in the order in which they start: within a chain, the most
// severe alert first, then the oldest.

/** A waiting session, parsed from the id of its entry: an unreadable entry does not block the others. */
interface WaitingHead {
  /** The chain whose budgets the session waits for. */
  chain: string;
  /** The id of the deferred session. */
  sessionId: string;
  /** Sort key in the start order, comparable between chains: rank of the severity, time and session id. */
  order: string;
  /** The document of the entry. */
  entry: Pick<Stored<unknown>, 'id' | 'path'>;
}

/**
 * Returns the first waiting session of each chain. One read for each chain, and one to find the end.
 * @throws RetryableError when the store fails.
 */
async function firstWaiting(store: Pick<Store, 'list'>): Promise<WaitingHead[]> {
  const heads: WaitingHead[] = [];
  for (let from = FIRST_ID; ; ) {
    const head = await headFrom(from, LAST_ID, store);
    if (head === undefined) return heads;
    heads.push(head);
    from = positionAfterChain(head.chain);
  }
}

/**
 * Returns the next waiting session of the same chain; undefined for the last.
 * @throws RetryableError when the store fails.
 */
function nextWaiting(
  { chain, entry }: WaitingHead,
  store: Pick<Store, 'list'>,
): Promise<WaitingHead | undefined> {
  return headFrom(behind(entry.id), positionAfterChain(chain), store);
}

/** A position just after an id: a space sorts before every character of an id. */
const behind = (id: string): string => `${id} `;

/** A position after all ids of a chain: its name is followed by a dot and a digit. */
const positionAfterChain = (chain: string): string => `${chain}.~`;

async function headFrom(
  from: string,
  to: string,
  store: Pick<Store, 'list'>,
): Promise<WaitingHead | undefined> {
  const query = { collection: waitingSessionType.paths.waitingSessions, idRange: { from, to }, limit: 1 };
  const [entry] = await store.list(query, rawDocumentType);
  if (entry === undefined) return undefined;
  const [, chain, order, sessionId] = ENTRY_ID.exec(entry.id) ?? [];
  // Documents of other programs are ignored.
  if (chain === undefined || order === undefined || sessionId === undefined)
    return headFrom(behind(entry.id), to, store);
  return { chain, order, sessionId, entry };
}
