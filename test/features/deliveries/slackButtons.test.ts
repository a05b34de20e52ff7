// Presses and mentions in Slack, from request to decision: stored by the API, checked by `deliver`.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type SlackRequest,
  signSlack,
  slackMention,
  slackPress,
} from '../../../local/destinations/slackEvents.ts';
import { type SlackPost, slackAccount, startSlackServer } from '../../../local/destinations/slackServer.ts';
import { SLACK_PATHS } from '../../../shared/contract/destinationSettings.ts';
import { putDocument } from '../../../shared/core/contract/store.ts';
import { createDestinations } from '../../../shared/destinations/createDestinations.ts';
import { decideApproval } from '../../../shared/kits/approvals/decideApproval.ts';
import { listApprovals } from '../../../shared/kits/views/listApprovals.ts';
import { inboxEntryType, paths, sessionType, workType } from '../../../shared/lists/documents.ts';
import type { ApiRole } from '../../../shared/schema/apiRole.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { temporaryFolder } from '../../support/ownConfig.ts';
import { startJournalServer } from '../../tools/httpServer.ts';

const TOKEN = 'xoxb-a-token-of-tests';
const CHANNEL = 'C0123456789';
const TEAM = 'T0123456789';
const SECRET = 'the-signing-secret-of-tests';
const OTHER_SECRET = 'the-signing-secret-of-another-app';
const JANE = 'U0000000001';
const person = (id: string, email: string, more: object = {}) => ({
  ...slackAccount(id, TEAM, email),
  ...more,
});
const USERS: Record<string, Record<string, unknown>> = {
  [JANE]: person(JANE, 'Jane@example.com'),
  UVIEWER: person('UVIEWER', 'viewer@example.com'),
  USTRANGER: person('USTRANGER', 'jane@example.com', { team_id: 'T0000000666' }),
  UCONNECT: person('UCONNECT', 'jane@example.com', { is_stranger: true }),
  UGUEST: person('UGUEST', 'jane@example.com', { is_restricted: true }),
  USINGLE: person('USINGLE', 'jane@example.com', { is_ultra_restricted: true }),
  UBOT: person('UBOT', 'jane@example.com', { is_bot: true }),
  UAPP: person('UAPP', 'jane@example.com', { is_app_user: true }),
  UGONE: person('UGONE', 'jane@example.com', { deleted: true }),
  UUNCONFIRMED: person('UUNCONFIRMED', 'jane@example.com', { is_email_confirmed: false }),
  UOTHER: person('UOTHER', 'other@example.com'),
  UJOE: person('UJOE', 'joe@example.com'),
  UNOBODY: person('UNOBODY', 'nobody@example.com'),
};
const MEMBERS: Record<string, { role: ApiRole; tenantId: string }> = {
  'jane@example.com': { role: 'responder', tenantId: 'default' },
  'joe@example.com': { role: 'responder', tenantId: 'default' },
  'viewer@example.com': { role: 'viewer', tenantId: 'default' },
  'other@example.com': { role: 'admin', tenantId: 'other' },
};

interface Options {
  args?: Record<string, unknown>;
  /** Without an approval: the session ends, and a question has this answer. */
  chat?: string;
  tenants?: string[];
}

