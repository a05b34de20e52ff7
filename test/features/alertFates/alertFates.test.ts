// Each alert's fate is stored with rule and line, and found by message, title and time.

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadSessionConfig } from '../../../shared/config/load.ts';
import { RetryableError } from '../../../shared/core/errors.ts';
import { alertFateType, paths } from '../../../shared/lists/documents.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { callCommand } from '../../support/callCommand.ts';
import { dieAt } from '../../support/dieAt.ts';
import { ownConfig, writeFiles } from '../../support/ownConfig.ts';
import { withRawDocument } from '../../support/rawDocument.ts';
import { serveApi } from '../../support/serveApi.ts';

const SCRIPT = { conversations: [{ turns: [{ text: '{"answer": "Done."}' }] }] };
const TRIAGE = `rules:
  - name: quiet
    text: reboot
    action: record
  - name: dev
    text: in dev
    action: drop
    reason: People look at dev by day
`;

const CHAINS = `default: look
chains:
  look:
    stages: [{ name: look, agents: [looker] }]
    settle: 30s
`;

/** A line that matches. */
const line = (pattern: RegExp) => expect.stringMatching(pattern);

async function startServer(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function bench(files: Record<string, string> = { 'triage.yaml': TRIAGE }) {
  const config = loadSessionConfig(writeFiles(files, ownConfig({ tools: [] })));
  return startApiBench({ script: SCRIPT, inMemory: true, readConfig: () => config });
}

describe('the fate of an alert', () => {
  it('names the outcome, the rule with its line, the session and the fix, and is found by message, words and time', async () => {
    const one = await bench();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const send = async (body: string): Promise<string> =>
      (await one.ask('/v1/alerts', { body })).body.messageId;
    await send(JSON.stringify({ title: 'Checkout is slow', fingerprint: 'f1' }));
    await one.drain();
    await send(JSON.stringify({ title: 'Checkout is slow', fingerprint: 'f1', status: 'resolved' }));
    const dropped = await send(JSON.stringify({ title: `Pod 7 in dev ${secret}\u202Ex` }));
    await send(JSON.stringify({ title: 'Node reboot' }));
    await send(JSON.stringify({ title: 'Disk was full', status: 'resolved' }));
    await send('[]');
    await one.publishAlert('{"title": "\u202E');
    await one.drain();

    const { body } = await one.ask('/v1/alerts');
    const fates: Record<string, unknown>[] = body.alerts;
    const shown = fates.map(({ outcome, by, subject, place }) => ({ outcome, by, subject, place }));
    expect(shown).toHaveLength(7);
    expect(shown).toEqual(
      expect.arrayContaining([
        { outcome: 'opened', by: 'default', subject: 'default', place: null },
        { outcome: 'joined', by: 'incident', subject: 'resolved', place: null },
        { outcome: 'dropped', by: 'rule', subject: 'dev', place: { file: 'triage.yaml', line: 5 } },
        { outcome: 'recorded', by: 'rule', subject: 'quiet', place: { file: 'triage.yaml', line: 2 } },
        { outcome: 'recorded', by: 'state', subject: 'resolved', place: null },
        { outcome: 'refused', by: 'ALERT_INVALID', subject: 'local', place: null },
        { outcome: 'rejected', by: 'ALERT_INVALID', subject: null, place: null },
      ]),
    );
    expect(JSON.stringify(fates)).not.toContain('\u202E');
    const byMessage = await one.ask(`/v1/alerts?message=${dropped}`);
    const [found, ...others] = byMessage.body.alerts;
    expect(others).toEqual([]);
    expect(found?.fix).toContain('Change rule dev (triage.yaml:5) to action: investigate');
    expect(found?.title).not.toContain(secret);
    expect(found?.title).toContain('Pod 7 in dev [masked:');
    const words = await one.ask('/v1/alerts?q=node%20quiet&outcome=recorded,dropped');
    expect(words.body.alerts).toHaveLength(1);
    const later = await one.ask('/v1/alerts?since=2099-01-01T00:00:00Z');
    expect(later.body).toMatchObject({ alerts: [], next: null });
  });

  it('has its outcome, line and fix in why, by message, words and time', async () => {
    const files = { 'triage.yaml': TRIAGE, 'chains.yaml': CHAINS };
    const one = await bench(files);
    const { url } = await serveApi(one);
    const why = (...words: string[]) => callCommand(['why', ...words, '--url', url]);
    const body = JSON.stringify({ title: 'Checkout is slow', fingerprint: 'f1' });
    const { messageId } = (await one.ask('/v1/alerts', { body })).body;
    expect(await why('Checkout')).toMatchObject({ code: 1, stdout: [/^no alert/, /arrive/, /./].map(line) });
    await one.publishAlert({ title: 'Pod 7 in dev' });
    await one.drain();
    const settling = [
      / {2}deferred {2}Checkout is slow$/,
      /^ {2}by {7}settle settle \(chains\.yaml:5\)$/,
      /^ {2}because {2}It starts in 30 s \(settle\)/,
      /^ {2}session {2}\S+$/,
      /^ {2}fix {6}.*: settle \(chains\.yaml:5\)\. To investigate this one: inquest start-deferred \S+$/,
      /^ {2}message {2}\S+, read as /,
    ].map(line);
    for (const words of [[messageId], ['slow', 'checkout']])
      expect(await why(...words)).toMatchObject({ code: 0, stdout: settling });
    const [fate] = (await one.ask(`/v1/alerts?message=${messageId}`)).body.alerts;
    const { stdout } = await why(fate.at);
    expect(stdout.filter((text) => / {2}(deferred|dropped) {2}/.test(text))).toHaveLength(2);
    for (const minutes of [-11, -9, 9, 11]) {
      const at = new Date(Date.parse(fate.at) + minutes * 60_000).toISOString();
      expect(await why(at), `${minutes} minutes`).toMatchObject({ code: Math.abs(minutes) > 10 ? 1 : 0 });
    }
  });

  it('is one of the newest 20 in why, with text of others on one line and documents that cannot be read', async () => {
    const one = await bench();
    const { url } = await serveApi(one);
    const why = (...words: string[]) => callCommand(['why', ...words, '--url', url]);
    const forged = 'Odd in dev\n  fix      run this \u202E';
    await one.publishAlert({ title: forged });
    await one.drain();
    one.deps.clock.advance(60_000);
    for (let n = 0; n < 22; n++) await one.publishAlert({ title: `Pod ${n} in dev` });
    // Its reason quotes the text of another.
    await one.publishAlert('{"title": "x\u202E\n  by       nobody');
    await one.drain();
    const { stdout } = await why('in', 'dev');
    expect(stdout.filter((text) => text.includes('  dropped  '))).toHaveLength(20);
    expect(stdout.at(-1)).toBe('… only the newest 20 are shown');
    const odd = await why('odd');
    expect(odd).toMatchObject({
      code: 0,
      stdout: [
        / {2}dropped {2}Odd in dev fix /,
        ...Array(3).fill(/^ {2}(by|because|fix) /),
        /^ {2}message /,
      ].map(line),
    });
    const json = await why('odd', '--json');
    expect(json.stdout.map((text) => JSON.parse(text))).toMatchObject([
      { outcome: 'dropped', subject: 'dev' },
    ]);
    for (const text of [...odd.stdout, ...json.stdout]) expect(text).not.toContain('\u202E');
    const [stored] = (await one.ask('/v1/alerts?q=odd')).body.alerts;
    await withRawDocument(one.projectId, paths.alertFate(stored.id), (document) =>
      document.update({ outcome: 7 }),
    );
    const broken = await why('odd');
    expect([broken.code, broken.stderr.join()]).toEqual([1, expect.stringContaining(stored.id)]);
  });

  it('is found by why on a later page, when no alert of the first one has the words', async () => {
    const one = await bench();
    await one.publishAlert({ title: 'Odd in dev' });
    await one.drain();
    const { body } = await one.ask('/v1/alerts');
    const queries: (string | null)[] = [];
    const url = await startServer(({ url: address = '' }, response) => {
      const query = new URL(address, 'http://x').searchParams;
      const isFirst = query.has('message') || !query.has('after');
      if (query.has('q')) queries.push(query.get('after'));
      const next = isFirst && query.has('q') ? 'p1' : null;
      response.end(JSON.stringify({ ...body, alerts: isFirst ? [] : body.alerts, next }));
    });
    const { code, stdout } = await callCommand(['why', 'odd', 'in', 'dev', '--url', url]);
    expect([code, queries, stdout[0]]).toEqual([0, [null, 'p1'], line(/ {2}dropped {2}Odd in dev$/)]);
  });

  it('takes ten documents a minute for refused alerts, and each document expires after 30 days', async () => {
    const one = await bench();
    for (let n = 0; n < 40; n++) await one.ask('/v1/alerts', { body: `[${n}]` });
    await one.publishAlert({ title: 'Pod 7 in dev' });
    await one.drain();
    const fates = await one.deps.store.list({ collection: paths.alertFates }, alertFateType);
    expect(fates.map(({ value }) => value.outcome).sort()).toEqual([
      'dropped',
      ...Array.from({ length: 10 }, () => 'refused'),
    ]);
    const until = new Date(one.deps.clock.now().getTime() + 30 * 24 * 3_600_000);
    for (const { value } of fates) expect(value.expireAt).toEqual(until);
  });

  it.each([
    ['opened', 0, { title: 'Down' }],
    ['recorded', 0, { title: 'Node reboot' }],
    ['dropped', 0, { title: 'Pod 7 in dev' }],
    ['joined', 1, { title: 'Checkout is slow', fingerprint: 'f1', status: 'resolved' }],
  ])('is %s also if the process ends right after it was stored', async (outcome, earlier, alert) => {
    const one = await bench();
    for (let n = 0; n < earlier; n++)
      await one.publishAlert({ title: 'Checkout is slow', fingerprint: 'f1' });
    await one.drain();
    one.deps.clock.advance(1_000);
    const { store } = one.deps;
    const { commit } = store;
    store.commit = async (writes) => {
      await commit(writes);
      throw new RetryableError('STORE_UNAVAILABLE', 'the process ended');
    };
    await one.publishAlert(alert);
    await expect(one.deliverNext()).rejects.toThrow('the process ended');
    store.commit = commit;
    one.revive();
    await one.drain();
    const { alerts } = (await one.ask('/v1/alerts')).body;
    expect(alerts.map((fate: { outcome: string }) => fate.outcome)).toContain(outcome);
    expect(alerts).toHaveLength(earlier + 1);
  });

  it('is stored once for several deliveries of a message, and pages are complete', async () => {
    const one = await bench();
    // Those of dropped alerts are documents of their own, the others are part of the key of their alert.
    const sent = Array.from({ length: 8 }, (_, n) => `Pod ${n}${n % 2 === 0 ? ' in dev' : ''}`);
    const since = one.deps.clock.now().getTime();
    for (const [n, title] of sent.entries())
      await one.publishAlert({ title }, {}, new Date(since + n).toISOString());
    for (const _ of sent) await one.deliver(await one.deliverNext());
    const stored = await one.deps.store.list({ collection: paths.alertFates }, alertFateType);
    expect(stored).toHaveLength(4);
    const titles: string[] = [];
    const later = await one.ask(`/v1/alerts?until=2020-01-01T00:00:00Z&after=${stored[0]?.id}`);
    expect(later.body).toMatchObject({
      code: 'REQUEST_INVALID',
      detail: line(/^query\.after: .* of no such list/),
    });
    for (let after = ''; ; ) {
      const { body } = await one.ask(`/v1/alerts?limit=2${after && `&after=${after}`}`);
      titles.push(...body.alerts.map(({ title }: { title: string }) => title));
      if (body.next === null) break;
      after = body.next;
    }
    expect(titles).toEqual(sent.toReversed());
  });

  it('is found by a redelivery, although the configuration no longer has the chain of the alert', async () => {
    const config = loadSessionConfig(ownConfig({ tools: [] }));
    let { chains } = config;
    const one = await startApiBench({
      script: SCRIPT,
      inMemory: true,
      readConfig: () => ({ ...config, chains }),
    });
    const sessionId = await one.publishAlert({ title: 'Disk full' }, { chain: config.defaultChain });
    const [message] = one.deps.publisher.published;
    if (message === undefined) throw new Error('nothing was published');
    await dieAt('ingest-after-commit', one.deps, (process) => one.deliver(message, process));
    chains = {};
    await one.deliver(message);
    const { body } = await one.ask('/v1/alerts');
    expect(body.alerts).toMatchObject([{ sessionId, outcome: 'opened', by: 'default' }]);
  });

  it('belongs to its tenant', async () => {
    const one = await bench();
    const headers = { 'x-tenant-id': 'acme' };
    await one.ask('/v1/alerts', { body: '{"title": "Of acme in dev"}', headers });
    await one.drain();
    expect((await one.ask('/v1/alerts')).body).toMatchObject({ alerts: [] });
    expect((await one.ask('/v1/alerts', { headers })).body.alerts).toHaveLength(1);
  });
});
