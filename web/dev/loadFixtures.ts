// All fixtures: recorded runs of examples, and sessions made by hand.

import { readdirSync, readFileSync } from 'node:fs';
import { cancelledSession } from '../fixtures/cancelled.ts';
import { everySession } from '../fixtures/every.ts';
import { failedSession } from '../fixtures/failed.ts';
import { hostileSession } from '../fixtures/hostile.ts';
import { limitedSession } from '../fixtures/limited.ts';
import { longSession } from '../fixtures/long.ts';
import { manySession } from '../fixtures/many.ts';
import { writingSession } from '../fixtures/running.ts';
import { type Fixtures, renamed, type SessionFixture, shifted } from './fixtures.ts';

const RECORDED = new URL('../fixtures/recorded/', import.meta.url);
const SHARED = new Set(['approval-waits', 'approval', 'fallback', 'react', 'chain']);
/** So many events has the long one. */
const LONG = 2_000;

/** The sessions of a recorded example, the newest first. */
function recorded(name: string): SessionFixture[] {
  const read: { sessions: SessionFixture[] } = JSON.parse(
    readFileSync(new URL(`${name}.json`, RECORDED), 'utf8'),
  );
  return read.sessions;
}

/** The newest session of a recorded example. @throws Error when it has none. */
export function newestOf(name: string): SessionFixture {
  const [newest] = recorded(name);
  if (newest === undefined) throw new Error(`the recording ${name} has no session`);
  return newest;
}

/** Everything. */
export function loadFixtures(): Fixtures {
  const names = readdirSync(RECORDED).map((file) => file.replace('.json', ''));
  const sessions = names.flatMap((name) => recorded(name).map((session) => named(session, name)));
  return {
    sessions: [
      ...sessions,
      writingSession(newestOf('synthesis')),
      everySession(newestOf('crashloop')),
      limitedSession(newestOf('synthesis')),
      manySession(newestOf('synthesis')),
      cancelledSession(newestOf('crashloop')),
      failedSession(newestOf('crashloop')),
      hostileSession(newestOf('crashloop')),
      longSession(newestOf('crashloop'), LONG),
    ],
  };
}

/** Examples about the same alert have sessions of the same id, and are told apart here. */
function named(session: SessionFixture, name: string): SessionFixture {
  const own = SHARED.has(name) ? renamed(session, `${session.row.sessionId}-${name}`) : session;
  // What waits for a person would have expired long ago.
  return name.endsWith('-waits') ? shifted(own, Date.now() - Date.parse(own.view.now)) : own;
}
