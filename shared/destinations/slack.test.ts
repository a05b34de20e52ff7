// Slack against its stand-in at the wire: places, threads, searches and the results of errors.

import { expect, it, onTestFinished } from 'vitest';
import { type SlackOptions, slackAccount, startSlackServer } from '../../local/destinations/slackServer.ts';
import type { SlackSettings } from '../contract/destinationSettings.ts';
import { sampleMessage } from './samples.fixture.ts';
import { createSlack } from './slack.ts';
import { slackFailure } from './slackErrors.ts';

const CHANNEL = 'C0123456789';
const OTHER = 'C0000000ABC';
const NOW = Date.parse('2026-11-26T21:02:20Z');

const TEAM = 'T1';
const MEMBER = slackAccount('U1', TEAM, 'ana@example.com');
const TOKEN = 'xoxb-a-token-of-tests';

async function open(settings: Partial<SlackSettings> = {}, users: SlackOptions['users'] = {}) {
  const token = TOKEN;
  const channels = { [CHANNEL]: 'member', [OTHER]: 'member' } as const;
  const slack = await startSlackServer({ token, channels, users, now: () => NOW });
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
  const { slack, destination } = await open(settings);
  expect(await destination.check?.()).toMatchObject(failures);
  // As a search for a message asks, which needs a scope more.
  const searched = slack.calls.filter(({ method }) => method === 'conversations.history');
  for (const { body } of searched) expect(body.include_all_metadata).toBe('true');
  expect(slack.posts).toEqual([]);
});

it('changes a message, and knows one that was deleted as gone', async () => {
  const { slack, destination } = await open();
  const sent = await destination.send(sampleMessage('opened', {}, { id: 'root' }));
  const ref = sent.outcome === 'sent' ? (sent.ref ?? '') : '';
  const change = () => destination.update?.(ref, sampleMessage('ended', {}, { id: 'root' }));
  expect(await change()).toEqual({ outcome: 'sent', ref });
  expect(slack.posts).toMatchObject([{ edits: 1, text: sampleMessage('ended').message.text }]);
  slack.remove(ref.split(':')[1] ?? '');
  expect(await change()).toMatchObject({ outcome: 'gone', failure: { code: 'message_not_found' } });
});

it('finds no message of another id, no reply of a deleted thread, and knows nothing without an answer', async () => {
  const { slack, destination } = await open();
  const firstSentAt = new Date(NOW);
  const message = sampleMessage('opened', {}, { id: 'root', firstSentAt });
  await destination.send(message);
  expect(await destination.probe?.({ ...message, id: 'other' })).toEqual({ outcome: 'absent' });
  const reply = { ...message, id: 'reply', thread: `${CHANNEL}:1.000001` };
  slack.failNext('conversations.replies', { kind: 'error', error: 'thread_not_found' });
  expect(await destination.probe?.(reply)).toEqual({ outcome: 'absent' });
  for (const [fault, code, retryAfterMs] of [
    [{ kind: 'error', error: 'thread_not_found' }, 'thread_not_found', null],
    [{ kind: 'rate_limited', retryAfterS: 7 }, 'ratelimited', 7_000],
    [{ kind: 'cut' }, 'connection', null],
  ] as const) {
    slack.failNext('conversations.history', fault);
    const failure = { code, message: expect.any(String) };
    expect(await destination.probe?.(message)).toEqual({ outcome: 'failed', failure, retryAfterMs });
  }
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
  const requests = slack.calls.length;
  expect(await destination.probe?.(message)).toMatchObject({
    outcome: 'failed',
    failure: { code: 'history_too_long' },
  });
  expect(slack.calls.length - requests).toBe(10);
});

