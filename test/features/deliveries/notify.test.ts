// Messages in Slack: one in the channel, edited while the session runs, details in its thread.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type SlackOptions,
  type SlackPost,
  startSlackServer,
} from '../../../local/destinations/slackServer.ts';
import type { Notify } from '../../../shared/config/notified.ts';
import { replaceDocument, type Store } from '../../../shared/core/contract/store.ts';
import { createDestinations } from '../../../shared/destinations/createDestinations.ts';
import { resendMessage } from '../../../shared/features/deliveries/resendMessage.ts';
import { decideApproval } from '../../../shared/kits/approvals/decideApproval.ts';
import { addGuidance } from '../../../shared/kits/steering/addGuidance.ts';
import { listApprovals } from '../../../shared/kits/views/listApprovals.ts';
import {
  deliveryGroupType,
  deliveryType,
  destinationStateType,
  paths,
  sessionType,
} from '../../../shared/lists/documents.ts';
import { type BenchOptions, PUBLIC_URL, startBench } from '../../support/harness.ts';
import { temporaryFolder } from '../../support/ownConfig.ts';
import { createWriteRates } from '../../support/writeRates.ts';
import { startJournalServer } from '../../tools/httpServer.ts';

const TOKEN = 'xoxb-a-token-of-tests';
const CHANNEL = 'C0123456789';
const ALL: Notify = {
  to: 'team',
  when: ['opened', 'approval', 'ended', 'failed', 'deferred'],
  digestMs: null,
};

/** A bench whose sessions are shown in a channel of the stand-in. */
async function withSlack(
  options: BenchOptions,
  slack: Partial<SlackOptions> = {},
  notify = ALL,
  tenants = ['default'],
  more: object = {},
  fields?: string[],
) {
  const time = { now: () => Date.now() };
  const server = await startSlackServer({
    token: TOKEN,
    channels: { [CHANNEL]: 'member' },
    now: () => time.now(),
    ...slack,
  });
  onTestFinished(() => server.close());
  const settings = { token: TOKEN, channel: CHANNEL, apiUrl: server.url, ...more };
  const bench = await startBench({
    ...options,
    notify: () => [notify],
    destinations: createDestinations({
      team: { kind: 'slack', tenants, onDoubt: 'repeat', fields, settings },
    }),
  });
  time.now = () => bench.deps.clock.now().getTime();
  const deliveries = async (sessionId: string) =>
    (await bench.deps.store.list({ collection: paths.deliveries(sessionId) }, deliveryType)).map(
      ({ value: { event, state, failure } }) => ({ event, state, code: failure?.code }),
    );
  /** Lets the sweep find what is due, minute by minute. */
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) {
      bench.deps.clock.advance(60_000);
      await bench.tick();
      await bench.drain();
    }
  };
  return { ...bench, slack: server, deliveries, pass };
}

/** All texts of a message, as people read them. */
const shown = (post: SlackPost | undefined): string =>
  JSON.stringify(post?.blocks ?? []).replaceAll('\\n', '\n');

const script = { conversations: [{ turns: [{ text: 'The disk of db-1 is full.' }] }] };
const alert = { title: 'Checkout is slow', severity: 'critical' };

