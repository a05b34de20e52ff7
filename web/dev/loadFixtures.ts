// All fixtures: recorded runs of examples, and sessions made by hand.

import { readdirSync, readFileSync } from 'node:fs';
import { cancelledSession } from '../fixtures/cancelled.ts';
import { checkedSession } from '../fixtures/checked.ts';
import { everySession } from '../fixtures/every.ts';
import { failedSession } from '../fixtures/failed.ts';
import { hostileSession } from '../fixtures/hostile.ts';
import { limitedSession } from '../fixtures/limited.ts';
import { longSession } from '../fixtures/long.ts';
import { manySession } from '../fixtures/many.ts';
import { runningSession } from '../fixtures/running.ts';
import { openedToday, readSessions, renamed, type SessionFixture, shifted } from './fixtures.ts';

const RECORDED = new URL('../fixtures/recorded/', import.meta.url);
const SHARED = new Set(['approval', 'fallback', 'react', 'chain']);
/** So many events has the long one. */
const LONG = 2_000;

/** The sessions of a recorded example, the newest first. */
function recorded(name: string): SessionFixture[] {
  return readSessions(readFileSync(new URL(`${name}.jsonl`, RECORDED), 'utf8'));
}

/** The newest session of a recorded example. @throws Error when it has none. */
export function newestOf(name: string): SessionFixture {
  const [newest] = recorded(name);
  if (newest === undefined) throw new Error(`the recording ${name} has no session`);
  return newest;
}

/** A session that waits for a decision, which it requested just now: later its approval has expired. */
export function waitingSession(): SessionFixture {
  const session = newestOf('approval-waits');
  const last = Math.max(...session.events.map(({ createdAt }) => createdAt.getTime()));
  return openedToday(shifted(session, Date.now() - last));
}

/** All sessions. */
export function loadFixtures(): SessionFixture[] {
  const files = readdirSync(RECORDED).filter((file) => file !== 'approval-waits.jsonl');
  const names = files.map((file) => file.replace('.jsonl', ''));
  return [
    waitingSession(),
    ...names.flatMap((name) => recorded(name).map((session) => named(session, name))),
    runningSession(newestOf('synthesis')),
    everySession(newestOf('crashloop')),
    limitedSession(newestOf('synthesis')),
    manySession(newestOf('synthesis')),
    cancelledSession(newestOf('crashloop')),
    checkedSession(newestOf('crashloop')),
    failedSession(newestOf('crashloop')),
    hostileSession(newestOf('crashloop')),
    longSession(newestOf('crashloop'), LONG),
  ];
}

/** Examples about the same alert have sessions of the same id, and are told apart here. */
function named(session: SessionFixture, name: string): SessionFixture {
  return SHARED.has(name) ? renamed(session, `${session.session.sessionId}-${name}`) : session;
}
