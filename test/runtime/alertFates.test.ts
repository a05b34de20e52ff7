// The fate of each alert is stored with the rule and line that decided it, and found by message, title and time.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadSessionConfig } from '../../shared/config/load.ts';
import { alertFateType, paths } from '../../shared/schema/documents.ts';
import { startApiBench } from '../support/apiBench.ts';
import { ownConfig } from '../support/ownConfig.ts';

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

async function bench() {
  const folder = ownConfig({ tools: [] });
  writeFileSync(path.join(folder, 'triage.yaml'), TRIAGE);
  const config = loadSessionConfig(folder);
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
    await one.publishAlert('{"title": ');
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

  it('is stored once for several deliveries of a message, and pages are complete', async () => {
    const one = await bench();
    for (let n = 0; n < 5; n++) await one.publishAlert({ title: `Pod ${n} in dev` });
    for (let n = 0; n < 5; n++) await one.deliver(await one.deliverNext());
    const stored = await one.deps.store.list({ collection: paths.alertFates }, alertFateType);
    expect(stored).toHaveLength(5);
    const titles: string[] = [];
    for (let after = ''; ; ) {
      const { body } = await one.ask(`/v1/alerts?limit=2${after && `&after=${after}`}`);
      titles.push(...body.alerts.map(({ title }: { title: string }) => title));
      if (body.next === null) break;
      after = body.next;
    }
    expect(titles.toSorted()).toEqual([0, 1, 2, 3, 4].map((n) => `Pod ${n} in dev`));
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