describe('an investigation', () => {
  it('is one message in the channel, which ends as the result, with the analysis in its thread', async () => {
    const bench = await withSlack({ script });
    const sessionId = await bench.publishAlert(alert);
    await bench.drain();
    const [root, details, ...more] = bench.slack.posts;
    expect(more).toEqual([]);
    expect(root?.threadTs).toBeUndefined();
    expect(root?.text).toBe('Investigated: Checkout is slow: The disk of db-1 is full.');
    expect(shown(root)).toContain(`${PUBLIC_URL}/s/${sessionId}`);
    expect(details).toMatchObject({ threadTs: root?.ts });
    expect(shown(details)).toContain('The disk of db-1 is full.');
    expect(await bench.deliveries(sessionId)).toEqual([
      { event: 'details', state: 'sent', code: undefined },
      { event: 'ended', state: 'sent', code: undefined },
      { event: 'opened', state: 'sent', code: undefined },
    ]);
  });

  it('states first that the problem was resolved, also where it was resolved before the analysis', async () => {
    const bench = await withSlack({ script });
    const known = { ...alert, status: 'firing', fingerprint: 'checkout-1', startsAt: '2020-01-05T08:00:00Z' };
    await bench.publishAlert(known);
    await bench.deliverNext();
    await bench.publishAlert({ ...known, status: 'resolved', endsAt: '2020-01-05T09:00:00Z' });
    await bench.drain();
    const [root] = bench.slack.posts;
    const text = 'Resolved 5 Jan 2020 09:00 UTC · Investigated: Checkout is slow: The disk of db-1 is full.';
    expect(root?.text).toBe(text);
    expect(shown(root)).toContain('✅ Resolved 5 Jan 2020 09:00 UTC: Checkout is slow');
  });

  it('is edited when its source resolves the alert, and when the alert fires again, without a further message', async () => {
    const bench = await withSlack({ script });
    const known = { ...alert, status: 'firing', fingerprint: 'checkout-1', startsAt: '2020-01-05T08:00:00Z' };
    const sessionId = await bench.publishAlert({
      ...known,
      labels: { namespace: 'shop', service: 'checkout' },
    });
    await bench.drain();
    const head = () => /"text":"([^"]*)"/.exec(shown(bench.slack.posts[0]))?.[1];
    expect(head()).toBe('🔥 Firing since 5 Jan 2020 08:00 UTC: Checkout is slow');
    expect(shown(bench.slack.posts[0])).toContain('"shop/checkout"');
    const resolved = { ...known, status: 'resolved', endsAt: '2020-01-05T09:00:00Z' };
    for (let report = 0; report < 2; report++) await bench.publishAlert(resolved);
    await bench.pass(1);
    expect(head()).toBe('✅ Resolved 5 Jan 2020 09:00 UTC: Checkout is slow');
    await bench.publishAlert({ ...known, startsAt: '2020-01-05T09:01:00Z' });
    await bench.pass(1);
    expect(head()).toBe('🔥 Firing since 5 Jan 2020 09:01 UTC, repeated once: Checkout is slow');
    expect(bench.slack.posts).toHaveLength(2);
    const stored = (await bench.deliveries(sessionId)).map(({ event, state }) => `${event} ${state}`);
    expect(stored).toEqual(['details sent', 'ended sent', 'opened sent', 'progress sent', 'progress sent']);
  });

  it('that is run again answers in the thread of the first message, which follows the problem', async () => {
    const undo = 'kubectl -n shop rollout undo deployment/web';
    const turn = { text: `The disk is full.\n**What to do now**: \`${undo}\`` };
    const bench = await withSlack({ script: { conversations: [{ turns: [turn] }, { turns: [turn] }] } });
    const known = { ...alert, status: 'firing', fingerprint: 'checkout-1', startsAt: '2020-01-05T08:00:00Z' };
    const first = await bench.publishAlert(known);
    await bench.drain();
    const rerun = await bench.publishAlert(known, { rerunOf: first });
    await bench.drain();
    const [root, ...replies] = bench.slack.posts;
    const labelOf = (post: SlackPost | undefined) =>
      shown(post).split(`"},{"type":"text","text":"${undo}`)[0];
    expect(labelOf(root)).toMatch(/"Do now: $/);
    expect(replies.map(({ threadTs }) => threadTs)).toEqual([root?.ts, root?.ts, root?.ts]);
    expect(shown(replies[1])).toContain(`${PUBLIC_URL}/s/${rerun}`);
    const states = (await bench.deliveries(rerun)).map(({ event, state }) => `${event} ${state}`);
    expect(states).toEqual(['details sent', 'ended sent', 'opened skipped']);
    await bench.publishAlert({ ...known, status: 'resolved', endsAt: '2020-01-05T09:00:00Z' });
    await bench.pass(1);
    expect(shown(root)).toContain('✅ Resolved 5 Jan 2020 09:00 UTC');
    expect(labelOf(root)).toMatch(/"If it fires again: $/);
    expect(bench.slack.posts).toHaveLength(4);
  });

  it('whose answer is structured shows the fields that its destination names, and the others in its thread', async () => {
    const properties = {
      answer: { type: 'string' },
      rollback: { type: 'string' },
      service: { type: 'string' },
    };
    const answer = {
      answer: 'Out of memory.',
      rollback: 'kubectl rollout undo deployment/web',
      service: 'web',
    };
    const bench = await withSlack(
      {
        agent: { outputSchema: JSON.stringify({ type: 'object', properties, required: ['answer'] }) },
        script: { conversations: [{ turns: [{ text: JSON.stringify(answer) }] }] },
      },
      {},
      ALL,
      ['default'],
      {},
      ['rollback', 'missing'],
    );
    await bench.publishAlert(alert);
    await bench.drain();
    const [root, details] = bench.slack.posts;
    expect(shown(root)).toContain('rollback: kubectl rollout undo deployment/web');
    expect(shown(root)).not.toContain('missing');
    expect(shown(details)).toContain('service');
  });

  it('that asks people shows question and options in its thread, and reads the answer of a person', async () => {
    const payload = { question: 'Which cluster?', options: ['eu1', 'us1'] };
    const call = (args: Record<string, unknown>) => ({ toolCalls: [{ name: 'action', args }] });
    const noted = call({ type: 'observation', payload: { confidence: 0.5 } });
    const turns = [call({ type: 'elicit', payload }), noted, noted, { text: 'It is eu1.' }];
    const bench = await withSlack({ script: { conversations: [{ turns }] }, agent: { tools: ['action'] } });
    const sessionId = await bench.publishAlert(alert);
    while (bench.slack.posts.length < 2) await bench.deliverNext();
    const [root, question] = bench.slack.posts;
    expect(question).toMatchObject({ threadTs: root?.ts, text: 'An agent asks: Which cluster?' });
    expect(shown(question)).toContain('Options: eu1 · us1');
    expect(shown(question)).toContain('with a mention of the app');
    const text = 'In answer to "Which cluster?": eu1';
    expect(await addGuidance(sessionId, { text, by: 'kim' }, bench.deps)).toMatchObject({ kind: 'told' });
    await bench.drain();
    const requests = JSON.stringify(bench.gemini.requests.map(({ body }) => body));
    expect(requests).toContain('Which cluster?');
    expect(requests).toMatch(/kim[\s\S]*In answer to/);
  });

  it('is shown as running before it ends, and each request switches markup, mentions and previews off', async () => {
    const bench = await withSlack({ script });
    await bench.publishAlert(alert);
    await bench.deliverNext();
    while (bench.slack.posts.length === 0) await bench.deliverNext();
    expect(bench.slack.posts[0]?.text).toMatch(/^Investigating: Checkout is slow/);
    expect(bench.slack.posts[0]?.edits).toBe(0);
    await bench.drain();
    await bench.pass(1);
    const requests = bench.slack.calls.filter(({ method }) => method.startsWith('chat.'));
    expect(new Set(requests.map(({ method }) => method))).toEqual(
      new Set(['chat.postMessage', 'chat.update']),
    );
    // Otherwise Slack reads mentions and links from texts, and shows what links lead to.
    const inert = { parse: 'none', link_names: 'false', unfurl_links: 'false', unfurl_media: 'false' };
    for (const { body } of requests)
      expect(body).toMatchObject({ ...inert, text: expect.stringMatching(/\w/) });
  });

  it('that fails is shown as failed, with the cause', async () => {
    const bench = await withSlack({
      script: { conversations: [{ turns: [{ failures: [{ status: 400 }] }] }] },
    });
    const sessionId = await bench.publishAlert(alert);
    await bench.drain();
    expect(bench.slack.posts[0]?.text).toMatch(/^Investigation failed: Checkout is slow/);
    expect((await bench.deliveries(sessionId)).map(({ event }) => event)).toContain('failed');
  });

  it.each([
    ['not_checked', { text: 'Full.' }, ['details', 'ended']],
    ['confirmed', { text: 'Full.' }, []],
    ['confirmed', { failures: [{ status: 400 }] }, ['details', 'failed']],
  ])('without a verdict, where %s is wanted, is reported after %j by %j', async (verdict, turn, events) => {
    const notify = { ...ALL, when: ['ended', 'failed'], verdict: [verdict] };
    const bench = await withSlack({ script: { conversations: [{ turns: [turn] }] } }, {}, notify);
    const sessionId = await bench.publishAlert(alert);
    await bench.drain();
    expect((await bench.deliveries(sessionId)).map(({ event }) => event)).toEqual(events);
    expect(bench.slack.posts).toHaveLength(events.length);
  });

  it('with another verdict than wanted ends its first message, without a further one', async () => {
    const bench = await withSlack({ script }, {}, { ...ALL, verdict: ['confirmed'] });
    const sessionId = await bench.publishAlert(alert);
    await bench.deliverNext();
    while (bench.slack.posts.length === 0) await bench.deliverNext();
    await bench.drain();
    await bench.pass(1);
    expect(bench.slack.posts.map(({ text }) => text)).toEqual([expect.stringMatching(/^Investigated: /)]);
    // A later batch writes the ended session again.
    const stored = await bench.deps.store.get(paths.session(sessionId), sessionType);
    if (stored === undefined) throw new Error('the session is not stored');
    const again = replaceDocument(stored.path, sessionType, stored.value, stored.version);
    expect(await bench.deps.store.commit([again])).toMatchObject({ ok: true });
  });

  it('is not shown where its tenant is not', async () => {
    const bench = await withSlack({ script }, {}, ALL, ['other']);
    const sessionId = await bench.publishAlert(alert);
    await bench.drain();
    expect(bench.slack.posts).toEqual([]);
    expect(new Set((await bench.deliveries(sessionId)).map(({ code }) => code))).toEqual(
      new Set(['tenant_denied']),
    );
  });
});

