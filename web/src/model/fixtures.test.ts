// Fixtures are documents that this version reads: a page that is tested with other ones is not tested.

import { expect, it } from 'vitest';
import { loadFixtures } from '../../dev/loadFixtures.ts';
import { createPageApi } from '../../dev/pageApi.ts';

it('the API answers from each fixture by its schemas, and can read all of its documents', async () => {
  const sessions = loadFixtures();
  const { fetch } = await createPageApi({ sessions });
  const headers = { host: '127.0.0.1' };
  const read = async (path: string) => {
    const response = await fetch(new Request(`http://127.0.0.1${path}`, { headers }));
    return {
      status: response.status,
      answer: (await response.json()) as { unreadable?: { path: string }[] },
    };
  };
  const unreadable: string[] = [];
  for (const { sessionId } of sessions.map(({ session }) => session))
    for (const part of ['', '/timeline', '/interactions', '/work', '/alert', '/changes', '/deliveries']) {
      const { status, answer } = await read(`/v1/sessions/${sessionId}${part}`);
      expect([sessionId, part, status]).toEqual([sessionId, part, 200]);
      unreadable.push(...(answer.unreadable ?? []).map(({ path }) => path));
    }
  expect(new Set(unreadable)).toEqual(new Set(['sessions/2026-11-23-hostile-000004/stages/02-hostile']));
  const pages = [
    'sessions',
    'agents',
    'knowledge',
    'rejected-messages',
    'dropped-alerts',
    'alerts',
    'budgets',
  ];
  for (const page of [...pages, 'schedules', 'usage', 'usage/day', 'system/activity', 'system/configuration'])
    expect(await read(`/v1/${page}`)).toMatchObject({ status: 200 });
});
