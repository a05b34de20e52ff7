import './withoutDomains.ts';
import domain from 'node:domain';
import { cloudEvent, http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { expect, it, onTestFinished } from 'vitest';

/** Serves a registered function on a port of its own. @returns its address. */
async function serve(name: string): Promise<string> {
  const server = getTestServer(name);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

const event = (type: string) => ({
  method: 'POST',
  headers: { 'content-type': 'application/cloudevents+json' },
  body: JSON.stringify({ specversion: '1.0', id: '1', source: 'test', type, data: {} }),
});

it('functions answer, and fail, as with domains, and none is ever active', async () => {
  const active: unknown[] = [];
  cloudEvent('withoutDomainsEvent', async ({ type }: { type: string }) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    active.push((domain as { active?: unknown }).active);
    if (type === 'fails') throw new Error('refused');
  });
  http('withoutDomainsHttp', async (_, response) => {
    await Promise.resolve();
    response.json({ ok: true });
  });
  const [events, requests] = await Promise.all([serve('withoutDomainsEvent'), serve('withoutDomainsHttp')]);
  expect((await fetch(events, event('works'))).status).toBe(204);
  expect((await fetch(events, event('fails'))).status).toBe(500);
  expect(await (await fetch(requests)).json()).toEqual({ ok: true });
  expect(active.map((one) => one ?? 'none')).toEqual(['none', 'none']);
});