it.each([
  ['C0000000ABC', 'C0000000ABC'],
  ['C0000000XYZ', CHANNEL],
  ['#general', CHANNEL],
  [undefined, CHANNEL],
])(
  'with the label %s, all messages are in the channel %s, which the settings allow',
  async (wanted, used) => {
    const channels = { [CHANNEL]: 'member', C0000000ABC: 'member', C0000000XYZ: 'member' } as const;
    const channelFrom = { label: 'slack_channel', allowed: ['C0000000ABC'] };
    const bench = await withSlack({ script }, { channels }, ALL, ['default'], { channelFrom });
    await bench.publishAlert({ ...alert, labels: wanted === undefined ? {} : { slack_channel: wanted } });
    await bench.drain();
    await bench.pass(1);
    expect(bench.slack.posts).toHaveLength(2);
    expect(new Set(bench.slack.posts.map(({ channel }) => channel))).toEqual(new Set([used]));
  },
);

describe('a lost answer', () => {
  it('is found again by the metadata of the message, which is posted once', async () => {
    const bench = await withSlack({ script });
    bench.slack.failNext('chat.postMessage', { kind: 'cut_after_effect' });
    const sessionId = await bench.publishAlert(alert);
    await bench.drain();
    expect(bench.slack.posts).toHaveLength(1);
    await bench.pass(5);
    expect(bench.slack.posts.map(({ threadTs }) => threadTs)).toEqual([undefined, bench.slack.posts[0]?.ts]);
    expect(bench.slack.posts[0]?.text).toMatch(/^Investigated/);
    expect((await bench.deliveries(sessionId)).map(({ state }) => state)).toEqual(['sent', 'sent', 'sent']);
  });

  it('of a request that had no effect leads to one message, after two searches that found none', async () => {
    const bench = await withSlack({ script });
    bench.slack.failNext('chat.postMessage', { kind: 'cut' });
    await bench.publishAlert(alert);
    await bench.drain();
    await bench.pass(8);
    const roots = bench.slack.posts.filter(({ threadTs }) => threadTs === undefined);
    expect(roots).toHaveLength(1);
    expect(bench.slack.calls.filter(({ method }) => method === 'conversations.history')).toHaveLength(2);
  });

  it('that no search resolves in a day stays unknown; when a person repeats the message, its details follow', async () => {
    const bench = await withSlack({ script }, {}, { ...ALL, when: ['ended'] });
    bench.slack.failNext('chat.postMessage', { kind: 'cut' });
    const sessionId = await bench.publishAlert(alert);
    await bench.drain();
    bench.deps.clock.advance(25 * 3_600_000);
    await bench.pass(1);
    const states = async () => (await bench.deliveries(sessionId)).map(({ state }) => state);
    expect([await states(), bench.slack.posts]).toEqual([['skipped', 'unknown'], []]);
    expect(await resendMessage(sessionId, 'team.ended.1', bench.deps)).toMatchObject({ kind: 'requested' });
    await bench.drain();
    await bench.pass(1);
    expect(await states()).toEqual(['sent', 'sent']);
    expect(bench.slack.posts.map(({ threadTs }) => threadTs)).toEqual([undefined, bench.slack.posts[0]?.ts]);
  });

  it('waits as long as Slack asks after 429', async () => {
    const bench = await withSlack({ script });
    bench.slack.failNext('chat.postMessage', { kind: 'rate_limited', retryAfterS: 120 });
    await bench.publishAlert(alert);
    await bench.drain();
    await bench.pass(1);
    expect(bench.slack.posts).toEqual([]);
    await bench.pass(2);
    expect(bench.slack.posts.length).toBeGreaterThan(0);
  });
});