it.each([
  ['not_in_channel', { outcome: 'refused' }, '/invite'],
  ['is_archived', { outcome: 'refused' }, 'restore it'],
  ['token_revoked', { outcome: 'refused' }, 'install the app again'],
  ['message_not_found', { outcome: 'gone' }, 'message_not_found'],
  ['ratelimited', { outcome: 'retry', retryAfterMs: 30_000 }, 'ratelimited'],
  ['rate_limited', { outcome: 'retry', retryAfterMs: 30_000 }, 'rate_limited'],
  ['internal_error', { outcome: 'unknown' }, 'internal_error'],
  ['msg_too_long', { outcome: 'refused', isOnlyThis: true }, 'too long'],
  [`${'a'.repeat(61)}`, { outcome: 'refused' }, 'unknown_error'],
  ['<!channel>', { outcome: 'refused' }, 'unknown_error'],
  [undefined, { outcome: 'refused' }, 'unknown_error'],
])('takes the error %s as %j, with its fix', (error, result, fix) => {
  const data = error === undefined ? undefined : { error };
  const code = fix === 'unknown_error' ? fix : error;
  expect(slackFailure({ code: 'slack_webapi_platform_error', data })).toEqual({
    ...result,
    failure: { code, message: expect.stringContaining(fix) },
  });
});

