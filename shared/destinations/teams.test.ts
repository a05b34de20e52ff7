// Teams against its stand-in at the wire.

import { describe, expect, it, onTestFinished } from 'vitest';
import { startTeams } from '../../local/destinations/teams.fixture.ts';
import { createHttp } from './http.ts';
import { sampleMessage } from './samples.fixture.ts';
import { createTeams } from './teams.ts';

async function open(isOn: () => boolean = () => true) {
  const teams = await startTeams({ isOn });
  onTestFinished(() => teams.stop());
  const create = (url = teams.workflow) => createTeams({ http: createHttp() }, 'any')({ url }, 'teams');
  return { teams, create, destination: await create() };
}

describe('Teams', () => {
  it('posts a card that the workflow accepts, also when everything in it is long', async () => {
    const { teams, destination } = await open();
    expect(await destination.send(sampleMessage('ended'))).toEqual({ outcome: 'sent', ref: null });
    const section = { title: 'Log', text: '👩‍👩‍👧‍👦"'.repeat(5_000), isCode: true };
    await destination.send(sampleMessage('ended', { sections: Array.from({ length: 20 }, () => section) }));
    expect(teams.failedRuns).toEqual([]);
    expect(teams.posted).toHaveLength(2);
    expect(JSON.stringify(teams.posted[1])).toContain('Parts were left out to fit; the page has all.');
  });

  it('leaves a lost answer unknown, because a repetition would be shown twice', async () => {
    const { teams, destination } = await open();
    teams.failNext({ fault: 'cut', takesEffect: true });
    expect(await destination.send(sampleMessage('ended'))).toMatchObject({
      outcome: 'unknown',
      failure: { code: 'connection' },
    });
    expect(destination.capabilities).toMatchObject({
      update: false,
      probe: false,
      key: false,
      isRepeatSafe: false,
    });
    expect(teams.posted).toHaveLength(1);
  });

  it('waits as long as the workflow asks', async () => {
    const { teams, destination } = await open();
    teams.failNext({ fault: 'answer', answer: { status: 429, headers: { 'retry-after': '17' } } });
    expect(await destination.send(sampleMessage('ended'))).toMatchObject({
      outcome: 'retry',
      retryAfterMs: 17_000,
      failure: { message: expect.stringContaining('The limit of requests') },
    });
  });

  it('takes an answer that is no success, of no known form, as a failure of its status', async () => {
    const { teams, destination } = await open();
    teams.failNext({ fault: 'answer', answer: { status: 300, headers: {} } });
    expect(await destination.send(sampleMessage('ended'))).toEqual({
      outcome: 'refused',
      failure: { code: 'http_300', message: expect.stringContaining('Look at the runs') },
    });
  });

  it('names the fix of a refusal, and never the address', async () => {
    const { teams, create, destination } = await open(() => false);
    const off = await destination.send(sampleMessage('ended'));
    expect(off).toMatchObject({
      outcome: 'refused',
      failure: { code: 'WorkflowTriggerIsNotEnabled', message: expect.stringContaining('Turn it on') },
    });
    const wrong = await (await create(teams.workflow.replace('secret', 'old'))).send(sampleMessage('ended'));
    expect(wrong).toMatchObject({
      outcome: 'refused',
      failure: { message: expect.stringContaining('Copy the address') },
    });
    const deleted = await (await create(`${teams.url}/other?sig=secret`)).send(sampleMessage('ended'));
    expect(deleted).toMatchObject({ outcome: 'refused', failure: { code: 'WorkflowNotFound' } });
    expect(JSON.stringify([off, wrong, deleted])).not.toMatch(/sig=|secret|old/);
  });

  it('sends to public addresses only', async () => {
    const { teams } = await open();
    const destination = await createTeams({ http: createHttp() })({ url: teams.workflow }, 'teams');
    expect(await destination.send(sampleMessage('ended'))).toMatchObject({ outcome: 'refused' });
    expect(teams.requests).toEqual([]);
    expect(await destination.check?.()).toMatchObject([{ code: 'private_address' }]);
    expect(await (await open()).destination.check?.()).toEqual([]);
  });
});
