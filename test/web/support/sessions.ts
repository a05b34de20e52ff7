// Sessions of these tests, by what they show.

import type { SessionFixture } from '../../../web/dev/fixtures.ts';
import { recorded } from '../../../web/dev/loadFixtures.ts';
import { everySession } from '../../../web/fixtures/every.ts';
import { failedSession } from '../../../web/fixtures/failed.ts';
import { hostileSession } from '../../../web/fixtures/hostile.ts';
import { longSession } from '../../../web/fixtures/long.ts';
import { runningSession } from '../../../web/fixtures/running.ts';

const only = (name: string) => recorded(name)[0] as SessionFixture;

/** The demo, which has ended. */
export const ended = () => only('crashloop');
/** Two agents and a synthesis, ended; and while one of them still runs. */
export const parallel = () => only('synthesis');
/** The same while one of the agents still runs. */
export const running = () => runningSession(only('synthesis'));
/** An agent that asked two others. */
export const team = () => only('team');
/** With sources and citations. */
export const research = () => only('research');
/** A call waits for a person, for another quarter of an hour. */
export function waiting(): SessionFixture {
  const session = only('approval-waits');
  const until = new Date(Date.now() + 15 * 60_000).toISOString();
  const approvals = session.view.approvals.map((approval) => ({ ...approval, until }));
  return { ...session, view: { ...session.view, approvals } };
}
/** Every type of event in every status. */
export const every = () => everySession(only('crashloop'));
/** It failed. */
export const failed = () => failedSession(only('crashloop'));
/** Every text tries something. */
export const hostile = () => hostileSession(only('crashloop'));
/** Two thousand events. */
export const long = () => longSession(only('crashloop'), 2_000);

/** The address of a session. */
export const addressOf = ({ row }: SessionFixture, rest = '') => `/s/${row.sessionId}${rest}`;