describe('an approval', () => {
  it('is requested in the thread, and shown as decided', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'journal');
    writeFileSync(file, '');
    const journal = await startJournalServer(file);
    onTestFinished(() => journal.close());
    const bench = await withSlack({
      deadlineMs: 40 * 60_000,
      agent: { tools: ['journal'] },
      servers: {
        journal: {
          transport: 'http',
          url: journal.url,
          tools: { order: { approval: 'required' }, change: { approval: 'none' } },
        },
      },
      script: {
        conversations: [
          { turns: [{ toolCalls: [{ name: 'journal.order', args: { to: 1 } }] }, { text: 'Done.' }] },
        ],
      },
    });
    await bench.publishAlert(alert);
    await bench.drain();
    const [root, asked] = bench.slack.posts;
    expect(asked).toMatchObject({ threadTs: root?.ts, edits: 0 });
    expect(asked?.text).toBe('Approval needed: investigator wants to run journal.order');
    expect(shown(asked)).toContain('{\\"to\\":1}');
    const [approval] = await listApprovals(bench.deps.store, bench.deps.clock.now());
    const decision = { verdict: 'approved', by: 'jane', reason: null } as const;
    await decideApproval(approval?.approvalId ?? '', decision, bench.deps);
    await bench.drain();
    expect(asked?.text).toBe('Approved by jane: journal.order');
    expect(asked?.edits).toBe(1);
  });
});

