// Checks and schedules by API and command: after a rollout, exit code, run by a person.

import { describe, expect, it } from 'vitest';
import { handleTick } from '../../../shared/engine/handleTick.ts';
import { runSchedules } from '../../../shared/features/checks/runSchedules.ts';
import { checkType, paths } from '../../../shared/lists/documents.ts';
import { deployedSweepFeatures } from '../../../shared/lists/sweepFeatures.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { callCommand } from '../../support/callCommand.ts';
import { serveApi } from '../../support/serveApi.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const script = {
  conversations: [
    { when: { user: 'rollout' }, turns: [{ text: 'Errors rise.\nCheck result: attention' }] },
    { turns: [{ text: 'All is well.\nCheck result: healthy' }] },
  ],
};
const schedules = {
  pods: { cron: '0 * * * *', question: 'Are all pods well?' },
  others: { cron: '0 * * * *', question: 'Is shop well?', tenant: 'shop' },
};

async function bench() {
  const one = await startApiBench({ script, inMemory: true, schedules });
  // Ten minutes past an hour: which schedules are due depends on no time of the day.
  const { clock } = one.deps;
  clock.advance(HOUR - (clock.now().getTime() % HOUR) + 10 * MINUTE);
  const features = deployedSweepFeatures([runSchedules(one.config.schedules ?? {})]);
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) {
      clock.advance(MINUTE);
      await handleTick(one.deps, features.slice(0, -1));
      await one.drain();
    }
  };
  const { url } = await serveApi(one);
  const run = (...args: string[]) => callCommand([...args, '--url', url]);
  return { ...one, pass, run };
}

describe('a check after a rollout', () => {
  it('starts at its time, once for its key, and gives its watcher an exit code', async () => {
    const one = await bench();
    const body = {
      question: 'Is the rollout well?',
      after: '10m',
      key: 'deploy-7',
      labels: { service: 'shop' },
    };
    const requested = await one.ask('/v1/checks', { body });
    expect(requested).toMatchObject({
      status: 202,
      body: { state: 'waiting', sessionId: null, result: null },
    });
    const { checkId } = requested.body;
    const copies = await Promise.all([1, 2, 3].map(() => one.ask('/v1/checks', { body })));
    expect(copies.map(({ body }) => body.checkId)).toEqual([checkId, checkId, checkId]);
    expect((await one.ask('/v1/checks', { body: { ...body, question: 'Other?' } })).body.code).toBe(
      'KEY_REUSED',
    );
    await one.pass(9);
    expect((await one.ask(`/v1/checks/${checkId}`)).body.state).toBe('waiting');
    await one.pass(2);
    const { body: check } = await one.ask(`/v1/checks/${checkId}`);
    expect(check).toMatchObject({ state: 'opened', status: 'completed', result: 'attention' });
    expect((await one.ask(`/v1/sessions/${check.sessionId}`)).body).toMatchObject({
      kind: 'check',
      check: { result: 'attention', schedule: null },
      alert: { labels: { service: 'shop' } },
    });
    const watched = await one.run('watch', checkId);
    expect(watched.code).toBe(6);
    expect(watched.stdout.at(-1)).toBe(`check ${checkId}: attention`);
    const healthy = await one.run('check', 'Is the queue empty?', '--label', 'queue=orders');
    await one.pass(1);
    expect(await one.run('watch', healthy.stdout[0] ?? '')).toMatchObject({ code: 0 });
  });

  it('gives its watcher exit code 1 and the reason if it was refused, 5 if it waits for a budget', async () => {
    const one = await bench();
    const { schedules: kept = {} } = one.config;
    const [refused = ''] = (await one.run('schedules', 'run', 'pods')).stdout;
    one.config.schedules = {};
    await one.drain();
    one.config.schedules = kept;
    const watched = await one.run('watch', refused);
    expect(watched).toMatchObject({ code: 1 });
    expect(watched.stderr.join()).toMatch(/was refused: schedules.yaml has no schedule pods/);
    one.config.budgets = () => ({ sessionsPerHour: [{ chain: null, limit: 0 }], dailyTokens: [] });
    const { body: deferred } = await one.ask('/v1/checks', { body: { question: 'Is all well?' } });
    await one.drain();
    expect(await one.run('watch', deferred.checkId)).toMatchObject({ code: 5 });
  });

  it('is refused for wrong input with the field, and hides a secret in its question', async () => {
    const one = await bench();
    const faultOf = async (body: object) => (await one.ask('/v1/checks', { body })).body;
    expect(await faultOf({ question: ' ' })).toMatchObject({ code: 'REQUEST_INVALID' });
    expect((await faultOf({ question: 'x', after: '25h' })).errors).toEqual([
      { field: 'body.after', message: 'must be at most 24h' },
    ]);
    expect(await faultOf({ question: 'x', chain: 'none' })).toMatchObject({ code: 'CONFIG_UNKNOWN_CHAIN' });
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    await one.ask('/v1/checks', { body: { question: `Is ${secret} valid?`, labels: { token: secret } } });
    const stored = await one.deps.store.list({ collection: paths.checks }, checkType);
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(secret);
    expect((await one.ask('/v1/checks/nosuch.1')).status).toBe(404);
    const refused = await one.run('watch', 'nosuch.1');
    expect(refused.code).toBe(1);
  });

  it('belongs to its tenant', async () => {
    const one = await bench();
    const { body } = await one.ask('/v1/checks', { body: { question: 'Is all well?' } });
    const headers = { 'x-tenant-id': 'shop' };
    expect((await one.ask(`/v1/checks/${body.checkId}`, { headers })).status).toBe(404);
    const listed = await one.ask('/v1/schedules', { headers });
    expect(listed.body.schedules.map(({ name }: { name: string }) => name)).toEqual(['others']);
    expect((await one.ask('/v1/schedules/pods/run', { body: {}, headers })).status).toBe(404);
  });
});

describe('inquest schedules', () => {
  it('lists, runs, pauses and resumes a schedule; the times of a pause are not missed', async () => {
    const one = await bench();
    await one.pass(1);
    const ran = await one.run('schedules', 'run', 'pods', '--by', 'ada');
    expect(ran).toMatchObject({ code: 0, stdout: [expect.stringMatching(/^pods\./)] });
    const busy = await one.run('schedules', 'run', 'pods');
    expect(busy.stderr.join()).toContain('has not ended');
    await one.drain();
    const listed = await one.run('schedules');
    expect(listed.stdout[0]).toMatch(/^pods {2}0 \* \* \* \* UTC {2}next .* {2}last pods\..* healthy$/);
    expect(await one.run('schedules', 'pause', 'pods')).toMatchObject({ stdout: ['schedule pods: changed'] });
    expect(await one.run('schedules', 'pause', 'pods')).toMatchObject({
      stdout: ['schedule pods: unchanged'],
    });
    expect((await one.run('schedules')).stdout[0]).toContain('paused by');
    await one.pass(130);
    await one.run('schedules', 'resume', 'pods');
    await one.pass(61);
    const [{ state } = { state: undefined }] = (await one.ask('/v1/schedules')).body.schedules;
    expect(state).toMatchObject({ missed: 0, overlaps: 0, paused: null });
    expect(state.recent.map(({ by }: { by: string | null }) => by)).toEqual([null, 'ada']);
    expect((await one.run('schedules', 'run')).code).toBe(2);
    expect((await one.run('schedules', 'stop', 'pods')).code).toBe(2);
    expect((await one.run('schedules', 'run', 'nosuch')).code).toBe(1);
  });
});