const refusedConnection = Object.assign(new Error('fetch failed'), { cause: { code: 'ECONNREFUSED' } });
it.each([
  [{ code: 'slack_webapi_rate_limited_error', retryAfter: 7 }, 'ratelimited', 'retry', 7_000, 'a pause'],
  [{ code: 'slack_webapi_rate_limited_error' }, 'ratelimited', 'retry', 1_000, 'a pause'],
  [{ code: 'slack_webapi_http_error', statusCode: 500 }, 'http_500', 'unknown', undefined, 'status 500'],
  [{ code: 'slack_webapi_http_error', statusCode: 499 }, 'http_499', 'refused', undefined, 'status 499'],
  [{ code: 'slack_webapi_http_error' }, 'http_undefined', 'unknown', undefined, 'status undefined'],
  [{ original: refusedConnection }, 'connection', 'retry', null, '(ECONNREFUSED)'],
  [{ original: { code: 'ENOTFOUND' } }, 'connection', 'retry', null, '(ENOTFOUND)'],
  [{ original: { code: 'ECONNRESET' } }, 'connection', 'unknown', undefined, '(ECONNRESET)'],
  [{ original: {} }, 'connection', 'unknown', undefined, '(no answer in time)'],
  [undefined, 'connection', 'unknown', undefined, '(no answer in time)'],
])('takes the fault %j of a request as %s: %s', (error, code, outcome, retryAfterMs, words) => {
  expect(slackFailure(error)).toEqual({
    outcome,
    failure: { code, message: expect.stringContaining(words) },
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
});

it('chooses a channel by the label, if the settings allow it', async () => {
  const channelFrom = { label: 'channel', allowed: [OTHER] };
  const { destination } = await open({ channelFrom });
  const places = [{ channel: OTHER }, { channel: CHANNEL }, { other: OTHER }].map((labels) =>
    destination.placeOf?.(labels as Record<string, string>),
  );
  expect(places).toEqual([OTHER, null, null]);
  expect((await open()).destination.placeOf?.({ channel: OTHER })).toBeNull();
});

it.each([
  [{}, false],
  [{ signingSecret: 'a' }, false],
  [{ team: TEAM }, false],
  [{ signingSecret: 'a', team: TEAM }, true],
])('with %j has buttons: %s', async (settings, hasButtons) => {
  const { slack, destination } = await open(settings);
  await destination.send(sampleMessage('approval', {}, { id: 'approval' }));
  const { update, thread, buttons } = destination.capabilities;
  expect([update, thread, buttons]).toEqual([true, true, hasButtons]);
  expect(JSON.stringify(slack.posts[0]?.blocks).includes('"action_id":"approve"')).toBe(hasButtons);
});

it('sends the contents as its preview shows them, without links that Slack finds in them', async () => {
  const { slack, destination } = await open();
  const message = sampleMessage('opened', {}, { id: 'a' });
  await destination.send(message);
  const shown = destination.preview?.(message);
  expect(shown).toMatchObject({
    ...{ parse: 'none', link_names: false, unfurl_links: false, unfurl_media: false },
    metadata: { event_type: 'inquest_delivery', event_payload: { id: 'a' } },
  });
  expect(slack.calls[0]?.body).toMatchObject({
    unfurl_links: 'false',
    unfurl_media: 'false',
    link_names: 'false',
  });
  expect(slack.posts[0]).toMatchObject({
    text: (shown as { text: string }).text,
    metadata: { event_payload: { id: 'a' } },
  });
});

it('names the message of a thread by its id, and none for messages of others', async () => {
  const { slack, destination } = await open();
  const sent = await destination.send(sampleMessage('opened', {}, { id: 'root' }));
  const ref = sent.outcome === 'sent' ? (sent.ref ?? '') : '';
  expect(await destination.idAt?.(ref)).toEqual({ outcome: 'found', id: 'root' });
  expect(await destination.idAt?.(`${CHANNEL}:1.000001`)).toEqual({ outcome: 'found', id: null });
  const [post] = slack.posts;
  if (post !== undefined) post.metadata = { event_type: 'other', event_payload: { id: 'root' } };
  expect(await destination.idAt?.(ref)).toEqual({ outcome: 'found', id: null });
  for (const fault of [{ kind: 'cut' }, { kind: 'rate_limited', retryAfterS: 1 }] as const) {
    slack.failNext('conversations.replies', fault);
    expect(await destination.idAt?.(ref)).toMatchObject({ outcome: 'failed' });
  }
});

it('tells one person beside a message, as text, and ignores a failure', async () => {
  const { slack, destination } = await open({}, { U1: MEMBER });
  const person = { userId: 'U1', team: TEAM };
  slack.failNext('chat.postEphemeral', { kind: 'error', error: 'user_not_in_channel' });
  await destination.notifyPerson?.(person, `${CHANNEL}:1.000001`, 'lost');
  await destination.notifyPerson?.(person, `${CHANNEL}:1.000001`, 'Ask <!channel>');
  expect(slack.whispers).toEqual([{ channel: CHANNEL, user: 'U1', text: 'Ask &lt;!channel&gt;' }]);
});

it.each([
  ['a full member', {}, null],
  ['a person of another workspace', { team_id: 'T2' }, 'other_team'],
  ['another account', { id: 'U2' }, 'other_team'],
  ['a person through Slack Connect', { is_stranger: true }, 'other_team'],
  ['a deactivated account', { deleted: true }, 'deleted'],
  ['an account of unknown state', { deleted: undefined }, 'deleted'],
  ['a bot', { is_bot: true }, 'bot'],
  ['an app', { is_app_user: true }, 'bot'],
  ['a guest', { is_restricted: true }, 'guest'],
  ['a guest of one channel', { is_ultra_restricted: true }, 'guest'],
  ['a person whose address is not confirmed', { is_email_confirmed: false }, 'no_address'],
  ['a person without an address', { profile: {} }, 'no_address'],
  ['a person without a profile', { profile: undefined }, 'no_address'],
])('of accounts only a full member can act: %s', async (_, changes, code) => {
  const users = { U1: { ...MEMBER, ...changes } };
  const { destination } = await open({ team: TEAM, signingSecret: 'a' }, users);
  expect(await destination.personOf?.({ userId: 'U1', team: TEAM })).toEqual(
    code === null
      ? { outcome: 'found', email: 'ana@example.com' }
      : { outcome: 'refused', failure: { code, message: expect.any(String) } },
  );
});

it('asks nothing about a person of another workspace, and knows nothing without an answer', async () => {
  const { slack, destination } = await open({ team: TEAM, signingSecret: 'a' }, { U1: MEMBER });
  for (const named of ['T2', ''])
    expect(await destination.personOf?.({ userId: 'U1', team: named })).toMatchObject({
      outcome: 'refused',
      failure: { code: 'other_team' },
    });
  expect(
    await (await open({ team: TEAM, signingSecret: 'a' })).destination.personOf?.({
      userId: 'U1',
      team: TEAM,
    }),
  ).toMatchObject({ outcome: 'refused' });
  const { destination: without } = await open({}, { U1: MEMBER });
  expect(await without.personOf?.({ userId: 'U1', team: TEAM })).toMatchObject({ outcome: 'refused' });
  expect(slack.calls).toEqual([]);
  for (const fault of [{ kind: 'cut' }, { kind: 'rate_limited', retryAfterS: 1 }] as const) {
    slack.failNext('users.info', fault);
    expect(await destination.personOf?.({ userId: 'U1', team: TEAM })).toMatchObject({ outcome: 'failed' });
  }
});