describe('many sessions of an hour', () => {
  const storm = async (notify: Notify, sessions: number, options: Partial<BenchOptions> = {}) => {
    const bench = await withSlack({ script, ...options }, {}, notify);
    // The minutes of a test belong to one hour.
    bench.deps.clock.advance(3_600_000 - (bench.deps.clock.now().getTime() % 3_600_000));
    for (let index = 1; index <= sessions; index++)
      await bench.publishAlert({ title: `Alert ${index}`, severity: 'critical' });
    await bench.drain();
    return bench;
  };

  it('have 20 messages of their own, and one that counts the others and is edited', async () => {
    const bench = await storm(ALL, 23);
    await bench.pass(3);
    const roots = bench.slack.posts.filter(({ threadTs }) => threadTs === undefined);
    expect(roots).toHaveLength(21);
    expect(roots.at(-1)?.text).toBe('Many alerts: 3 sessions more in this hour');
    await bench.publishAlert({ title: 'One more', severity: 'critical' });
    await bench.drain();
    await bench.pass(3);
    expect(roots.at(-1)?.text).toBe('Many alerts: 4 sessions more in this hour');
    expect(roots.at(-1)?.edits).toBe(1);
    expect(bench.slack.posts.filter(({ threadTs }) => threadTs === undefined)).toHaveLength(21);
  });

  it('write no document more than once a second, except for the first messages of the hour', async () => {
    for (const digestMs of [null, 3_600_000]) {
      const rates = createWriteRates(() => new Date(0));
      const bench = await storm({ ...ALL, digestMs }, 50, { wrapStore: rates.count });
      await bench.pass(1);
      const own = /^(deliveryGroups|groupMembers|destinations|sessions\/[^/]+\/(deliveries|threads))\//;
      const hot = rates.documents().filter(({ name, perSecond }) => own.test(name) && perSecond > 1);
      expect(hot.map(({ name, operations }) => [name, operations])).toEqual(
        digestMs === null ? [['destinations/team', 20]] : [],
      );
    }
  });

  it('are one digest at the end of its period', async () => {
    const bench = await storm({ ...ALL, digestMs: 3_600_000 }, 3);
    expect(bench.slack.posts).toEqual([]);
    await bench.pass(61);
    expect(bench.slack.posts.map(({ text }) => text)).toEqual(['Digest: 3 sessions']);
  });
});

