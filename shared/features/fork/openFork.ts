// Opens a fork: a session that continues the conversation of its source. The link below its source comes
// first: a repeated request continues where an earlier one died, and an erased source takes the fork along.
// Messages that are larger than a batch are stored below a session that nothing can start yet.

import { createHash } from 'node:crypto';
import { readSessionAlert } from '../../alerts/schema/alert.ts';
import type { SessionConfig } from '../../config/config.ts';
import { budgetsOfSession } from '../../config/sessionLimits.ts';
import { announce } from '../../core/contract/announce.ts';
import type { ConversationMessage } from '../../core/contract/llm.ts';
import {
  createDocument,
  replaceDocument,
  type Stored,
  saveDocument,
  type Version,
  type Write,
} from '../../core/contract/store.ts';
import { RetryableError } from '../../core/errors.ts';
import { type AlertDeps, randomHex } from '../../core/kernel/deps.ts';
import { deriveFields } from '../../core/kernel/stageFeature.ts';
import { publishIteration } from '../../core/kernel/state/nextIteration.ts';
import type { PlannedAgent } from '../../core/schema/agent.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { readPart } from '../../core/schema/parts.ts';
import { type Session, sessionDueAt } from '../../core/schema/session.ts';
import { startStage } from '../../core/stage/startStage.ts';
import { deriveSessionId, ID_DIGITS } from '../../kits/alerts/sessionId.ts';
import { type BudgetRefusal, refuseBySessions, refuseByTokens } from '../../kits/questions/questionBudget.ts';
import { forkPart } from '../../schema/forkPart.ts';
import { copyMessages, copyResults, measureWrites, placeLink, storeBatches } from './copies.ts';
import { type ForkLink, forkLinkType } from './forkLink.ts';
import { findForkPoint } from './forkPoint.ts';
import { type ForkChanges, isOfChain, planContinued, planMessages, planSession } from './planFork.ts';

/** UTF-8 bytes of the messages and whole results that a fork copies. */
const MAX_FORK_BYTES = 50_000_000;
/** A fork of a fork, and so on. */
const MAX_ORIGINS = 10;

/** A request for a fork. */
interface ForkRequest extends ForkChanges {
  /** The event: `EXECUTION.NUMBER`. */
  at: string;
  by: string;
  userId: string | null;
  /** Equal for repetitions of the request, and for no other. Absent: it is not repeated. */
  key: string | undefined;
}

/** The outcome of a request for a fork. */
export type ForkOutcome =
  | { kind: 'forked'; sessionId: string }
  | { kind: 'unknown_session' }
  /** The event is none of an agent of the session, or its place cannot be forked. */
  | { kind: 'no_place'; reason: string }
  | { kind: 'too_large'; bytes: number }
  | { kind: 'too_deep' }
  | BudgetRefusal;

/**
 * Opens a fork and publishes its first message. Safe to repeat with a key: it opens one fork.
 * @throws RetryableError when the store fails: a repetition with the same key continues.
 */
