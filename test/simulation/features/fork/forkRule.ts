// Promises of forks: one for each request, which keeps the tenant, the taint and the time of its source, and
// leaves nothing outside of itself. Nothing is changed by it, and with recorded tools no server is reached.

import { isDeepStrictEqual } from 'node:util';
import type { Write } from '../../../../shared/core/contract/store.ts';
import type { ToolResultBlock } from '../../../../shared/core/schema/block.ts';
import type { Execution } from '../../../../shared/core/schema/execution.ts';
import type { Message } from '../../../../shared/core/schema/message.ts';
import type { Session } from '../../../../shared/core/schema/session.ts';
import { type ForkLink, forkLinkType } from '../../../../shared/features/fork/forkLink.ts';
import { paths } from '../../../../shared/lists/documents.ts';
import type { Fork } from '../../../../shared/schema/forkPart.ts';
import { marksOf } from '../../simulatedModel.ts';
import type { Violate } from '../../transitions.ts';
import type { World } from '../../world.ts';
import { forkOf } from './forkedSessions.ts';
import type { SimulatedForks } from './simulatedForks.ts';

/** The parts of a fork: those that are copied, and those that its own run adds. */
const PARTS = ['fork', 'alert', 'list', 'search', 'dependencies', 'runbook', 'request', 'modelOutages'];

/** A fork with its source as it was last stored. */
interface ForkedSession {
  fork: Fork;
  session: Session;
  source: Session;
}

/** Checks the forks of a run. */
export function checkForks(world: World, violate: Violate, { forks }: { forks: SimulatedForks }): void {
  const { plan, record } = world;
  if (!plan.forks) return;
  const links = new Map<string, ForkLink>();
  for (const { writes } of record.commits)
    for (const { path, type, value } of writes)
      if (type === (forkLinkType as unknown)) links.set(path, value as ForkLink);
  checkRequests(forks, links, world, violate);
  for (const sessionId of forks.sessionIds()) {
    const session = record.sessions.get(sessionId);
    const fork = forkOf(sessionId, record);
    const source = record.sessions.get(fork?.of ?? '');
    if (session === undefined || fork === undefined || source === undefined) {
      violate('forks', `${sessionId} has no source`);
      continue;
    }
    const forked = { fork, session, source };
    checkSession(forked, links, violate);
    checkConversation(forked, world, violate);
    checkCalls(forked, world, violate);
    checkTraces(sessionId, world, violate);
  }
}

/** A request opens one fork, however often and wherever it died. */
function checkRequests(
  { requested, sessionIds }: SimulatedForks,
  links: ReadonlyMap<string, ForkLink>,
  { record }: World,
  violate: Violate,
): void {
  if (links.size > requested.length)
    violate('forks', `${requested.length} requests stored ${links.size} forks`);
  for (const { sessionId, at, answers } of requested) {
    const ids = new Set(answers.flatMap((one) => (one.kind === 'forked' ? [one.sessionId] : [])));
    if (ids.size > 1) violate('forks', `a request at ${at} of ${sessionId} opened ${[...ids]}`);
    for (const id of ids)
      if (!record.sessions.has(id)) violate('forks', `${id} was opened, and is not stored`);
    const isGone = record.expired.has(sessionId);
    const isKnown = answers.every(({ kind }) => kind !== 'unknown_session' || isGone);
    if (!isKnown) violate('forks', `${sessionId} is unknown to a request`);
  }
  const opened = [...links.values()].filter(({ state }) => state === 'open').map(({ forkId }) => forkId);
  if (opened.sort().join() !== sessionIds().sort().join())
    violate('forks', `the links name ${opened}, the sessions are ${sessionIds()}`);
}

/** The session of a fork. Erasing its source finds it by the link below it. */
function checkSession(
  { fork, session, source }: ForkedSession,
  links: ReadonlyMap<string, ForkLink>,
  violate: Violate,
): void {
  const { sessionId, tenantId, kind, expireAt, parts, chain, deadline, createdAt } = session;
  if (tenantId !== source.tenantId) violate('forks', `${sessionId} is of tenant ${tenantId}`);
  if (kind !== 'fork') violate('forks', `${sessionId} is of the kind ${kind}`);
  if (expireAt.getTime() !== source.expireAt.getTime())
    violate('forks', `${sessionId} is deleted at ${expireAt}, its source at ${source.expireAt}`);
  const others = Object.keys(parts).filter((one) => !PARTS.includes(one));
  if (others.length > 0) violate('forks', `${sessionId} has the parts ${others}`);
  const below = [...links]
    .filter(([, { forkId }]) => forkId === sessionId)
    .map(([path]) => path.split('/')[1]);
  if (below.join() !== fork.of) violate('forks', `${sessionId} is linked below ${below}, not ${fork.of}`);
  if (chain.name !== source.chain.name || deadline <= createdAt)
    violate('forks', `${sessionId} runs ${chain.name} until ${deadline}`);
}