describe('rejected alerts', () => {
  const SECRET = `ghp_${'a1B2'.repeat(9)}`;
  const BROKEN = `{"title": "<!channel> ${SECRET} https://evil.example",`;
  const REJECTED: Notify = { to: 'team', when: ['rejected'], digestMs: null };
  const groupsOf = async ({ deps }: { deps: { store: Store } }) =>
    (await deps.store.list({ collection: 'deliveryGroups' }, deliveryGroupType)).map(({ value }) => value);

  it('are one message that counts each once, is edited, and has nothing of their text', async () => {
    const bench = await withSlack({ script }, {}, REJECTED);
    await bench.publishAlert(BROKEN);
    await bench.deliver(await bench.deliverNext());
    await bench.drain();
    expect(bench.slack.posts).toHaveLength(1);
    const [post] = bench.slack.posts;
    expect(post?.text).toMatch(/^1 alert was rejected and not investigated since .* UTC: ALERT_INVALID$/);
    expect(shown(post)).toContain(`${PUBLIC_URL}/alerts`);
    for (let index = 0; index < 30; index++) await bench.publishAlert(BROKEN);
    await bench.drain();
    await bench.pass(3);
    expect(post?.text).toMatch(/^31 alerts were rejected and/);
    expect(bench.slack.posts).toHaveLength(1);
    expect(shown(post)).not.toMatch(/channel|ghp_|evil/);
  });

  it('of a tenant that the destination does not show are not sent', async () => {
    const bench = await withSlack({ script }, {}, REJECTED, ['other']);
    await bench.publishAlert(BROKEN);
    await bench.drain();
    expect(bench.slack.calls).toEqual([]);
    expect(await groupsOf(bench)).toMatchObject([
      { tenantId: 'default', state: 'failed', failure: { code: 'tenant_denied' } },
    ]);
  });

  it('wait for the next hour where this hour had its messages, and are not reported unless wanted', async () => {
    const bench = await withSlack({ script }, {}, { ...REJECTED, when: ['ended', 'rejected'] });
    for (let index = 1; index <= 20; index++) await bench.publishAlert({ title: `Alert ${index}` });
    await bench.drain();
    const before = bench.slack.posts.length;
    await bench.publishAlert(BROKEN);
    await bench.drain();
    expect(bench.slack.posts).toHaveLength(before);
    await bench.pass(61);
    expect(bench.slack.posts.slice(before).map(({ text }) => text)).toEqual([
      expect.stringMatching(/^1 alert was rejected/),
    ]);
    const silent = await withSlack({ script }, {}, { ...REJECTED, when: ['ended'] });
    await silent.publishAlert(BROKEN);
    await silent.drain();
    expect(await groupsOf(silent)).toEqual([]);
  });
});

describe('a destination that refuses', () => {
  it('three messages in a row gets none for ten minutes, then one, and the others after it accepts one', async () => {
    const bench = await withSlack({ script });
    for (let index = 0; index < 4; index++)
      bench.slack.failNext('chat.postMessage', { kind: 'error', error: 'not_in_channel' });
    for (let index = 1; index <= 3; index++)
      await bench.publishAlert({ title: `Alert ${index}`, severity: 'critical' });
    await bench.drain();
    const state = await bench.deps.store.get(paths.destination('team'), destinationStateType);
    expect(state?.value).toMatchObject({ refusals: 3, failure: { code: 'not_in_channel' } });
    expect(state?.value.failure?.message).toContain('/invite');
    const attempts = () => bench.slack.calls.filter(({ method }) => method === 'chat.postMessage').length;
    await bench.pass(5);
    expect(attempts()).toBe(3);
    // The results of three sessions wait. One of them is refused again, the others are sent.
    await bench.pass(8);
    expect(attempts()).toBe(4);
    await bench.pass(12);
    const roots = bench.slack.posts.filter(({ threadTs }) => threadTs === undefined);
    expect(roots.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Investigated/),
      expect.stringMatching(/^Investigated/),
    ]);
  });
});

it('a first message that people deleted is answered once in its thread, and never posted again', async () => {
  const bench = await withSlack({ script });
  await bench.publishAlert(alert);
  await bench.deliverNext();
  while (bench.slack.posts.length === 0) await bench.deliverNext();
  const ts = bench.slack.posts[0]?.ts ?? '';
  bench.slack.remove(ts);
  await bench.drain();
  expect(bench.slack.posts.map(({ threadTs }) => threadTs)).toEqual([ts, ts]);
  expect(bench.slack.posts[0]?.text).toMatch(/^Investigated/);
});