/** A session that waits for an approval in Slack, with an API that takes presses. */
async function waiting({ args = { to: 1 }, chat, tenants = ['default'] }: Options = {}) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'journal'), '');
  const journal = await startJournalServer(join(folder, 'journal'));
  onTestFinished(() => journal.close());
  let now = () => Date.now();
  const slack = await startSlackServer({
    token: TOKEN,
    channels: { [CHANNEL]: 'member' },
    users: USERS,
    now: () => now(),
  });
  onTestFinished(() => slack.close());
  const settings = { token: TOKEN, channel: CHANNEL, apiUrl: slack.url, signingSecret: 'unused', team: TEAM };
  const order = { toolCalls: [{ name: 'journal.order', args }] };
  const server = {
    transport: 'http' as const,
    url: journal.url,
    tools: { order: { approval: 'required' as const }, change: { approval: 'none' as const } },
  };
  const api = await startApiBench({
    deadlineMs: 40 * 60_000,
    agent: { tools: ['journal'] },
    servers: { journal: server },
    chat: {},
    script: {
      conversations: [
        {
          name: 'agent',
          when: 'You are investigator',
          turns: [...(chat === undefined ? [order] : []), { text: 'The disk of db-1 is full.' }],
        },
        { name: 'chat', when: 'You are chat', turns: [{ text: chat ?? 'An answer.' }] },
      ],
    },
    notify: () => [{ to: 'team', when: ['opened', 'approval', 'ended', 'failed'], digestMs: null }],
    destinations: createDestinations({
      team: { kind: 'slack', tenants, onDoubt: 'repeat', settings },
      other: { kind: 'slack', tenants, onDoubt: 'repeat', settings },
    }),
    memberOf: ({ email }) => MEMBERS[email],
    slackApps: { team: SECRET, other: OTHER_SECRET },
  });
  now = () => api.deps.clock.now().getTime();
  const sessionId = await api.publishAlert({ title: 'Checkout is slow', severity: 'critical' });
  await api.drain();
  const sender = (user = JANE) => ({ user, team: TEAM, signingSecret: SECRET, now: api.deps.clock.now() });
  const send = ({ headers, body }: SlackRequest, path: string = SLACK_PATHS.presses) =>
    api.ask(path, { body, headers });
  const asked = () =>
    slack.posts.find(({ text }) => /^Approval needed|journal\.order/.test(text)) as SlackPost;
  const press = async (user?: string, action = 'approve', post = asked()) => {
    const answer = await send(slackPress(post, action, sender(user)));
    await api.drain();
    return answer;
  };
  const inbox = async () =>
    (await api.deps.store.list({ collection: 'inbox' }, inboxEntryType)).map(({ value }) => value);
  return { ...api, slack, sessionId, sender, send, press, asked, inbox };
}

