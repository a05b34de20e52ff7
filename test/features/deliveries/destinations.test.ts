// Messages at destinations beside Slack: edited issues, doubts, and repeated messages.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGithub } from '../../../local/destinations/github.fixture.ts';
import { startGoogleChat } from '../../../local/destinations/googleChat.fixture.ts';
import { startPagerduty } from '../../../local/destinations/pagerduty.fixture.ts';
import { type SlackOptions, startSlackServer } from '../../../local/destinations/slackServer.ts';
import { startTeams } from '../../../local/destinations/teams.fixture.ts';
import type { DestinationConfig } from '../../../shared/contract/destinationSettings.ts';
import { createDocument } from '../../../shared/core/contract/store.ts';
import { RetryableError } from '../../../shared/core/errors.ts';
import { createDestinations } from '../../../shared/destinations/createDestinations.ts';
import { CHAT_SCOPE } from '../../../shared/destinations/googleChat.ts';
import { createHttp } from '../../../shared/destinations/http.ts';
import { createTeams } from '../../../shared/destinations/teams.ts';
import { changeState } from '../../../shared/features/deliveries/destinationCircuit.ts';
import { takeRoot } from '../../../shared/features/deliveries/messageGroups.ts';
import { resendMessage } from '../../../shared/features/deliveries/resendMessage.ts';
import { holdThread } from '../../../shared/features/deliveries/threadLease.ts';
import { deliveryType, destinationStateType, paths, threadType } from '../../../shared/lists/documents.ts';
import { createLogger } from '../../../shared/log.ts';
import { startBench } from '../../support/harness.ts';

const script = { conversations: [{ turns: [{ text: 'The disk of db-1 is full.' }] }] };
const alert = { title: 'Checkout is slow', severity: 'critical' };
const common = { tenants: ['default'], onDoubt: 'repeat' as const };

/** Services with a token of Google that the stand-in knows. */
const services = {
  http: createHttp(),
  googleToken: () => Promise.resolve('good'),
  installation: () => ({ project: 'demo', name: 'inquest' }),
  publishEvent: () => Promise.reject(new Error('nothing publishes here')),
};

async function withDestination(
  config: DestinationConfig,
  when = ['opened', 'ended', 'failed'],
  digestMs: number | null = null,
) {
  const configured = createDestinations({ team: config }, services);
  const bench = await startBench({
    script,
    notify: () => [{ to: 'team', when, digestMs }],
    destinations: async (name) => {
      const found = await configured(name);
      if (found === undefined || config.kind !== 'teams') return found;
      // The stand-in has a private address.
      return { ...found, destination: await createTeams(services, 'any')(config.settings, name) };
    },
  });
  const states = async (sessionId: string) =>
    (await bench.deps.store.list({ collection: paths.deliveries(sessionId) }, deliveryType)).map(
      ({ value: { event, state } }) => `${event} ${state}`,
    );
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) {
      bench.deps.clock.advance(60_000);
      await bench.tick();
      await bench.drain();
    }
  };
  return { ...bench, states, pass };
}

describe('an issue of GitHub', () => {
  it('is one for a session whose first answer was lost, and shows the result', async () => {
    const github = await startGithub({ repository: 'shop/incidents', tokens: { good: { canWrite: true } } });
    onTestFinished(() => github.stop());
    const settings = { token: 'good', repository: 'shop/incidents', apiUrl: github.url };
    const bench = await withDestination({ kind: 'github', ...common, settings });
    github.failNext({ fault: 'cut', takesEffect: true });
    const sessionId = await bench.publishAlert(alert);
    await bench.drain();
    await bench.pass(5);
    expect(github.issues).toHaveLength(1);
    expect(github.issues[0]?.body).toContain('**State unknown**: Checkout is slow');
    expect(github.issues[0]?.comments).toHaveLength(1);
    expect(await bench.states(sessionId)).toEqual(['details sent', 'ended sent', 'opened sent']);
  });
});

