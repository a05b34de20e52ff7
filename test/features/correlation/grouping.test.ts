// A person corrects grouping: an alert leaves its session, or a session is merged.

import { describe, expect, it } from 'vitest';
import { readSessionAlert } from '../../../shared/alerts/schema/alert.ts';
import type { CrashPoint } from '../../../shared/core/kernel/crashPoints.ts';
import { ignoreRecentPublication } from '../../../shared/core/kernel/execution/publishAgain.ts';
import { rawDocumentType } from '../../../shared/core/schema/documentType.ts';
import { mergeSession } from '../../../shared/features/correlation/mergeSession.ts';
import { splitAlert } from '../../../shared/features/correlation/splitAlert.ts';
import { fatesWith } from '../../../shared/kits/views/alerts/listFates.ts';
import { readCounts } from '../../../shared/kits/views/reports.ts';
import {
  alertKeyType,
  correlationType,
  incidentType,
  paths,
  sessionType,
  timelineEventType,
} from '../../../shared/lists/documents.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { dieAt } from '../../support/dieAt.ts';

const script = { conversations: Array(9).fill({ turns: [{ text: 'Done.' }] }) };
const triage = {
  correlate: [{ labels: ['cluster'], window: '15m' }],
  rules: [{ name: 'storm', labels: { cluster: '*' }, action: 'investigate', join: true }],
};
const alertOf = (title: string, more: object = {}) => ({
  title,
  fingerprint: title,
  status: 'firing',
  labels: { cluster: 'eu' },
  ...more,
});
const alone = (title: string) => alertOf(title, { labels: {} });

async function start(more: object = {}) {
  const api = await startApiBench({ script, triage, inMemory: true, ...more });
  const { store, publisher } = api.deps;
  const seen = new Set<string>();
  /** Delivers the message that was published last. */
  const deliverLast = async () => {
    const message = publisher.published.findLast(({ topic }) => topic === 'alerts');
    if (message === undefined) throw new Error('nothing was published');
    await api.deliver(message);
  };
  const send = async (alert: object, attributes: Record<string, string> = {}) => {
    const id = await api.publishAlert(alert, attributes);
    await deliverLast();
    const all = await store.list({ collection: paths.alertKeys }, alertKeyType);
    const messageId = all.map(({ value }) => value.messageId ?? '').find((one) => !seen.has(one)) ?? '';
    seen.add(messageId);
    return { id, messageId };
  };
  const session = async (id: string) => (await store.get(paths.session(id), sessionType))?.value;
  const sessions = async () =>
    (await store.list({ collection: paths.sessions }, sessionType)).map(({ value }) => value);
  const listed = async (id: string) =>
    (await fatesWith('sessionId', id, store)).alerts.map(({ title, by }) => `${title} ${by}`).sort();
  const notices = async (id: string) => (await api.read(id)).timeline.map(({ content }) => content);
  const post = (id: string, route: string, body: object) =>
    api.ask(`/v1/sessions/${id}/${route}`, { body, headers: { 'x-user-id': 'ada' } });
  const fault = async (id: string, route: string, given: object) => {
    const { status, body } = await post(id, route, given);
    return `${status} ${body.code} ${body.detail}`;
  };
  const counts = async (id: string) => (await readCounts(id, store)).value;
  /** All documents that a split or a merge can change. */
  const documents = async () => {
    const ids = (await sessions()).map(({ sessionId }) => sessionId);
    const below = ids.flatMap((id) => [paths.timeline(id), `${paths.session(id)}/alertCounts`]);
    const tops = [paths.sessions, paths.incidents, paths.alertKeys, paths.alertFates, 'correlations'];
    const list = (collection: string) => store.list({ collection }, rawDocumentType);
    return (await Promise.all([...tops, ...below].map(list))).flat();
  };
  /** What requests and deliveries have made of these sessions, with their numbers in place of their ids. */
  const result = async (ids: string[]) => {
    const named = (text: string) => ids.reduce((all, id, n) => all.replaceAll(id, `session ${n}`), text);
    const of = async (id: string) => {
      const { status, cancellation, dueAt } = (await session(id)) ?? {};
      const { expireAt: _, lastAt: __, ...counted } = (await counts(id)) ?? {};
      const events = await store.list({ collection: paths.timeline(id) }, timelineEventType);
      const told = events
        .map(({ value }) => value.content.replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+/g, 'TIME'))
        .sort();
      const { by, reason, mergedInto } = cancellation ?? {};
      return {
        status,
        by,
        reason,
        mergedInto,
        isDue: dueAt !== null,
        counted,
        told,
        listed: await listed(id),
      };
    };
    const incidents = await store.list({ collection: paths.incidents }, incidentType);
    const noted = await store.list({ collection: 'correlations' }, correlationType);
    const all = {
      sessions: await Promise.all(ids.map(of)),
      incidents: incidents
        .map(({ value: { title, sessionId, merged, alone } }) => [title, sessionId, merged, alone])
        .sort(),
      noted: noted.map(({ value }) => value.alerts.map(({ title, sessionId }) => [title, sessionId])).sort(),
    };
    return JSON.parse(named(JSON.stringify(all)));
  };
  return {
    ...api,
    result,
    counts,
    documents,
    store,
    send,
    deliverLast,
    session,
    sessions,
    listed,
    notices,
    post,
    fault,
  };
}