describe('a press', () => {
  it('decides the approval in the name of the person, runs the call, and replaces the message', async () => {
    const bench = await waiting();
    const before = bench.deps.publisher.published.length;
    const answer = await bench.send(slackPress(bench.asked(), 'approve', bench.sender()));
    expect(answer).toMatchObject({ status: 200, body: {} });
    // Nothing is decided before the answer.
    expect(await listApprovals(bench.deps.store, bench.deps.clock.now())).toHaveLength(1);
    expect(bench.deps.publisher.published.slice(before).map(({ topic }) => topic)).toEqual(['deliveries']);
    await bench.drain();
    expect((await bench.read(bench.sessionId)).session.status).toBe('completed');
    expect(bench.asked().text).toBe('Approved by jane@example.com: journal.order');
    expect(JSON.stringify(bench.asked().blocks)).not.toContain('"actions"');
    expect(await bench.inbox()).toMatchObject([{ state: 'done', outcome: 'decided', dueAt: null }]);
  });

  it('denies', async () => {
    const bench = await waiting();
    await bench.press(JANE, 'deny');
    expect(bench.asked().text).toBe('Denied by jane@example.com: journal.order');
  });

  it('is still decided when its message is lost, by the sweep', async () => {
    const bench = await waiting();
    const { publisher } = bench.deps;
    const { publish } = publisher;
    publisher.publish = () => Promise.reject(new Error('the process died'));
    expect((await bench.send(slackPress(bench.asked(), 'approve', bench.sender()))).status).toBe(200);
    publisher.publish = publish;
    bench.deps.clock.advance(60_000);
    await bench.tick();
    await bench.drain();
    expect(bench.asked().text).toMatch(/^Approved by jane/);
  });

  it('that comes twice, or beside a second one, is one decision', async () => {
    const bench = await waiting();
    const request = slackPress(bench.asked(), 'approve', bench.sender());
    const post = structuredClone(bench.asked());
    await Promise.all([bench.send(request), bench.send(request)]);
    await bench.drain();
    expect(await bench.inbox()).toHaveLength(1);
    bench.deps.clock.advance(1_000);
    await bench.press(JANE, 'deny', post);
    expect(bench.asked().text).toMatch(/^Approved/);
    expect((await bench.inbox()).map(({ outcome }) => outcome).sort()).toEqual([
      'already_decided',
      'decided',
    ]);
    expect(bench.slack.whispers).toMatchObject([
      { user: JANE, text: 'It was approved before, by jane@example.com.' },
    ]);
  });

  it.each([
    ['UVIEWER', 'no_role'],
    ['UNOBODY', 'no_role'],
    ['UOTHER', 'other_tenant'],
    ['USTRANGER', 'other_team'],
    ['UCONNECT', 'other_team'],
    ['UGUEST', 'guest'],
    ['USINGLE', 'guest'],
    ['UBOT', 'bot'],
    ['UAPP', 'bot'],
    ['UGONE', 'deleted'],
    ['UUNCONFIRMED', 'no_address'],
    ['UMISSING', 'user_not_found'],
  ])('of %s is refused: %s', async (user, code) => {
    const bench = await waiting();
    expect((await bench.press(user)).status).toBe(200);
    expect(await bench.inbox()).toMatchObject([{ state: 'done', outcome: code }]);
    expect(await listApprovals(bench.deps.store, bench.deps.clock.now())).toHaveLength(1);
    expect(bench.slack.whispers).toHaveLength(user === 'UMISSING' ? 0 : 1);
    for (const { method, body } of bench.slack.calls)
      if (method === 'chat.postEphemeral') expect(body).toMatchObject({ parse: 'none', link_names: 'false' });
  });

  it('where the settings no longer show the tenant decides nothing', async () => {
    const tenants = ['default'];
    const bench = await waiting({ tenants });
    tenants[0] = 'other';
    await bench.press();
    expect(await bench.inbox()).toMatchObject([{ state: 'done', outcome: 'tenant_denied' }]);
    expect(await listApprovals(bench.deps.store, bench.deps.clock.now())).toHaveLength(1);
  });

  it('of another workspace, of another call or of another app decides nothing', async () => {
    const bench = await waiting();
    const post = bench.asked();
    await bench.send(slackPress(post, 'approve', { ...bench.sender(), team: 'T0000000666' }));
    const changed = JSON.parse(
      JSON.stringify(post).replace(/(team\.[a-z0-9-]+\.)[0-9a-f]{64}/g, `$1${'0'.repeat(64)}`),
    );
    await bench.send(slackPress(changed, 'approve', bench.sender()));
    const other = JSON.parse(JSON.stringify(post).replaceAll('"team.', '"else.'));
    await bench.send(slackPress(other, 'approve', bench.sender()));
    await bench.drain();
    expect((await bench.inbox()).map(({ outcome }) => outcome).sort()).toEqual([
      'call_changed',
      'other_app',
      'other_team',
    ]);
    expect(await listApprovals(bench.deps.store, bench.deps.clock.now())).toHaveLength(1);
  });

  it('after the time, or after a decision on the page, decides nothing and states so', async () => {
    const late = await waiting();
    const post = structuredClone(late.asked());
    late.deps.clock.advance(20 * 60_000);
    await late.press(JANE, 'approve', post);
    expect(await late.inbox()).toMatchObject([{ outcome: 'expired' }]);
    const decided = await waiting();
    const shown = structuredClone(decided.asked());
    const [approval] = await listApprovals(decided.deps.store, decided.deps.clock.now());
    const joe = { verdict: 'denied', by: 'joe', reason: null } as const;
    await decideApproval(approval?.approvalId ?? '', joe, decided.deps);
    await decided.press(JANE, 'approve', shown);
    expect(decided.slack.whispers[0]?.text).toBe('It was denied before, by joe.');
  });

  it.each<[string, object]>([
    ['person', { userId: JANE }],
    ['person and without a signature', { userId: JANE, signature: null }],
  ])('whose entry in the database gets another %s decides nothing', async (_, change) => {
    const bench = await waiting();
    await bench.press('UVIEWER');
    const [entry] = await bench.deps.store.list({ collection: 'inbox' }, inboxEntryType);
    if (entry === undefined) throw new Error('no press is stored');
    const forged = { ...entry.value, ...change, state: 'pending' as const, dueAt: bench.deps.clock.now() };
    await bench.deps.store.commit([putDocument(entry.path, inboxEntryType, forged)]);
    bench.deps.clock.advance(60_000);
    await bench.tick();
    await bench.drain();
    expect(await bench.inbox()).toMatchObject([{ state: 'done', outcome: 'unsigned' }]);
    expect(await listApprovals(bench.deps.store, bench.deps.clock.now())).toHaveLength(1);
  });

  it('of a second person with the same verdict states who decided', async () => {
    const bench = await waiting();
    const post = structuredClone(bench.asked());
    await bench.press(JANE, 'approve', post);
    await bench.press('UJOE', 'approve', post);
    expect(bench.slack.whispers.map(({ user, text }) => [user, text])).toEqual([
      ['UJOE', 'It was approved before, by jane@example.com.'],
    ]);
  });

  it('whose message comes again after it was handled is explained once', async () => {
    const bench = await waiting();
    await bench.send(slackPress(bench.asked(), 'approve', bench.sender('UVIEWER')));
    const message = bench.deps.publisher.published.at(-1);
    await bench.drain();
    if (message !== undefined) await bench.deliver(message);
    expect(bench.slack.whispers).toHaveLength(1);
  });

  it('waits until Slack names the person', async () => {
    const bench = await waiting();
    bench.slack.failNext('users.info', { kind: 'cut' });
    await bench.press();
    expect(bench.asked().text).toMatch(/^Approved by jane/);
  });
});

