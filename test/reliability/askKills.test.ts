// A question in Slack whose processes die by SIGKILL, from the mention to the edited answer: one session, one
// answer, and each message once.

import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { slackMentionEvent } from '../../local/destinations/slackEvents.ts';
import {
  type SlackPost,
  type SlackServer,
  slackAccount,
  startSlackServer,
} from '../../local/destinations/slackServer.ts';
import { readSessionAlert } from '../../shared/alerts/schema/alert.ts';
import { SLACK_PATHS } from '../../shared/contract/destinationSettings.ts';
import { CRASH_POINTS } from '../../shared/core/kernel/crashPoints.ts';
import { isTerminal } from '../../shared/core/schema/common.ts';
import { DELIVERY_CRASH_POINTS } from '../../shared/features/deliveries/deps.ts';
import { deliveryType, paths, sessionType } from '../../shared/lists/documents.ts';
import type { Arming, Killable } from './fixtures/arming.ts';
import { LEASE_LEAP_MS, type Rig, startRig } from './rig.ts';

const TOKEN = 'xoxb-a-token-of-tests';
const CHANNEL = 'C0123456789';
const TEAM = 'T0123456789';
const SECRET = 'the-signing-secret-of-tests';
const JANE = 'U0000000001';
/** What the last agent of the chain writes. */
const ANSWER = 'One looked, the other one changed.';
/** Between two edits, and longer than a lost request can arrive late. */
const DELIVERY_LEAP_MS = 61_000;

let now = () => Date.now();
let slack: SlackServer;
let rig: Rig;
let asked = 0;
/** Called for each request to Slack. */
let meets = (_method: string) => {};
beforeAll(async () => {
  slack = await startSlackServer({
    token: TOKEN,
    channels: { [CHANNEL]: 'member' },
    users: { [JANE]: slackAccount(JANE, TEAM, 'jane@example.com') },
    now: () => now(),
    faultOf(method) {
      meets(method);
      return undefined;
    },
  });
  rig = await startRig(100, {
    oncall: {
      kind: 'slack',
      token: TOKEN,
      channel: CHANNEL,
      apiUrl: slack.url,
      signingSecret: SECRET,
      team: TEAM,
      asks: { chain: 'investigate' },
    },
  });
  now = () => rig.now().getTime();
});
afterAll(async () => {
  await rig?.stop();
  await slack?.close();
});
beforeEach(({ onTestFailed }) => {
  const begin = rig.output().length;
  onTestFailed(() => console.error(rig.output().slice(begin).join('\n')));
});

/** A person asks. @returns the message, and its text, which is the title of its session. */
async function ask(): Promise<{ post: SlackPost; title: string }> {
  const title = `alert-${++asked}`;
  const post = slack.add({ channel: CHANNEL, text: `<@U0000000000> ${title}`, fields: { user: JANE } });
  const sender = { user: JANE, team: TEAM, signingSecret: SECRET, now: new Date() };
  const { headers, body } = slackMentionEvent(post, sender);
  const { status } = await fetch(`${rig.api}${SLACK_PATHS.mentions}`, { method: 'POST', headers, body });
  expect(status).toBe(200);
  return { post, title };
}

const sessionsAbout = async (title: string) =>
  (await rig.store.list({ collection: paths.sessions }, sessionType))
    .map(({ value }) => value)
    .filter((session) => readSessionAlert(session)?.title === title);

/** One session, whose answer is the edited first message of the thread, with the details below it. */
async function expectAnswered({ post, title }: { post: SlackPost; title: string }): Promise<void> {
  await expect
    .poll(async () => (await sessionsAbout(title)).map(({ status }) => isTerminal(status)))
    .toEqual([true]);
  const [session] = await sessionsAbout(title);
  const collection = paths.deliveries(session?.sessionId ?? '');
  const messages = async () => {
    rig.leap(DELIVERY_LEAP_MS);
    const states = (await rig.store.list({ collection }, deliveryType)).map(({ value }) => value.state);
    const own = slack.posts.filter(({ threadTs, fields }) => threadTs === post.ts && fields === undefined);
    return {
      open: states.filter((state) => state === 'pending' || state === 'sending').length,
      own: own.map(({ text, edits }) => [text.includes(ANSWER), edits > 0]),
    };
  };
  const answer = [true, true];
  const details = [false, false];
  await expect.poll(messages, { interval: 500 }).toEqual({ open: 0, own: [answer, details] });
  expect(await sessionsAbout(title)).toMatchObject([{ status: 'completed', finalAnalysis: ANSWER }]);
}

it.each<[Killable, Arming['point'], number]>([
  ['ingestAlert', CRASH_POINTS.ingestBeforeCommit, 1],
  ['ingestAlert', CRASH_POINTS.ingestAfterCommit, 1],
  ['ingestAlert', CRASH_POINTS.ingestAfterPublish, 1],
  ['runIteration', CRASH_POINTS.duringModelCall, 1],
  ['runIteration', CRASH_POINTS.beforeCommitA, 1],
  // The first message, its edit, and the details.
  ['deliver', DELIVERY_CRASH_POINTS.beforeSending, 3],
  ['deliver', DELIVERY_CRASH_POINTS.afterSending, 3],
  ['deliver', DELIVERY_CRASH_POINTS.afterRequest, 3],
])('is answered once although %s dies: %s, %i times', async (name, point, times) => {
  const before = rig.kills().length;
  const leapMs = name === 'deliver' ? DELIVERY_LEAP_MS : LEASE_LEAP_MS;
  onTestFinished(() => rig.disarm(name));
  rig.arm(name, { point, times, leapMs });
  await expectAnswered(await ask());
  expect(rig.isArmed(name)).toBe(false);
  expect(rig.kills().slice(before)).toHaveLength(times);
});

it('is answered once although deliver dies while it reads the thread', async () => {
  const dead = Promise.withResolvers<void>();
  meets = (method) => {
    if (method !== 'conversations.replies') return;
    meets = () => {};
    rig.kill('deliver').then(dead.resolve, dead.reject);
  };
  const question = await ask();
  await dead.promise;
  await expectAnswered(question);
});