describe('a card of Google Chat', () => {
  it('is one for a session although requests are repeated', async () => {
    const chat = await startGoogleChat({ spaces: ['spaces/AAAA'], tokens: { good: [CHAT_SCOPE] } });
    onTestFinished(() => chat.stop());
    const settings = { space: 'spaces/AAAA', apiUrl: chat.url };
    const bench = await withDestination({ kind: 'googleChat', ...common, settings });
    chat.failNext(
      { fault: 'cut', takesEffect: true },
      { fault: 'answer', answer: { status: 503 }, takesEffect: true },
    );
    await bench.publishAlert(alert);
    await bench.drain();
    await bench.pass(8);
    const threads = new Set(chat.messages.map(({ thread }) => thread));
    expect(chat.messages).toHaveLength(2);
    expect(threads.size).toBe(1);
    expect(JSON.stringify(chat.messages[0]?.content)).toContain('Not checked.');
  });

  it('counts the sessions of an hour that has its 20 first messages, as in other places of people', async () => {
    const chat = await startGoogleChat({ spaces: ['spaces/AAAA'], tokens: { good: [CHAT_SCOPE] } });
    onTestFinished(() => chat.stop());
    const settings = { space: 'spaces/AAAA', apiUrl: chat.url };
    const bench = await withDestination({ kind: 'googleChat', ...common, settings });
    for (let root = 0; root < 20; root++) await takeRoot('team', bench.deps);
    await bench.publishAlert(alert);
    await bench.drain();
    await bench.pass(1);
    expect(chat.messages.map(({ content }) => JSON.stringify(content))).toEqual([
      expect.stringContaining('Many alerts: 1 session'),
    ]);
  });
});

describe('a message of Teams whose answer was lost', () => {
  async function lost() {
    const teams = await startTeams();
    onTestFinished(() => teams.stop());
    const settings = { url: teams.workflow };
    const bench = await withDestination({ kind: 'teams', ...common, settings }, ['ended', 'failed']);
    teams.failNext({ fault: 'cut', takesEffect: false });
    const sessionId = await bench.publishAlert(alert);
    await bench.drain();
    return { ...bench, teams, sessionId };
  }

  it('stays unknown, and no program sends it again', async () => {
    const bench = await lost();
    await bench.pass(30);
    expect(await bench.states(bench.sessionId)).toEqual(['details skipped', 'ended unknown']);
    expect(bench.teams.requests).toHaveLength(1);
  });

  it('is sent again when a person asks for it, once', async () => {
    const bench = await lost();
    const ask = (id: string) => resendMessage(bench.sessionId, id, bench.deps);
    const held = await holdThread(
      { sessionId: bench.sessionId, destination: 'team' },
      'other',
      { timeoutMs: 1_000, capabilities: { thread: false } },
      bench.deps,
    );
    expect(await ask('team.ended.1')).toEqual({ kind: 'busy' });
    await held?.release();
    expect(await ask('team.ended.1')).toMatchObject({ kind: 'requested' });
    await bench.drain();
    expect(bench.teams.posted).toHaveLength(1);
    expect(JSON.stringify(bench.teams.posted[0])).toContain('Possibly repeated');
    expect(await bench.states(bench.sessionId)).toContain('ended sent');
    expect(await ask('team.ended.1')).toMatchObject({ kind: 'refused', delivery: { state: 'sent' } });
    expect(await ask('team.ended.2')).toEqual({ kind: 'unknown' });
  });
});

describe('the end of a problem, in a place without edits', () => {
  const firing = { ...alert, status: 'firing', fingerprint: 'a', startsAt: '2020-01-05T08:00:00Z' };
  const resolved = { ...firing, status: 'resolved', endsAt: '2020-01-05T09:00:00Z' };

  async function withTeams(when: string[]) {
    const teams = await startTeams();
    onTestFinished(() => teams.stop());
    const bench = await withDestination(
      { kind: 'teams', ...common, settings: { url: teams.workflow } },
      when,
    );
    const sessionId = await bench.publishAlert(firing);
    const posted = () => teams.posted.map(({ fallbackText }) => fallbackText);
    return { ...bench, posted, sessionId };
  }

  it.each([
    [['ended'], 1],
    [['ended', 'resolved'], 2],
  ])('is one message where %j is wanted: %i in all', async (when, count) => {
    const bench = await withTeams(when);
    await bench.drain();
    for (let report = 0; report < 2; report++) await bench.publishAlert(resolved);
    await bench.drain();
    expect(bench.posted()).toHaveLength(count);
    if (count === 2) expect(bench.posted()[1]).toMatch(/^Resolved 5 Jan 2020 09:00 UTC/);
  });

  it('is stated by the result, if that is still to come', async () => {
    const bench = await withTeams(['ended', 'resolved']);
    await bench.deliverNext();
    await bench.publishAlert(resolved);
    await bench.drain();
    expect(bench.posted()).toEqual([expect.stringMatching(/^Resolved .* · Investigated/)]);
  });
});

