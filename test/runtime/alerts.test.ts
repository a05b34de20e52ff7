import { describe, expect, it, vi } from 'vitest';
import { sessionType } from '../../shared/schema/documents.ts';
import { type Bench, investigate, startBench } from '../support/harness.ts';

const script = { conversations: [{ turns: [{ text: 'Done.' }] }] };

const entry = (status: string, severity: string, pod: string) => ({
  status,
  labels: { alertname: 'PodCrashLooping', severity, pod },
  annotations: { runbook_url: 'https://runbooks.example.com/crash' },
  startsAt: '2026-11-05T10:00:00Z',
  endsAt: status === 'firing' ? '0001-01-01T00:00:00Z' : '2026-11-05T10:10:00Z',
  generatorURL: '',
  fingerprint: pod,
});
const over = entry('resolved', 'critical', 'checkout-1');
const group = (status: string, ...alerts: unknown[]) => ({
  version: '4',
  status,
  groupKey: '{}:{alertname="PodCrashLooping"}',
  receiver: 'inquest',
  groupLabels: { alertname: 'PodCrashLooping' },
  commonLabels: { alertname: 'PodCrashLooping' },
  commonAnnotations: {},
  externalURL: 'https://am.example.com',
  truncatedAlerts: 0,
  alerts,
});

describe('an alert of which a part still fires is investigated:', () => {
  const alerts = [over, entry('firing', 'warning', 'checkout-2'), entry('firing', 'critical', 'checkout-3')];

  it.each<[string, unknown]>([
    ['a group of Alertmanager', group('firing', ...alerts)],
    ['a group that says it is resolved', group('resolved', ...alerts)],
    ['a list', alerts],
    ['an envelope', { status: 'ok', data: { alerts } }],
    ['a list of groups', [group('resolved', over), group('firing', ...alerts)]],
  ])('%s', async (_, alert) => {
    const { session } = await investigate({ script, alert });
    expect(session).toMatchObject({
      status: 'completed',
      alert: {
        title: expect.stringMatching(/^PodCrashLooping.* \(\d firing, 1 resolved\)$/),
        status: 'firing',
        severity: 'critical',
        runbookUrl: 'https://runbooks.example.com/crash',
      },
    });
    expect(session.alertText).toContain('Runbook: https://runbooks.example.com/crash');
  });
});

describe('an alert that is resolved and belongs to nothing', () => {
  it.each<[string, unknown, object]>([
    [
      'of Alertmanager',
      group('resolved', over),
      { source: 'alertmanager', title: 'PodCrashLooping', identity: '{}:{alertname="PodCrashLooping"}' },
    ],
    [
      'of Cloud Monitoring',
      { version: '1.2', incident: { incident_id: '0.a', state: 'closed', policy_name: 'Restarts' } },
      { source: 'cloud-monitoring', title: 'Restarts', identity: '0.a' },
    ],
    [
      'of another source',
      [{ status: 'ok', title: 'Disk full' }],
      { source: 'json', title: 'Disk full', identity: null },
    ],
  ])('leaves one line in the log and nothing else: %s', async (_, alert, facts) => {
    const bench = await startBench({ script });
    const lines = loggedBy(bench);
    await bench.publishAlert(alert);
    await bench.deliverNext();
    expect(lines()).toEqual([
      [
        'info',
        { code: 'ALERT_RESOLVED', messageId: '1', ...facts },
        'resolved alert, nothing to investigate',
      ],
    ]);
    expect(await bench.rejected()).toEqual([]);
    expect(await bench.deps.store.list({ collection: 'sessions' }, sessionType)).toEqual([]);
    expect(bench.deps.publisher.published).toHaveLength(1);
  });
});

/** What the functions log from now on, at any level. */
function loggedBy({ deps: { log } }: Bench): () => unknown[] {
  const spies = (['debug', 'info', 'warn', 'error'] as const).map((level) => ({
    level,
    spy: vi.spyOn(log, level),
  }));
  return () => spies.flatMap(({ level, spy }) => spy.mock.calls.map((call) => [level, ...call]));
}
