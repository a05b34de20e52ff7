// Sessions of these tests, by what they show.

import type { SessionFixture } from '../../../web/dev/fixtures.ts';
import { newestOf } from '../../../web/dev/loadFixtures.ts';
import { everySession } from '../../../web/fixtures/every.ts';
import { failedSession } from '../../../web/fixtures/failed.ts';
import { hostileSession } from '../../../web/fixtures/hostile.ts';
import { longSession } from '../../../web/fixtures/long.ts';
import { runningSession } from '../../../web/fixtures/running.ts';

/** The demo, which has ended. */
export const ended = () => newestOf('crashloop');
/** Two agents and a synthesis, ended; and while one of them still runs. */
export const parallel = () => newestOf('synthesis');
/** The same while one of the agents still runs. */
export const running = () => runningSession(newestOf('synthesis'));
/** An agent that asked two others. */
export const team = () => newestOf('team');
/** With sources and citations. */
export const research = () => newestOf('research');
/** A call waits for a person, for another quarter of an hour. */
export function waiting(): SessionFixture {
  const session = newestOf('approval-waits');
  const until = new Date(Date.now() + 15 * 60_000).toISOString();
  const approvals = session.view.approvals.map((approval) => ({ ...approval, until }));
  return { ...session, view: { ...session.view, approvals } };
}
/** Every type of event in every status. */
export const every = () => everySession(newestOf('crashloop'));
/** It failed. */
export const failed = () => failedSession(newestOf('crashloop'));
/** Every text tries something. */
export const hostile = () => hostileSession(newestOf('crashloop'));
/** Two thousand events. */
export const long = () => longSession(newestOf('crashloop'), 2_000);

/** The address of a session. */
export const addressOf = ({ row }: SessionFixture, rest = '') => `/s/${row.sessionId}${rest}`;