export async function openFork(
  sessionId: string,
  request: ForkRequest,
  config: SessionConfig,
  deps: AlertDeps,
): Promise<ForkOutcome> {
  const source = (await deps.store.get(paths.session(sessionId), sessionType))?.value;
  if (source === undefined) return { kind: 'unknown_session' };
  const path = forkLinkType.paths.forkLink(sessionId, linkKey(request, deps));
  const known = await deps.store.get(path, forkLinkType);
  if (known?.value.state === 'open') return { kind: 'forked', sessionId: known.value.forkId };
  const point = await findForkPoint(sessionId, request.at, deps);
  if (typeof point === 'string') return { kind: 'no_place', reason: point };
  if (request.agent !== undefined && !isOfChain(point))
    return { kind: 'no_place', reason: 'only the agents of stages can be replaced' };
  const now = known?.value.createdAt ?? deps.clock.now();
  const masker = deps.maskerFor(source.maskKey);
  const forkId = known?.value.forkId ?? nameFork(source, now, deps);
  const own = { sessionId: forkId, userId: request.userId, now, config, masker };
  const session = planSession(source, point, request, own);
  const [agent] = session.chain.stages[0]?.agents ?? [];
  if (agent === undefined) throw new RangeError('a fork has an agent');
  if ((readPart(forkPart, session)?.origins ?? []).length > MAX_ORIGINS) return { kind: 'too_deep' };
  const system = request.agent && deps.wording.investigate(agent, { session, findings: [], now }).system;
  const continued = planContinued(point, agent, request, session, masker);
  const start = { index: 1, kind: 'investigation' as const, findings: [], continued };
  const started = startStage(session, start, now, deps);
  const [execution] = started.executions;
  if (execution === undefined) throw new RangeError('a fork has an execution');
  const copies = [
    ...copyMessages(execution, planMessages(point, agent, system), now),
    ...(await copyResults(source, point, execution, deps)),
  ];
  const { bytes, isOneBatch } = measureWrites(copies);
  if (bytes > MAX_FORK_BYTES) return { kind: 'too_large', bytes };
  const refusal =
    known === undefined
      ? await refuse(session, { agent, messages: point.messages }, config, deps)
      : undefined;
  if (refusal !== undefined) return refusal;
  const link = known ?? (await placeLink(path, { forkId, session }, deps));
  // Another request with the same key was first.
  if (link === undefined) return openFork(sessionId, request, config, deps);
  const opened = { ...session, dueAt: sessionDueAt(session) };
  const placed = { link, opened, copies };
  const ready = isOneBatch
    ? { version: link.version, stored: undefined, writes: copies }
    : await storeCopies(placed, deps);
  const batch = ready && [
    // Fails if the source is being erased, and for the second of two requests.
    replaceDocument(path, forkLinkType, { ...link.value, state: 'open' as const }, ready.version),
    saveDocument(paths.session(forkId), sessionType, deriveFields(opened, undefined, deps), ready.stored),
    ...ready.writes,
    ...started.writes,
  ];
  const result = batch && (await announce({}, { session: opened, stages: [started.stage] }, batch, deps));
  if (!result?.ok) {
    const other = await deps.store.get(path, forkLinkType);
    if (other?.value.state === 'open') return { kind: 'forked', sessionId: other.value.forkId };
    // Its source is being erased.
    if (other === undefined) return { kind: 'unknown_session' };
    throw new RetryableError('STORE_CONFLICT', `fork ${forkId} was changed while it was opened`);
  }
  await publishIteration(deps.publisher, execution).catch((error: unknown) => {
    deps.log.warn({ sessionId: forkId, err: error }, 'the sweep publishes the first message of a fork');
  });
  return { kind: 'forked', sessionId: forkId };
}

const linkKey = ({ key }: ForkRequest, deps: AlertDeps): string =>
  key === undefined ? randomHex(deps, 20) : createHash('sha256').update(key).digest('hex').slice(0, 40);

function nameFork(source: Session, publishedAt: Date, deps: AlertDeps): string {
  const named = source.title ?? readSessionAlert(source)?.title ?? '';
  return deriveSessionId({ title: `fork ${named}`, publishedAt, key: randomHex(deps, 32) }, ID_DIGITS[1]);
}

/** Why a budget refuses the fork; undefined if none does. */
async function refuse(
  session: Session,
  { agent, messages }: { agent: PlannedAgent; messages: readonly ConversationMessage[] },
  config: SessionConfig,
  deps: AlertDeps,
): Promise<BudgetRefusal | undefined> {
  const { createdAt: now } = session;
  const text = messages.map(({ blocks }) => JSON.stringify(blocks)).join('');
  return (
    (await refuseByTokens(agent.limits.dailyTokens ?? [], agent, text, now, deps)) ??
    (await refuseBySessions(budgetsOfSession(session, config).sessionsPerHour, now, deps))
  );
}

/**
 * Stores documents that are too large for one batch, below a session that nothing starts. An earlier attempt
 * can have stored some of it.
 * @returns undefined if the source is being erased, or another request continues.
 */
async function storeCopies(
  { link, opened, copies }: { link: Stored<ForkLink>; opened: Session; copies: readonly Write[] },
  deps: AlertDeps,
): Promise<{ version: Version; stored: Version; writes: Write[] } | undefined> {
  const { sessionId } = opened;
  const value: Session = { ...opened, status: 'deferred', dueAt: null };
  let version: Version | undefined = link.version;
  if (link.value.state === 'opening') {
    const batch = [
      replaceDocument(link.path, forkLinkType, { ...link.value, state: 'copying' as const }, link.version),
      createDocument(paths.session(sessionId), sessionType, value),
    ];
    const result = await announce({}, { session: value }, batch, deps);
    if (!result.ok) return undefined;
    [version] = result.versions;
  }
  if (!(await storeBatches(copies, deps))) return undefined;
  const stored = await deps.store.get(paths.session(sessionId), sessionType);
  if (version === undefined || stored?.value.status !== 'deferred') return undefined;
  return { version, stored: stored.version, writes: [] };
}
