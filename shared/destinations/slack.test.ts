// Slack against its stand-in at the wire: places, threads, searches and the results of errors.

import { expect, it, onTestFinished } from 'vitest';
import { startSlackServer } from '../../local/destinations/slackServer.ts';
import { sampleMessage } from './samples.fixture.ts';
import { createSlack } from './slack.ts';
import { slackFailure } from './slackErrors.ts';

const CHANNEL = 'C0123456789';
const OTHER = 'C0000000ABC';
const NOW = Date.parse('2026-11-26T21:02:20Z');

const TOKEN = 'xoxb-a-token-of-tests';

async function open(settings: { token?: string; channel?: string } = {}) {
  const token = TOKEN;
  const channels = { [CHANNEL]: 'member', [OTHER]: 'member' } as const;
  const slack = await startSlackServer({ token, channels, now: () => NOW });
  onTestFinished(() => slack.close());
  const destination = await createSlack({ token, channel: CHANNEL, apiUrl: slack.url, ...settings }, 'team');
  return { slack, destination };
}

it.each([OTHER, null])('finds a message in the place %s, and its replies there', async (place) => {
  const { slack, destination } = await open();
  const firstSentAt = new Date(NOW);
  const root = sampleMessage('opened', {}, { id: 'root', place, firstSentAt });
  const sent = await destination.send(root);
  expect(await destination.probe?.(root)).toEqual(
    sent.outcome === 'sent' && { outcome: 'found', ref: sent.ref },
  );
  const thread = sent.outcome === 'sent' ? sent.ref : null;
  // The place of a thread is that of its first message.
  const reply = sampleMessage('approval', {}, { id: 'reply', place: null, thread, firstSentAt });
  await destination.send(reply);
  expect(await destination.probe?.(reply)).toMatchObject({ outcome: 'found' });
  expect(slack.posts.map(({ channel }) => channel)).toEqual([place ?? CHANNEL, place ?? CHANNEL]);
});

it('shows a request for approval in the channel, too, and no other reply', async () => {
  const { slack, destination } = await open();
  for (const event of ['approval', 'details'] as const)
    await destination.send(sampleMessage(event, {}, { id: event, thread: `${CHANNEL}:1.000001` }));
  expect(slack.calls.map(({ body }) => body.reply_broadcast)).toEqual(['true', 'false']);
});

it.each([
  [{}, []],
  [{ token: 'xoxb-of-nobody' }, [{ code: 'invalid_auth' }]],
  [{ channel: 'C0000000XYZ' }, [{ code: 'channel_not_found' }]],
])('is checked with %o: %o', async (settings, failures) => {
  const { destination } = await open(settings);
  expect(await destination.check?.()).toMatchObject(failures);
});

it('searches page after page, and knows nothing behind 1,000 messages', async () => {
  const { slack, destination } = await open();
  const message = sampleMessage('ended', {}, { id: 'wanted', firstSentAt: new Date(NOW) });
  await destination.send(message);
  const [post] = slack.posts;
  const add = (count: number) => {
    for (let n = 0; n < count; n++)
      if (post !== undefined) slack.posts.push({ ...post, ts: `${NOW}.${n}`, metadata: null });
  };
  add(150);
  expect(await destination.probe?.(message)).toMatchObject({ outcome: 'found' });
  add(1_000);
  expect(await destination.probe?.(message)).toMatchObject({
    outcome: 'failed',
    failure: { code: 'history_too_long' },
  });
});

it.each([
  ['not_in_channel', 'refused', '/invite'],
  ['is_archived', 'refused', 'restore it'],
  ['token_revoked', 'refused', 'install the app again'],
  ['message_not_found', 'gone', ''],
  ['ratelimited', 'retry', ''],
  ['internal_error', 'unknown', ''],
  ['<!channel>', 'refused', 'unknown_error'],
])('takes the error %s as %s, with its fix', (error, outcome, fix) => {
  const result = slackFailure({ code: 'slack_webapi_platform_error', data: { error } });
  expect(result).toMatchObject({ outcome, failure: { message: expect.stringContaining(fix) } });
});
