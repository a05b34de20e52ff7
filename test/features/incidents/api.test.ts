// The badge of a problem in lists, sessions, and the address that pages poll.

import { expect, it } from 'vitest';
import { startApiBench } from '../../support/apiBench.ts';

const firing = {
  title: 'Disk full',
  status: 'firing',
  fingerprint: 'disk-1',
  startsAt: '2026-11-28T18:24:00Z',
};
const script = { conversations: [{ turns: [{ text: 'The log grew.' }] }] };

it('a problem that is resolved after its investigation is shown as resolved, also for its rerun', async () => {
  const api = await startApiBench({ script });
  const sessionId = await api.investigate(firing);
  const problems = async () => {
    const answers = await Promise.all([
      api.ask('/v1/sessions').then(({ body }) => body.sessions.at(-1)),
      api.ask(`/v1/sessions/${sessionId}`).then(({ body }) => body),
      api.ask(`/v1/sessions/${sessionId}/problem`).then(({ body }) => body),
    ]);
    return answers.map(({ problem }) => problem);
  };
  const fires = { status: 'firing', at: '2026-11-28T18:24:00.000Z', repeats: 0 };
  expect(await problems()).toEqual([fires, fires, fires]);
  await api.investigate({ ...firing, status: 'resolved', endsAt: '2026-11-28T18:25:00Z' });
  const over = { status: 'resolved', at: '2026-11-28T18:25:00.000Z', repeats: 0 };
  expect(await problems()).toEqual([over, over, over]);
  expect((await api.ask(`/v1/sessions/${sessionId}/problem`)).body.reports).toMatchObject({
    firing: 1,
    resolved: 1,
  });
  // By the chain that the configuration selects, and by one that is named.
  for (const body of [{}, { chain: 'test' }]) {
    await api.ask(`/v1/sessions/${sessionId}/rerun`, { method: 'POST', body });
    await api.drain();
  }
  const { sessions } = (await api.ask('/v1/sessions')).body;
  const again = { rerunOf: sessionId, problem: over };
  expect(sessions).toMatchObject([again, again, { problem: over }]);
  expect(await api.ask('/v1/sessions/none/problem')).toMatchObject({ status: 404 });
});