/** The conversation is that of the source up to the event, and the taint of what it has read is kept. */
function checkConversation({ fork, session }: ForkedSession, { record }: World, violate: Violate): void {
  const { sessionId } = session;
  const created = creationIn(`${paths.executions(sessionId)}/`, record);
  const execution = created[0]?.writes.find(({ path }) => path.startsWith(`${paths.executions(sessionId)}/`))
    ?.value as Execution | undefined;
  if (execution === undefined) {
    violate('forks', `${sessionId} has no agent`);
    return;
  }
  const source = paths.execution(fork.of, fork.executionId);
  const from = { sessionId: fork.of, executionId: fork.executionId };
  // Results of calls that run meanwhile come between those that are copied.
  const earlier = record.commits.filter(({ at }) => at <= (created[0]?.at ?? 0));
  const all = listMessages(from, { commits: earlier });
  // A source that is a fork has messages of other iterations 1 before its own.
  const given = listMessages(from, { commits: creationIn(source, record) }).length;
  const answer = all.findIndex(
    (one, index) => index >= given && one.role === 'assistant' && one.iteration === fork.iteration,
  );
  const wanted = answer === -1 ? all : all.slice(0, answer);
  const least = wanted.filter((one) => (one.iteration ?? 1) < fork.iteration).length;
  const copied = listMessages(execution, { commits: created });
  const isSaid = ({ blocks }: Message): boolean => JSON.stringify(blocks).includes('</guidance-');
  const own = copied.filter((one, index) => !(index === copied.length - 1 && isSaid(one)));
  const show = ({ role, blocks }: Message): string => `${role} ${marksOf(blocks)}`;
  const isOther = (one: Message, index: number): boolean =>
    wanted[index] === undefined || show(wanted[index]) !== show(one);
  if (own.length < least - 1 || own.some(isOther))
    violate('forks', `${sessionId} has ${own.map(show)}, its source ${wanted.map(show)}`);
  const states = record.commits
    .flatMap(({ writes }) => writes.filter(({ path }) => path === source))
    .map(({ value }) => value as Execution)
    .filter(({ iteration }) => iteration >= fork.iteration - 1);
  if (!states.some(({ reads }) => isDeepStrictEqual(reads, execution.reads)))
    violate('forks', `${sessionId} has read ${JSON.stringify(execution.reads)}`);
}

/** The commit that created the first execution at a path; none if nothing did. */
const creationIn = (path: string, { commits }: World['record']): World['record']['commits'] =>
  commits
    .filter(({ writes }) => writes.some((one) => one.op === 'create' && one.path.startsWith(path)))
    .slice(0, 1);

const listMessages = (
  of: { sessionId: string; executionId: string },
  { commits }: Pick<World['record'], 'commits'>,
): Message[] =>
  commits
    .flatMap(({ writes }) => writes)
    .filter(({ path }) => path.startsWith(`${paths.messages(of.sessionId)}/${of.executionId}.`))
    .map(({ value }) => value as Message)
    .sort((a, b) => a.sequenceNumber - b.sequenceNumber);

/** Servers answer nothing, or calls that only read. All others ask a person again. */
function checkCalls({ fork, session }: ForkedSession, { record, faults }: World, violate: Violate): void {
  const { sessionId } = session;
  const changing = record.activities.find(
    (one) => one.sessionId === sessionId && one.kind === 'tool' && one.readOnly === false,
  );
  if (changing !== undefined) violate('forks', `${changing.key} changes something`);
  const own = record.commits.flatMap(({ writes }) =>
    writes.filter(({ path }) => path.split('/')[1] === sessionId),
  );
  for (const { path, value } of own.filter((one) => one.path.split('/')[2] === 'executions'))
    for (const { name, state, readOnly, waits, waitsFor } of (value as Execution).pendingCalls) {
      // What was recorded can be read again.
      if (name.startsWith('sim.') && state === 'unknown' && !faults.has('tool_changed'))
        violate('forks', `${name} is given up in ${path}`);
      if (name.startsWith('sim.') && !readOnly && waits !== 'person')
        violate('forks', `${name} asks nobody in ${path}`);
      if (waitsFor?.kind === 'person' && record.approvals.get(waitsFor.id)?.sessionId !== sessionId)
        violate('forks', `${path} waits for the approval of ${waitsFor.id}`);
    }
  const told = listResults(sessionId, record).find(({ textContent }) =>
    /(reading|writing): /.test(textContent),
  );
  if (told !== undefined) violate('forks', `${sessionId} has the result ${told.textContent}`);
  if (fork.tools === 'live') return;
  // The results that can be known: those of its origins.
  const marks = (id: string) => listResults(id, record).flatMap((one) => marksOf(one.textContent).split(' '));
  const known = new Set(fork.origins.flatMap(marks));
  const unknown = marks(sessionId).filter((mark) => mark !== '' && !known.has(mark));
  if (unknown.length > 0) violate('forks', `${sessionId} has the results ${unknown}, which are not recorded`);
}

/** The results of servers of a session. */
const listResults = (sessionId: string, { commits }: World['record']): ToolResultBlock[] =>
  commits
    .flatMap(({ writes }) => writes.filter(({ path }) => path.startsWith(`${paths.messages(sessionId)}/`)))
    .flatMap(({ value }) =>
      (value as Message).blocks.filter(
        (block): block is ToolResultBlock => block.blockType === 'tool_result',
      ),
    )
    .filter(({ toolName }) => toolName.startsWith('sim.'));

/** Nothing outside of it names it: no memory, incident, group, topology or outcome. It sends no messages. */
function checkTraces(sessionId: string, { record }: World, violate: Violate): void {
  const isTrace = ({ path, value }: Write): boolean => {
    const [root, id, collection] = path.split('/');
    if (id === sessionId) return collection === 'deliveries';
    if (root === 'approvals' || root === 'thoughts') return false;
    return collection !== 'forks' && JSON.stringify(value ?? '').includes(sessionId);
  };
  for (const { writes } of record.commits)
    for (const { path } of writes.filter(isTrace)) {
      // A fork of it names it.
      if (forkOf(path.split('/')[1], record)?.origins.includes(sessionId) !== true)
        violate('forks', `${path} names ${sessionId}`);
    }
}