describe('a receiver of webhooks', () => {
  async function receiving(status: number) {
    const receiver = { status, ids: [] as unknown[] };
    const server = createServer((request, response) => {
      receiver.ids.push(request.headers['webhook-id']);
      request.resume().on('end', () => response.writeHead(receiver.status).end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const secrets = [`whsec_${Buffer.alloc(32, 1).toString('base64')}`];
    const settings = { url, secrets, private: true };
    const bench = await withDestination({ kind: 'webhook', ...common, settings }, ['ended']);
    const resultOf = async (sessionId: string) =>
      (await bench.deps.store.get(paths.delivery(sessionId, 'team', 'ended', '1'), deliveryType))?.value;
    const investigated = async () => {
      const sessionId = await bench.publishAlert(alert);
      await bench.drain();
      return { sessionId, ...(await resultOf(sessionId)) };
    };
    return { ...bench, receiver, resultOf, investigated };
  }

  it('that fails gets the same id in all attempts of a day', async () => {
    const { receiver, resultOf, investigated, deps, tick, drain } = await receiving(500);
    const { sessionId, dueAt } = await investigated();
    const start = deps.clock.now().getTime();
    for (let next = dueAt; next; next = (await resultOf(sessionId))?.dueAt) {
      deps.clock.advance(next.getTime() - deps.clock.now().getTime());
      await tick();
      await drain();
    }
    const hours = (deps.clock.now().getTime() - start) / 3_600_000;
    expect([receiver.ids.length, Math.floor(hours)]).toEqual([8, 23]);
    expect(new Set(receiver.ids)).toEqual(new Set([`${sessionId}:team:ended:1`]));
    expect(await resultOf(sessionId)).toMatchObject({ state: 'unknown', failure: { code: 'http_500' } });
  });

  it('that answers 410 gets nothing more, until a person has a message sent again', async () => {
    const { receiver, resultOf, investigated, deps, pass, drain } = await receiving(410);
    expect(await investigated()).toMatchObject({ state: 'failed', failure: { code: 'http_410' } });
    const second = await investigated();
    const disabled = { state: 'failed', failure: { code: 'destination_disabled' } };
    expect(second).toMatchObject(disabled);
    deps.clock.advance(24 * 3_600_000);
    await pass(1);
    expect(await investigated()).toMatchObject(disabled);
    expect(receiver.ids).toHaveLength(1);
    receiver.status = 204;
    await resendMessage(second.sessionId, 'team.ended.1', deps);
    await drain();
    expect(await resultOf(second.sessionId)).toMatchObject({ state: 'sent' });
    expect(await investigated()).toMatchObject({ state: 'sent' });
  });
});

describe('a message that a person has sent again', () => {
  async function withApproval(state: 'skipped' | 'failed') {
    const teams = await startTeams();
    onTestFinished(() => teams.stop());
    const settings = { url: teams.workflow };
    const bench = await withDestination({ kind: 'teams', ...common, settings }, ['ended']);
    teams.failNext({ fault: 'cut', takesEffect: false });
    const sessionId = await bench.publishAlert(alert);
    await bench.drain();
    const ended = await bench.deps.store.get(paths.delivery(sessionId, 'team', 'ended', '1'), deliveryType);
    if (ended === undefined) throw new Error('the message is not stored');
    const approval = { ...ended.value, event: 'approval', key: 'x', state, isDoubtful: false };
    const path = paths.delivery(sessionId, 'team', 'approval', 'x');
    await bench.deps.store.commit([createDocument(path, deliveryType, approval)]);
    const ask = async (id: string) => {
      await resendMessage(sessionId, id, bench.deps);
      await bench.drain();
      const thread = await bench.deps.store.get(paths.thread(sessionId, 'team'), threadType);
      return [thread?.value.root, await bench.states(sessionId)];
    };
    return ask;
  }

  it('and is the first one brings the requests for approval that were held', async () => {
    const ask = await withApproval('skipped');
    expect(await ask('team.ended.1')).toEqual(['sent', ['approval sent', 'details skipped', 'ended sent']]);
  });

  it('and is not the first one leaves the doubt about that', async () => {
    const ask = await withApproval('failed');
    expect(await ask('team.approval.x')).toEqual([
      'unknown',
      ['approval sent', 'details skipped', 'ended unknown'],
    ]);
  });
});

/** A channel of Slack. */
async function withSlack(when: string[], digestMs: number | null = null, more: Partial<SlackOptions> = {}) {
  const bench: { now: () => number } = { now: () => Date.now() };
  const slack = await startSlackServer({
    token: 'xoxb-a-token-of-tests',
    channels: { C0123456789: 'member' },
    now: () => bench.now(),
    ...more,
  });
  onTestFinished(() => slack.close());
  const settings = { token: 'xoxb-a-token-of-tests', channel: 'C0123456789', apiUrl: slack.url };
  const made = await withDestination({ kind: 'slack', ...common, settings }, when, digestMs);
  bench.now = () => made.deps.clock.now().getTime();
  const hour = 3_600_000;
  made.deps.clock.advance(hour - (bench.now() % hour));
  const texts = () => slack.posts.flatMap(({ threadTs, text }) => (threadTs === undefined ? [text] : []));
  return { ...made, slack, texts };
}

describe('a store that fails', () => {
  it.each([
    ['before the request leaves no doubt about it', 'session', 'sending'],
    ['while the circuit counts leaves no doubt about the answer', 'destination', 'after'],
  ])('%s', async (_, name, moment) => {
    const teams = await startTeams();
    onTestFinished(() => teams.stop());
    const bench = await withDestination({ kind: 'teams', ...common, settings: { url: teams.workflow } }, [
      'ended',
    ]);
    const { store } = bench.deps;
    const { get, commit } = store;
    let isSending = false;
    let failures = 0;
    const fails = () => moment === 'sending' || teams.requests.length > 0;
    store.commit = async (writes) => {
      isSending ||= writes.some(
        ({ op, value }) => op !== 'delete' && (value as { state?: string }).state === 'sending',
      );
      return commit(writes);
    };
    store.get = async (path, type) => {
      if (isSending && type.name === name && fails() && failures++ === 0)
        throw new RetryableError('STORE_UNAVAILABLE', 'the store failed');
      return get(path, type);
    };
    const sessionId = await bench.publishAlert(alert);
    await bench.drain();
    await bench.pass(5);
    expect(await bench.states(sessionId)).toContain('ended sent');
    expect(teams.posted).toHaveLength(1);
  });

  it('so slowly that the lease could end during the request has it sent after a further commit', async () => {
    const teams = await startTeams();
    onTestFinished(() => teams.stop());
    const bench = await withDestination({ kind: 'teams', ...common, settings: { url: teams.workflow } }, [
      'ended',
    ]);
    const { store, clock } = bench.deps;
    const { commit } = store;
    let slow = 0;
    store.commit = async (writes) => {
      const isSending = writes.some(
        ({ op, value }) => op !== 'delete' && (value as { state?: string }).state === 'sending',
      );
      const result = await commit(writes);
      if (isSending && slow++ === 0) clock.advance(31_000);
      return result;
    };
    const sessionId = await bench.publishAlert(alert);
    await bench.drain();
    expect([slow, teams.posted.length, await bench.states(sessionId)]).toEqual([
      2,
      1,
      ['details skipped', 'ended sent'],
    ]);
  });
});

describe('many sessions', () => {
  it('that wait for a circuit take one place of the hour each', async () => {
    const bench = await withSlack(['ended']);
    const closedUntil = new Date(bench.deps.clock.now().getTime() + 300_000);
    await changeState('team', bench.deps, (state) => ({ ...state, refusals: 3, closedUntil }));
    for (let n = 0; n < 8; n++) await bench.publishAlert({ ...alert, title: `Alert ${n}` });
    await bench.drain();
    await bench.pass(15);
    expect(bench.texts()).toHaveLength(8);
    const state = await bench.deps.store.get(paths.destination('team'), destinationStateType);
    expect(state?.value.roots).toBe(8);
  });

  it('of a full hour join its count without a wait for the circuit, whose trial is for a request', async () => {
    const bench = await withSlack(['ended']);
    for (let root = 0; root < 20; root++) await takeRoot('team', bench.deps);
    const closedUntil = new Date(bench.deps.clock.now().getTime() + 300_000);
    await changeState('team', bench.deps, (state) => ({ ...state, refusals: 3, closedUntil }));
    const sessionId = await bench.publishAlert(alert);
    await bench.drain();
    expect(await bench.states(sessionId)).toContain('ended skipped');
    expect(bench.slack.calls).toEqual([]);
    await bench.pass(7);
    expect(bench.texts()).toEqual(['Many alerts: 1 session more in this hour']);
  });

  it('that join while their count is sent first do not delay it to the next minute', async () => {
    const bench = await withSlack(['ended']);
    for (let root = 0; root < 20; root++) await takeRoot('team', bench.deps);
    const { store } = bench.deps;
    const { commit } = store;
    let lost = 0;
    store.commit = async (writes) => {
      const [first] = writes;
      const isClaim = first?.op === 'replace' && (first.value as { holder?: string | null }).holder != null;
      const isGroup = first?.path.startsWith('deliveryGroups/') === true;
      return isClaim && isGroup && lost++ < 3 ? { ok: false, reason: 'changed' } : commit(writes);
    };
    await bench.publishAlert(alert);
    await bench.drain();
    expect(lost).toBeGreaterThan(3);
    expect(bench.texts()).toEqual(['Many alerts: 1 session more in this hour']);
  });

  it('that are rejected wait for a circuit, too', async () => {
    const bench = await withSlack(['rejected']);
    const closedUntil = new Date(bench.deps.clock.now().getTime() + 300_000);
    await changeState('team', bench.deps, (state) => ({ ...state, refusals: 3, closedUntil }));
    await bench.publishAlert('{');
    await bench.drain();
    await bench.pass(4);
    expect(bench.slack.calls).toEqual([]);
    await bench.pass(3);
    expect(bench.texts()).toHaveLength(1);
  });

  it('are counted at the end of the hour where messages cannot be edited', async () => {
    const teams = await startTeams();
    onTestFinished(() => teams.stop());
    const bench = await withDestination({ kind: 'teams', ...common, settings: { url: teams.workflow } }, [
      'ended',
    ]);
    for (let root = 0; root < 20; root++) await takeRoot('team', bench.deps);
    for (let n = 0; n < 3; n++) await bench.publishAlert({ ...alert, title: `Alert ${n}` });
    await bench.drain();
    await bench.pass(61);
    expect(teams.posted.map((card) => JSON.stringify(card))).toEqual([
      expect.stringContaining('Many alerts: 3 sessions more in this hour'),
    ]);
  });

  it('whose count was refused are counted by the next one', async () => {
    const bench = await withSlack(['ended']);
    for (let root = 0; root < 20; root++) await takeRoot('team', bench.deps);
    bench.slack.failNext('chat.postMessage', { kind: 'error', error: 'not_in_channel' });
    await bench.publishAlert(alert);
    await bench.drain();
    await bench.publishAlert({ ...alert, title: 'Later' });
    await bench.drain();
    await bench.pass(2);
    expect(bench.texts()).toEqual(['Many alerts: 2 sessions more in this hour']);
  });

  it('are edited into the count after the pause that the service asks for', async () => {
    const bench = await withSlack(['ended']);
    for (let root = 0; root < 20; root++) await takeRoot('team', bench.deps);
    await bench.publishAlert(alert);
    await bench.drain();
    bench.slack.failNext('chat.update', { kind: 'rate_limited', retryAfterS: 1_200 });
    await bench.publishAlert({ ...alert, title: 'Later' });
    await bench.drain();
    await bench.pass(15);
    expect(bench.slack.posts.map(({ edits }) => edits)).toEqual([0]);
    await bench.pass(10);
    expect(bench.texts()).toEqual(['Many alerts: 2 sessions more in this hour']);
  });

  it('are in the next digest where the clock of a process is behind its end', async () => {
    const bench = await withSlack(['ended'], 3_600_000);
    await bench.publishAlert(alert);
    await bench.drain();
    await bench.pass(60);
    expect(bench.texts()).toEqual(['Digest: 1 session']);
    bench.deps.clock.advance(-20_000);
    await bench.publishAlert({ ...alert, title: 'Later' });
    await bench.drain();
    await bench.pass(65);
    expect(bench.texts()).toEqual(['Digest: 1 session', 'Digest: 1 session']);
  });
});

describe('a channel of Slack', () => {
  it('whose thread was deleted has no replies: one that was lost is sent again', async () => {
    let lost = 0;
    const faultOf: SlackOptions['faultOf'] = (method, { thread_ts }) =>
      method === 'chat.postMessage' && thread_ts !== undefined && lost++ === 0 ? { kind: 'cut' } : undefined;
    const bench = await withSlack(['ended'], null, { faultOf });
    const sessionId = await bench.publishAlert(alert);
    await bench.drain();
    bench.slack.remove(bench.slack.posts[0]?.ts ?? '');
    await bench.pass(8);
    expect(await bench.states(sessionId)).toEqual(['details sent', 'ended sent']);
  });

  it('that refuses messages for their form stays open for others', async () => {
    const bench = await withSlack(['ended']);
    for (let n = 0; n < 3; n++) {
      bench.slack.failNext('chat.postMessage', { kind: 'error', error: 'msg_blocks_too_long' });
      await bench.publishAlert({ ...alert, title: `Alert ${n}` });
      await bench.drain();
    }
    await bench.publishAlert(alert);
    await bench.drain();
    expect(bench.texts()).toHaveLength(1);
  });
});

describe('PagerDuty', () => {
  const incident = (id: string) => ({
    event: {
      id: `e-${id}`,
      event_type: 'incident.triggered',
      occurred_at: '2026-11-05T10:00:00Z',
      data: { id, type: 'incident', title: `Down ${id}`, status: 'triggered' },
    },
  });
  const IDS = ['PT4KHL1', 'PT4KHL2', 'PT4KHL3'];

  async function withPagerduty(token: string) {
    const FROM = 'oncall@example.com';
    const keys = { writes: {}, reads: { isReadOnly: true } };
    const pagerduty = await startPagerduty({ keys, users: [FROM], incidents: [...IDS, 'PT4KHL4'] });
    onTestFinished(() => pagerduty.stop());
    const settings = { token, from: FROM, apiUrl: pagerduty.url };
    const bench = await withDestination({ kind: 'pagerduty', ...common, settings }, ['ended', 'failed']);
    const lines: string[] = [];
    bench.deps.log = createLogger({ LOG_LEVEL: 'error' }, {
      write: (one: string) => lines.push(one),
    } as never);
    const circuit = async () =>
      (await bench.deps.store.get(paths.destination('team'), destinationStateType))?.value;
    return { ...bench, pagerduty, lines, circuit };
  }

  it('gets no note about an alert of another source, and these do not open its circuit', async () => {
    const bench = await withPagerduty('writes');
    const others: string[] = [];
    for (let n = 0; n < 4; n++) others.push(await bench.publishAlert({ title: `Other ${n}` }));
    await bench.drain();
    for (const sessionId of others) expect(await bench.states(sessionId)).toContain('ended failed');
    expect((await bench.circuit())?.refusals ?? 0).toBe(0);
    await bench.publishAlert(incident('PT4KHL1'));
    await bench.drain();
    expect(bench.pagerduty.notes.get('PT4KHL1')).toHaveLength(1);
    expect(bench.lines).toEqual([]);
  });

  it('gets a note for each incident of a storm: a count of them has no incident', async () => {
    const bench = await withPagerduty('writes');
    for (let root = 0; root < 20; root++) await takeRoot('team', bench.deps);
    await bench.publishAlert(incident('PT4KHL1'));
    await bench.drain();
    expect(bench.pagerduty.notes.get('PT4KHL1')).toHaveLength(1);
  });

  it('that refuses three notes gets none for ten minutes, and one line of the log names it with the fix', async () => {
    const bench = await withPagerduty('reads');
    for (const id of IDS) await bench.publishAlert(incident(id));
    await bench.drain();
    const now = bench.deps.clock.now().getTime();
    expect(await bench.circuit()).toMatchObject({ refusals: 3, closedUntil: new Date(now + 600_000) });
    expect(bench.lines).toHaveLength(1);
    expect(JSON.parse(bench.lines[0] ?? '')).toMatchObject({
      severity: 'ERROR',
      destination: 'team',
      code: expect.any(String),
      message: expect.stringMatching(
        /^destination team refused 3 messages in a row, none is sent for 10 minutes: \S+/,
      ),
    });
    const before = bench.pagerduty.requests.length;
    await bench.publishAlert(incident('PT4KHL4'));
    await bench.drain();
    await bench.pass(9);
    expect(bench.pagerduty.requests).toHaveLength(before);
    await bench.pass(3);
    expect(bench.pagerduty.requests).toHaveLength(before + 1);
  });
});
