// Commands with `--url`: they work through the HTTP API of a system, with a key, and look at no database.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cloudAccess } from '../../shared/api/access/cloudAccess.ts';
import type { SessionConfig } from '../../shared/config/config.ts';
import { loadSessionConfig } from '../../shared/config/load.ts';
import { createApiKey } from '../../shared/kits/access/createApiKey.ts';
import type { ApiRole } from '../../shared/schema/apiRole.ts';
import { startApiBench } from '../support/apiBench.ts';
import { callCommand } from '../support/callCommand.ts';
import { ownConfig } from '../support/ownConfig.ts';
import { signKey, verifyKey } from '../support/signatures.ts';

const ANALYSIS = 'The disk is full of logs.';
const script = { conversations: Array(8).fill({ turns: [{ text: ANALYSIS }] }) };

/** A deployed API behind a real socket with immediate delivery, and its commands. */
async function start(role: ApiRole = 'admin', more: { readConfig?: () => SessionConfig } = {}) {
  const api = await startApiBench({
    ...more,
    script,
    chat: {},
    access: (_, { store, clock, log }) =>
      cloudAccess({ verifyKey, memberOf: () => undefined, requestsPerMinute: 10_000, store, clock, log }),
  });
  const { store, clock } = api.deps;
  const server = serve({ fetch: api.app.fetch, hostname: '127.0.0.1', port: 0 });
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const folder = mkdtempSync(join(tmpdir(), 'inquest-api-'));
  let isDelivering = false;
  let isOver = false;
  const delivering = (async () => {
    while (!isOver) {
      if (isDelivering) await api.drain();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  onTestFinished(async () => {
    isOver = true;
    await delivering;
    server.close();
    rmSync(folder, { recursive: true });
  });
  const given = { name: `${role}-bot`, tenantId: 'default', role, createdBy: 'anna', lifetimeMs: 3_600_000 };
  const { text } = await createApiKey(given, { store, clock, sign: signKey });
  const env = {
    INQUEST_URL: `http://127.0.0.1:${port}`,
    INQUEST_API_KEY: text,
    // A database that holds nothing of this: what a command finds it has from the API.
    GOOGLE_CLOUD_PROJECT: 'demo-elsewhere',
  };
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  return {
    ...api,
    file,
    call: (...args: string[]) => callCommand(args, env),
    callWith: (more: object, ...args: string[]) => callCommand(args, { ...env, ...more }),
    deliver(yes: boolean) {
      isDelivering = yes;
    },
  };
}

const said = ({ stdout, stderr }: { stdout: string[]; stderr: string[] }) =>
  [...stdout, ...stderr].join('\n');

it('a resolved alert is taken with exit code 0, and the session that has it is named', async () => {
  const { call, file, deliver, deps } = await start();
  deliver(true);
  const report = (status: string) =>
    file(
      'alert.json',
      JSON.stringify({ title: 'Disk full', severity: 'critical', fingerprint: 'd', status }),
    );
  const alone = await call('send', report('resolved'));
  expect([alone.code, alone.stderr.at(-1)]).toEqual([
    0,
    expect.stringMatching(
      /^"Disk full" is resolved: there is nothing to investigate, .* stored as deferred; .* start-deferred \S+$/,
    ),
  ]);
  await call('send', report('firing'));
  const [row] = (await call('list', '--json')).stdout.map((line) => JSON.parse(line));
  deps.clock.advance(1_000);
  const joined = await call('send', report('resolved'));
  expect([joined.code, joined.stderr.at(-1)]).toEqual([
    0,
    `"Disk full" is resolved: nothing new is investigated. Session ${row.sessionId} of its problem has the report`,
  ]);
});

it('an alert is sent and followed, listed, shown, watched, asked about and investigated again', async () => {
  const { call, file, deliver } = await start();
  deliver(true);
  const sent = await call('send', file('alert.json', '{"title":"Disk full","severity":"critical"}'));
  expect(sent.code, said(sent)).toBe(0);
  expect(sent.stdout.join('\n')).toContain(ANALYSIS);
  expect(sent.stdout.join('\n')).toMatch(/Session {4}\S+ {2}completed/);

  const listed = await call('list', '--json');
  const [row] = listed.stdout.map((line) => JSON.parse(line));
  expect(row).toMatchObject({ title: 'Disk full', status: 'completed', severity: 'critical' });
  expect((await call('list')).stdout.join('\n')).toContain('Disk full');

  const shown = await call('show', 'last');
  expect(shown.stdout.join('\n')).toContain(ANALYSIS);
  const view = JSON.parse((await call('show', row.sessionId.slice(0, -2), '--json')).stdout.join(''));
  expect(view).toMatchObject({ sessionId: row.sessionId, finalAnalysis: ANALYSIS });
  expect(view.timeline.at(-1)).toMatchObject({ eventType: 'final_analysis', content: ANALYSIS });
  const watched = await call('watch', 'last', '--json');
  expect(watched.code).toBe(0);
  expect(watched.stdout.map((line) => JSON.parse(line).type)).toEqual([
    ...view.timeline.map(() => 'event'),
    'session',
  ]);

  const asked = await call('ask', 'last', 'Which disk?');
  expect([asked.code, said(asked)]).toEqual([0, expect.stringContaining('answered')]);
  const chat = await call('ask', 'Which pods restarted?', '--json');
  expect(JSON.parse(chat.stdout.at(-1) ?? '')).toMatchObject({ type: 'answer', status: 'completed' });

  const again = await call('rerun', row.sessionId);
  expect([again.code, said(again)]).toEqual([0, expect.stringContaining('completed')]);
  const rows = (await call('list', '--json')).stdout.map((line) => JSON.parse(line));
  expect(rows.map(({ rerunOf }) => rerunOf)).toContain(row.sessionId);
});

it('an investigation is paused, guided, resumed and cancelled', async () => {
  const { call, publishAlert, deliverNext } = await start();
  const sessionId = await publishAlert();
  await deliverNext();
  expect(said(await call('pause', 'last'))).toContain(`session ${sessionId} is paused`);
  expect(said(await call('pause', 'last'))).toContain('was paused before, by admin-bot');
  expect(said(await call('guide', 'last', 'Look at the logs.'))).toContain('once the session is resumed');
  expect(said(await call('guide', 'last', '--list'))).toContain('admin-bot: not read yet');
  expect(said(await call('resume', 'last', '--json'))).toContain('"outcome":"resumed"');
  expect(said(await call('cancel', 'last', '--reason', 'a test'))).toBe(`session ${sessionId} is cancelled`);
  expect(said(await call('cancel', sessionId))).toContain('had ended before: cancelled');
  const refused = await call('guide', 'last', 'More.');
  expect([refused.code, said(refused)]).toEqual([
    1,
    `inquest: session ${sessionId} has ended (cancelled): no agent would read it`,
  ]);
  expect(said(await call('approvals'))).toContain('nothing waits for approval');
  expect(said(await call('deny', 'k7f3q-9mtxz'))).toMatch(
    /there is no approval k7f3q-9mtxz in http:.*; `inquest approvals` lists/,
  );
  expect(said(await call('dropped'))).toContain('no alert was dropped');
});

it('knowledge is stored, found, shown and removed', async () => {
  const { call, file } = await start();
  const ledger = file('ledger.md', '---\ntitle: Ledger\n---\nA database of payments.\n');
  expect(said(await call('knowledge', 'push', ledger))).toContain('ledger: created');
  expect(said(await call('knowledge', 'list'))).toContain('Ledger');
  expect(said(await call('knowledge', 'search', 'LOOKUP', 'ledger'))).toContain('A database of payments.');
  expect(JSON.parse((await call('knowledge', 'show', 'ledger', '--json')).stdout.join(''))).toMatchObject({
    key: 'ledger',
    updatedBy: 'admin-bot',
  });
  expect(said(await call('knowledge', 'remove', 'ledger'))).toContain('removed');
  expect((await call('knowledge', 'show', 'ledger')).code).toBe(1);
});

it('agents are listed, stored, shown and removed', async () => {
  const config = loadSessionConfig(ownConfig({}));
  const { call, file } = await start('admin', { readConfig: () => config });
  const [first] = (await call('agents', 'list', '--json')).stdout.map((line) => JSON.parse(line));
  const yaml = (await call('agents', 'show', first.name)).stdout.join('\n');
  expect(yaml).toContain(first.name);
  const own = file(`${first.name}.yaml`, `# changed\n${yaml}\n`);
  expect(said(await call('agents', 'push', own))).toContain(`${first.name}: created in http://127.0.0.1`);
  expect((await call('agents', 'show', first.name)).stderr.join()).toContain('from the store, since ');
  const broken = await call('agents', 'push', file(`${first.name}.yaml`, 'json_schema_extra: 7\n'));
  expect([broken.code, said(broken)]).toEqual([1, expect.stringContaining('json_schema_extra: must be a')]);
  expect(said(await call('agents', 'remove', first.name))).toContain('removed');
});

describe('a command', () => {
  it.each([
    [{ INQUEST_API_KEY: 'inq_nonsense' }, 1, 'LOGIN_REQUIRED'],
    [{ INQUEST_API_KEY: undefined }, 1, 'LOGIN_REQUIRED'],
    [{ INQUEST_URL: 'http://127.0.0.1:1' }, 1, 'nothing answers at http://127.0.0.1:1'],
    [{ INQUEST_URL: 'http://inquest.example' }, 2, 'must be https://'],
    [{ INQUEST_URL: 'https://ada:secret@inquest.example' }, 2, 'INQUEST_API_KEY'],
    [{ INQUEST_URL: 'inquest' }, 2, 'must be https://'],
  ])('with %j names the fault', async (more, code, message) => {
    const { callWith } = await start();
    const result = await callWith(more, 'list');
    expect([result.code, said(result)]).toEqual([code, expect.stringContaining(message)]);
    expect(said(result)).not.toContain('secret@');
  });

  it('that the role of its key does not allow is refused, and changes nothing', async () => {
    const { call, publishAlert, deliverNext, read } = await start('viewer');
    const sessionId = await publishAlert();
    await deliverNext();
    const result = await call('cancel', 'last');
    expect([result.code, said(result)]).toEqual([1, expect.stringContaining('ACCESS_DENIED')]);
    expect((await read(sessionId)).session.status).not.toBe('cancelled');
  });
});