it('an alert whose message is published twice, at different times, is in a list once', async () => {
  const one = await start();
  const leader = await one.send(alertOf('Disk full'));
  for (const title of ['Disk full', 'Shop slow', 'Queue long']) {
    const alert = title === 'Queue long' ? alone(title) : alertOf(title);
    for (const seconds of [31, 41]) {
      const deliveryId = title.charCodeAt(0).toString(16).repeat(32);
      await one.publishAlert(alert, { deliveryId }, `2026-11-05T10:20:${seconds}.123Z`);
      await one.deliverLast();
    }
  }
  const lists = await Promise.all((await one.sessions()).map(({ sessionId }) => one.listed(sessionId)));
  expect(lists.flat().sort()).toEqual([
    'Disk full incident',
    'Disk full rule',
    'Queue long default',
    'Shop slow rule',
  ]);
  expect(await one.counts(leader.id)).toMatchObject({ firing: 2, joined: 1 });
});

describe('a merge', () => {
  it('moves the alert, its repeats and the alerts that would join it, and ends the session with a reason', async () => {
    const one = await start();
    const leader = await one.send(alone('Disk full'));
    const merged = await one.send(alertOf('Shop slow'));
    const answer = await one.post(merged.id, 'merge', { into: leader.id });
    expect(answer).toMatchObject({ status: 200, body: { outcome: 'merged' } });
    expect(await one.session(merged.id)).toMatchObject({
      status: 'cancelled',
      cancellation: { by: 'ada', reason: `merged into session ${leader.id}` },
    });
    expect(await one.notices(merged.id)).toContainEqual(
      expect.stringContaining(`Cancelled by ada: merged into session ${leader.id}`),
    );
    expect(await one.notices(leader.id)).toContainEqual(
      expect.stringContaining(
        `ada merges session ${merged.id} into this one. Its alert joins, firing: "Shop slow"`,
      ),
    );
    await one.send(alertOf('Shop slow'));
    await one.send(alertOf('Pod down'));
    expect(await one.sessions()).toHaveLength(2);
    const all = ['Disk full default', 'Pod down rule', 'Shop slow incident', 'Shop slow merge'];
    expect(await one.listed(leader.id)).toEqual(all);
    expect(await one.counts(leader.id)).toMatchObject({ firing: 2, joined: 2 });
    const again = await one.post(merged.id, 'merge', { into: leader.id });
    expect(again.body).toEqual({ outcome: 'already_merged' });
    expect(await one.listed(leader.id)).toEqual(all);
  });

  it('has the alert beside those that share the labels of the other session', async () => {
    const one = await start();
    const leader = await one.send(alertOf('Disk full'));
    const merged = await one.send(alone('Shop slow'));
    expect((await one.post(merged.id, 'merge', { into: leader.id })).body).toEqual({ outcome: 'merged' });
    const noted = await one.store.list({ collection: 'correlations' }, correlationType);
    const entries = noted.flatMap(({ value }) => value.alerts);
    expect(entries.filter(({ title }) => title === 'Shop slow')).toMatchObject([{ sessionId: leader.id }]);
  });

  it('is of problems whose end does not stop the other session, and that outlive its cancellation', async () => {
    const one = await start();
    const leader = await one.send(alone('Disk full'));
    const merged = await one.send(alone('Shop slow'));
    await one.post(merged.id, 'merge', { into: leader.id });
    await one.send({ ...alone('Shop slow'), status: 'resolved' });
    expect(await one.session(leader.id)).toMatchObject({ status: 'in_progress' });
    await one.post(leader.id, 'cancel', {});
    await one.send(alone('Shop slow'));
    const open = (await one.sessions()).filter(({ status }) => status === 'in_progress');
    expect(open.map((own) => readSessionAlert(own)?.title)).toEqual(['Shop slow']);
  });

  it('moves earlier merges, and takes a session that waits', async () => {
    const one = await start();
    const [a, b, c] = [await one.send(alertOf('A')), await one.send(alone('B')), await one.send(alone('C'))];
    await one.post(a.id, 'merge', { into: b.id });
    await one.post(b.id, 'merge', { into: c.id });
    await one.send(alertOf('A'));
    // It would have joined the first one.
    await one.send(alertOf('D'));
    expect(await one.listed(c.id)).toContain('D rule');
    expect(await one.sessions()).toHaveLength(3);
    const incidents = await one.store.list({ collection: paths.incidents }, incidentType);
    expect(new Set(incidents.map(({ value }) => value.sessionId))).toEqual(new Set([c.id]));
    const held = await one.send({ ...alone('Over'), status: 'resolved' });
    expect((await one.post(held.id, 'merge', { into: c.id })).body).toEqual({ outcome: 'merged' });
    expect(await one.session(held.id)).toMatchObject({ status: 'cancelled' });
  });

  it('and a split of another tenant change no document, and show none of its problems', async () => {
    const one = await start();
    const leader = await one.send(alertOf('Disk full'));
    const joined = await one.send(alertOf('Shop slow'));
    const merged = await one.send(alone('Queue long'));
    const taken = await one.send(alone('Node down'));
    await one.post(taken.id, 'merge', { into: leader.id });
    const own = await one.send(alone('Own'), { tenant: 'shop' });
    const before = JSON.stringify(await one.documents());
    const ids = [leader, merged, taken].map(({ id }) => id);
    const headers = { 'x-tenant-id': 'shop', 'x-user-id': 'eve' };
    for (const id of ids)
      for (const [path, body] of [
        [`${id}/split`, { messageId: joined.messageId }],
        [`${id}/split`, { messageId: taken.id }],
        [`${id}/merge`, { into: own.id }],
        [`${own.id}/merge`, { into: id }],
        [`${own.id}/split`, { messageId: joined.messageId }],
        [`${own.id}/split`, { messageId: taken.id }],
      ] as const) {
        const { status, body: answer } = await one.ask(`/v1/sessions/${path}`, { body, headers });
        expect([path, status]).toEqual([path, path === `${own.id}/split` ? 409 : 404]);
        expect(JSON.stringify(answer)).not.toMatch(/Disk full|Shop slow|Queue long|Node down/);
      }
    for (const query of [
      '',
      `?session=${leader.id}`,
      `?message=${joined.messageId}`,
      `?message=${taken.id}`,
    ]) {
      const { body } = await one.ask(`/v1/alerts${query}`, { headers });
      expect(JSON.stringify(body)).not.toMatch(/Disk full|Shop slow|Queue long|Node down/);
    }
    expect(JSON.stringify(await one.documents())).toBe(before);
  });

  it('refuses sessions that cannot be merged, and knows no session of another tenant', async () => {
    const one = await start();
    const a = await one.send(alone('A'));
    const b = await one.send(alone('B'));
    const foreign = await one.send(alone('A'), { tenant: 'shop' });
    const fault = (id: string, into: string) => one.fault(id, 'merge', { into });
    expect(await fault(a.id, a.id)).toMatch(/^409 SESSION_STATE .*cannot be merged into itself/);
    expect(await fault(a.id, foreign.id)).toMatch(/^404 SESSION_UNKNOWN/);
    expect(await fault(foreign.id, a.id)).toMatch(/^404 SESSION_UNKNOWN/);
    await one.post(b.id, 'cancel', {});
    expect(await fault(b.id, a.id)).toMatch(/^409 SESSION_STATE .*has ended \(cancelled\)/);
    expect(await fault(a.id, b.id)).toMatch(/^409 SESSION_STATE .*takes no alerts \(cancelled\)/);
    expect((await one.session(foreign.id))?.status).toBe('in_progress');
  });

  it('is recognized by stored facts, whatever people write as the reason of a cancellation', async () => {
    const one = await start();
    const [leader, other] = [await one.send(alone('Disk full')), await one.send(alone('Shop slow'))];
    await one.post(other.id, 'cancel', { reason: `merged into session ${leader.id}` });
    expect(await one.session(other.id)).toMatchObject({
      cancellation: { reason: `merged into session ${leader.id}` },
    });
    const before = JSON.stringify(await one.documents());
    expect(await one.fault(other.id, 'merge', { into: leader.id })).toMatch(/^409 .*has ended \(cancelled\)/);
    expect(await one.fault(leader.id, 'split', { messageId: other.id })).toMatch(/^409 .*no merge added it/);
    expect(JSON.stringify(await one.documents())).toBe(before);
  });

  it.each<[CrashPoint, number, string, string?]>([
    ['ingest-before-commit', 1, 'merged'],
    ['after-cancel-request', 1, 'already_merged'],
    ['after-cancel-request', 2, 'already_merged'],
    ['before-ending', 1, 'already_merged'],
    ['after-ending', 1, 'already_merged'],
    ['stage-before-commit', 1, 'already_merged'],
    ['after-cancel-request', 1, 'already_merged', 'resolved'],
  ])(
    'is whole after a death at %s (visit %i) and a repeated request: %s',
    async (point, visit, outcome, status = 'firing') => {
      const run = async (dies: boolean) => {
        const one = await start();
        const leader = await one.send(alertOf('Disk full'));
        const merged = await one.send({ ...alone('Shop slow'), status });
        const merge = { sessionId: merged.id, into: leader.id, by: 'ada' };
        if (dies) await dieAt(point, one.deps, (process) => mergeSession(merge, process), visit);
        const answer = await one.post(merged.id, 'merge', { into: leader.id });
        const named = JSON.stringify(await one.result([leader.id, merged.id]));
        return { outcome: answer.body.outcome, named };
      };
      const [whole, repeated] = [await run(false), await run(true)];
      expect(whole.outcome).toBe('merged');
      // Agents of the other session read the alert.
      expect(whole.named).toContain('["Shop slow","session 0"]');
      expect(repeated).toEqual({ outcome, named: whole.named });
    },
  );

  it('loses no alert of either problem that arrives at the same moment', async () => {
    const one = await start();
    const leader = await one.send(alone('Disk full'));
    const merged = await one.send(alone('Shop slow'));
    for (let n = 0; n < 20; n++) await one.publishAlert(alone(n % 2 ? 'Shop slow' : 'Disk full'));
    const reports = one.deps.publisher.published.filter(({ topic }) => topic === 'alerts').slice(2);
    const merges = [1, 2].map(() => one.post(merged.id, 'merge', { into: leader.id }));
    await Promise.all([...merges, ...reports.map((report) => one.deliver(report))]);
    const outcomes = (await Promise.all(merges)).map(({ body }) => body.outcome);
    expect(outcomes.sort()).toEqual(['already_merged', 'merged']);
    await one.send(alone('Shop slow'));
    expect(await one.sessions()).toHaveLength(2);
    const all = [...(await one.listed(leader.id)), ...(await one.listed(merged.id))];
    expect(all.filter((line) => line.endsWith('incident'))).toHaveLength(21);
    expect(all.filter((line) => line === 'Shop slow merge')).toHaveLength(1);
  });
});