it.each([
  ['a character that changes the direction', 'shop\u202etset'],
  ['letters from right to left', 'shop \u05d0\u05d1 --all'],
  ['3,000 spaces', `shop${' '.repeat(3_000)}--all`],
  ['a blank of braille', 'shop\u2800--all'],
  ['a no-break space', 'shop\u00a0--all'],
  ['an ideographic space', 'shop\u3000--all'],
  ['a filler of Hangul', 'shop\u3164--all'],
  ['a private character', 'shop\ue000--all'],
  ['an unassigned character', 'shop\u0378--all'],
])('a call with %s has no button that approves it', async (_, name) => {
  const bench = await waiting({ args: { name } });
  expect(() => slackPress(bench.asked(), 'approve', bench.sender())).toThrow('no button approve');
  await bench.press(JANE, 'deny');
  expect(bench.asked().text).toMatch(/^Denied/);
});

it('a call that does not fit uncut has no button that approves it', async () => {
  const bench = await waiting({ args: { note: 'x'.repeat(12_000) } });
  expect(() => slackPress(bench.asked(), 'approve', bench.sender())).toThrow('no button approve');
  await bench.press(JANE, 'deny');
  expect(bench.asked().text).toMatch(/^Denied/);
});

describe('a request that Slack did not sign', () => {
  it('is refused, and leaves nothing', async () => {
    const bench = await waiting();
    const good = slackPress(bench.asked(), 'approve', bench.sender());
    const old = slackPress(bench.asked(), 'approve', {
      ...bench.sender(),
      now: new Date(bench.deps.clock.now().getTime() - 301_000),
    });
    const wrong = slackPress(bench.asked(), 'approve', { ...bench.sender(), signingSecret: 'another' });
    const refused = [
      { ...good, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      { ...good, body: `${good.body}&` },
      { ...good, headers: { ...good.headers, 'x-slack-signature': 'v0=' } },
      old,
      wrong,
    ];
    for (const request of refused)
      expect(await bench.send(request)).toMatchObject({ status: 401, body: { code: 'SIGNATURE_INVALID' } });
    expect(await bench.inbox()).toEqual([]);
  });

  it('and requests that are no press of ours are ignored', async () => {
    const bench = await waiting();
    for (const body of [
      '',
      'payload=',
      'payload={',
      'payload=%7B%22type%22%3A%22view_closed%22%7D',
      '{"type":"x"}',
    ])
      for (const path of Object.values(SLACK_PATHS)) {
        const answer = await bench.send(signSlack(body, 'application/json', bench.sender()), path);
        expect(answer).toMatchObject({ status: 200, body: {} });
      }
    expect(await bench.inbox()).toEqual([]);
  });
});

it('the address of mentions proves itself to Slack', async () => {
  const bench = await waiting();
  const body = JSON.stringify({ type: 'url_verification', challenge: 'abc', token: 'x' });
  const answer = await bench.send(signSlack(body, 'application/json', bench.sender()), SLACK_PATHS.mentions);
  expect(answer).toMatchObject({ status: 200, body: { challenge: 'abc' } });
});

describe('a mention in the thread of a session', () => {
  const mention = async (
    bench: Awaited<ReturnType<typeof waiting>>,
    text: string,
    user?: string,
    id = 'Ev1',
  ) => {
    const root = bench.slack.posts.find(({ threadTs }) => threadTs === undefined) as SlackPost;
    await bench.send(slackMention(root, text, id, bench.sender(user)), SLACK_PATHS.mentions);
    await bench.drain();
  };

  it('is guidance while it runs, once', async () => {
    const bench = await waiting();
    await mention(bench, 'Look at db-2 &amp; <https://evil.example|db-3> too.');
    await mention(bench, 'Look at db-2 &amp; <https://evil.example|db-3> too.');
    await bench.press();
    const request = JSON.stringify(bench.gemini.requests.at(-1)?.body);
    expect(request).toContain('Look at db-2 & <https://evil.example|db-3> too.');
    expect(request).toContain('from=\\"jane_example.com\\"');
    expect(bench.slack.whispers.map(({ text }) => text)).toEqual([
      'The agents get it with their next request.',
    ]);
    expect((await bench.inbox()).map(({ content }) => content)).toContainEqual(
      expect.objectContaining({ kind: 'mention', text: '' }),
    );
  });

  it('is handled as it was first: an edit is a new event of the same message', async () => {
    const bench = await waiting();
    const root = bench.slack.posts[0] as SlackPost;
    for (const request of [
      slackMention(root, 'Look at db-2.', 'Ev1', bench.sender()),
      slackMention(root, 'Look at db-3.', 'Ev2', bench.sender(), 'Ev1'),
      slackMention(root, 'Look at db-4.', 'Ev3', bench.sender()),
    ])
      await bench.send(request, SLACK_PATHS.mentions);
    await bench.drain();
    expect((await bench.inbox()).map(({ outcome }) => outcome)).toEqual(['told', 'told']);
    await bench.press();
    expect(JSON.stringify(bench.gemini.requests.at(-1)?.body)).not.toContain('db-3');
  });

  it('is a question after its end, whose answer comes into the thread as text', async () => {
    const bench = await waiting({ chat: 'See <!channel> <https://evil.example|here> @here.' });
    const before = bench.slack.posts.length;
    await mention(bench, 'Which disk?');
    await bench.drain();
    const answers = bench.slack.posts.slice(before);
    expect(answers).toHaveLength(1);
    expect(answers[0]?.threadTs).toBe(bench.slack.posts[0]?.ts);
    expect(answers[0]?.text).toBe('See &lt;!channel&gt; &lt;https://evil.example|here&gt; @here.');
    expect(JSON.stringify(answers[0]?.blocks)).not.toContain('"mrkdwn"');
    expect((await bench.read(bench.sessionId)).session.questions).toBe(1);
  });

  it('is no question where an installation has turned chat off', async () => {
    const bench = await waiting({ chat: 'db-1.' });
    Object.assign(bench.deps, { off: new Set(['chat']) });
    await mention(bench, 'Which disk?');
    expect((await bench.inbox()).map(({ outcome }) => outcome)).toEqual(['no_chat']);
    expect(bench.slack.whispers.at(-1)?.text).toContain('It was not asked: chat is off in this installation');
    expect((await bench.read(bench.sessionId)).session.questions).toBe(0);
  });

  it('is one question although the process dies after it is stored', async () => {
    const bench = await waiting({ chat: 'db-1.' });
    const { store } = bench.deps;
    const { commit } = store;
    // Without the batch of the question, the entry would end in a later one.
    const states: unknown[] = [];
    store.commit = async (writes) => {
      const isQuestion = writes.some(({ op, type }) => op === 'create' && type.name === 'stage');
      const result = await commit(writes);
      if (isQuestion) states.push((await bench.inbox()).map(({ state, outcome }) => [state, outcome]));
      return result;
    };
    await mention(bench, 'Which disk?');
    expect(states).toEqual([[['done', 'asked']]]);
  });

  it('of the app of another destination has no effect, and no secret of one is stored', async () => {
    const bench = await waiting();
    const root = bench.slack.posts[0] as SlackPost;
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const other = { ...bench.sender(), signingSecret: OTHER_SECRET };
    await bench.send(slackMention(root, `Use ${secret}`, 'Ev1', other), SLACK_PATHS.mentions);
    expect(JSON.stringify(await bench.inbox())).not.toContain(secret);
    await bench.drain();
    expect(await bench.inbox()).toMatchObject([{ outcome: 'no_session' }]);
  });

  it('is a review after its end, stored once, and an unclear one is explained to its author', async () => {
    const bench = await waiting({ chat: 'No.' });
    await mention(bench, 'review wrong cause: service:checkout memory action: restarted it');
    await mention(
      bench,
      'review wrong cause: service:checkout memory action: restarted it',
      undefined,
      'Ev2',
    );
    await mention(bench, 'review: good', undefined, 'Ev3');
    const { value: session } =
      (await bench.deps.store.get(paths.session(bench.sessionId), sessionType)) ?? {};
    expect(session?.questions).toBe(0);
    const work = await bench.deps.store.list({ collection: paths.allWork(bench.sessionId) }, workType);
    expect(work.map(({ value: { kind, by, review } }) => ({ kind, by, review }))).toEqual([
      {
        kind: 'review',
        by: 'jane@example.com',
        review: {
          rating: 'wrong',
          action: 'restarted it',
          missed: null,
          cause: { component: 'service:checkout', mechanism: 'memory', text: null },
        },
      },
    ]);
    expect(bench.slack.whispers.map(({ text }) => text)).toEqual([
      'Your review is stored: wrong.',
      'Your review is stored: wrong.',
      'It is no review: write "review right", "review partly" or "review wrong".',
    ]);
  });

  it('by a person without the role, or in another thread, is neither', async () => {
    const bench = await waiting({ chat: 'No.' });
    await mention(bench, 'Which disk?', 'UVIEWER');
    const away = { channel: CHANNEL, ts: '1.000001' };
    await bench.send(slackMention(away, 'Hello', 'Ev2', bench.sender()), SLACK_PATHS.mentions);
    await bench.drain();
    expect((await bench.inbox()).map(({ outcome }) => outcome).sort()).toEqual(['no_role', 'no_session']);
    // Another app writes the id of our message into one of its own.
    const [root] = bench.slack.posts;
    bench.slack.posts.push({ ...(root as SlackPost), ts: '1.000002', threadTs: undefined });
    const imitated = { channel: CHANNEL, ts: '1.000002' };
    await bench.send(slackMention(imitated, 'Which disk?', 'Ev3', bench.sender()), SLACK_PATHS.mentions);
    // A text that is no question is explained to its author only.
    await mention(bench, ' ', undefined, 'Ev4');
    const outcomes = (await bench.inbox()).map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual(['invalid', 'no_role', 'no_session', 'no_session']);
    expect(bench.slack.whispers.at(-1)?.text).toMatch(/^It was not asked: /);
    expect((await bench.read(bench.sessionId)).session.questions).toBe(0);
  });
});