describe('a split', () => {
  it('gives a joined alert a session of its own, to which its repeats go, and which takes no related alert', async () => {
    const one = await start();
    const leader = await one.send(alertOf('Disk full'));
    const joined = await one.send(alertOf('Shop slow'));
    expect(await one.sessions()).toHaveLength(1);
    const { status, body } = await one.post(leader.id, 'split', { messageId: joined.messageId });
    expect([status, body.outcome]).toEqual([202, 'split']);
    await one.deliverLast();
    const own: string = (await one.ask(`/v1/alerts/${body.alertKey}`)).body.sessionId;
    expect(await one.session(own)).toMatchObject({
      status: 'in_progress',
      parts: { alert: { title: 'Shop slow' } },
    });
    expect(await one.notices(own)).toContainEqual(
      expect.stringContaining(`A person took this alert out of session ${leader.id}`),
    );
    expect(await one.notices(leader.id)).toContainEqual(
      expect.stringMatching(/^ada takes an alert out of this session: .*Shop slow/),
    );
    await one.send(alertOf('Shop slow'));
    await one.send(alertOf('Pod down'));
    expect(await one.listed(own)).toEqual(['Shop slow default', 'Shop slow incident']);
    expect(await one.listed(leader.id)).toEqual(['Disk full rule', 'Pod down rule']);
    await one.send(alertOf('Disk full'));
    // The alert that left is counted no more.
    expect(await one.counts(leader.id)).toMatchObject({ firing: 2, joined: 1 });
    const again = await one.post(leader.id, 'split', { messageId: joined.messageId });
    expect(again.body).toEqual({ outcome: 'already_split', alertKey: body.alertKey });
    await one.deliverLast();
    expect(await one.sessions()).toHaveLength(2);
    // After its session has ended, no group takes it either.
    await one.post(own, 'cancel', {});
    await one.send({ ...alertOf('Shop slow'), status: 'resolved' });
    const later = new Date(one.deps.clock.now().getTime() + 25 * 3_600_000).toISOString();
    for (const title of ['Node down', 'Shop slow']) {
      await one.publishAlert(alertOf(title), {}, later);
      await one.deliverLast();
    }
    const titles = (await one.sessions()).map((own) => readSessionAlert(own)?.title);
    expect(titles.sort()).toEqual(['Disk full', 'Node down', 'Shop slow', 'Shop slow']);
    const incidents = await one.store.list({ collection: paths.incidents }, incidentType);
    const alones = incidents.filter(({ value }) => value.alone).map(({ value }) => value.title);
    expect(alones).toEqual(['Shop slow']);
  });

  it('undoes a merge, also of a session that was merged again, with the chain of the alert', async () => {
    const one = await start();
    const [a, b, c] = [
      await one.send(alone('A'), { chain: 'test' }),
      await one.send(alone('B')),
      await one.send(alone('C')),
    ];
    await one.post(a.id, 'merge', { into: b.id });
    await one.post(b.id, 'merge', { into: c.id });
    for (const outcome of ['split', 'already_split']) {
      const { status, body } = await one.post(c.id, 'split', { messageId: a.id });
      expect([status, body.outcome]).toEqual([202, outcome]);
      await one.deliverLast();
    }
    // Each counts the alerts in its list. The other session had taken that of the second only.
    expect(await one.counts(b.id)).toMatchObject({ joined: 1 });
    expect(await one.counts(c.id)).toMatchObject({ joined: 1 });
    await one.send(alone('A'), { chain: 'test' });
    await one.send(alone('B'));
    const open = (await one.sessions()).filter(({ status }) => status === 'in_progress');
    expect(open.map((own) => readSessionAlert(own)?.title).sort()).toEqual(['A', 'C']);
    const own = open.find((own) => readSessionAlert(own)?.title === 'A')?.sessionId ?? '';
    expect(await one.listed(own)).toEqual(['A default', 'A incident']);
    expect(await one.listed(b.id)).toEqual(['B default']);
    expect(await one.listed(c.id)).toEqual(['B incident', 'B merge', 'C default']);
  });

  it.each([
    ['ingest-before-commit', 'split'],
    ['ingest-after-commit', 'already_split'],
  ] as const)('is whole after a death at %s and a repeated request: %s', async (point, outcome) => {
    for (const isMerged of [false, true]) {
      const run = async (dies: boolean) => {
        const one = await start();
        const leader = await one.send(alertOf('Disk full'));
        const other = await one.send(isMerged ? alone('Shop slow') : alertOf('Shop slow'));
        if (isMerged) await one.post(other.id, 'merge', { into: leader.id });
        const messageId = isMerged ? other.id : other.messageId;
        const split = { sessionId: leader.id, messageId, by: 'ada' };
        if (dies) {
          const published = one.deps.publisher.published.length;
          await dieAt(point, one.deps, (process) => splitAlert(split, process));
          expect(one.deps.publisher.published).toHaveLength(published);
        }
        const { body } = await one.post(leader.id, 'split', { messageId });
        await one.deliverLast();
        const own: string = (await one.ask(`/v1/alerts/${body.alertKey}`)).body.sessionId;
        await one.send(alertOf('Shop slow'));
        expect(await one.sessions()).toHaveLength(isMerged ? 3 : 2);
        const ids = isMerged ? [leader.id, own, other.id] : [leader.id, own];
        return { outcome: body.outcome, named: JSON.stringify(await one.result(ids)) };
      };
      const [whole, repeated] = [await run(false), await run(true)];
      expect(whole.outcome).toBe('split');
      expect(repeated).toEqual({ outcome, named: whole.named });
    }
  });

  it('publishes a body that is valid although a secret was a number in it', async () => {
    const one = await start({ knownSecrets: ['98765432109'] });
    const leader = await one.send(alertOf('Disk full'));
    const { messageId } = await one.send(alertOf('Shop slow', { account: 98765432109 }));
    await one.post(leader.id, 'split', { messageId });
    await one.deliverLast();
    const titles = (await one.sessions()).map((own) => readSessionAlert(own)?.title);
    expect(titles.sort()).toEqual(['Disk full', 'Shop slow']);
  });

  it('refuses an alert that joined nothing there, and knows no session of another tenant', async () => {
    const one = await start();
    const leader = await one.send(alertOf('Disk full'));
    const repeat = await one.send(alertOf('Disk full'));
    const foreign = await one.send(alertOf('A'), { tenant: 'shop' });
    const joined = await one.send(alertOf('B'), { tenant: 'shop' });
    for (const { messageId } of [leader, repeat, joined])
      expect(await one.fault(leader.id, 'split', { messageId })).toMatch(
        /^409 SESSION_STATE .*no rule and no merge added it/,
      );
    const { messageId } = joined;
    expect(await one.fault(foreign.id, 'split', { messageId })).toMatch(/^404 SESSION_UNKNOWN/);
  });

  it('opens one session although requests and alerts of the problem come at the same moment', async () => {
    const one = await start();
    const leader = await one.send(alertOf('Disk full'));
    const { messageId } = await one.send(alertOf('Shop slow'));
    const splits = [1, 2, 3].map(() => one.post(leader.id, 'split', { messageId }));
    const outcomes = (await Promise.all(splits)).map(({ body }) => body.outcome);
    expect(outcomes.sort()).toEqual(['already_split', 'already_split', 'split']);
    for (let n = 0; n < 10; n++) await one.publishAlert(alertOf('Shop slow'));
    const waiting = one.deps.publisher.published.filter(({ topic }) => topic === 'alerts').slice(2);
    await Promise.all(waiting.map((message) => one.deliver(message).catch(ignoreRecentPublication)));
    await one.send(alertOf('Shop slow'));
    const sessions = await one.sessions();
    expect(sessions).toHaveLength(2);
    const own = sessions.find(({ sessionId }) => sessionId !== leader.id)?.sessionId ?? '';
    expect(await one.listed(own)).toEqual(
      expect.arrayContaining(['Shop slow default', 'Shop slow incident']),
    );
    const events = (await one.notices(leader.id)).filter((content) =>
      content.startsWith('ada takes an alert'),
    );
    expect(events).toHaveLength(1);
  });
});
