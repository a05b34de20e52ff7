import { describe, expect, it, vi } from 'vitest';
import { allowanceType, sessionType } from '../../../shared/lists/documents.ts';
import { type Bench, investigate, startBench } from '../../support/harness.ts';

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
      parts: {
        alert: {
          title: expect.stringMatching(/^PodCrashLooping.* \(\d firing, 1 resolved\)$/),
          status: 'firing',
          severity: 'critical',
          runbookUrl: 'https://runbooks.example.com/crash',
        },
      },
    });
    expect(session.input).toContain('Runbook: https://runbooks.example.com/crash');
  });
});

describe('an alert that does not fire is stored as deferred, with one line in the log, and nothing runs:', () => {
  it.each<[string, unknown, string, object]>([
    [
      'resolved, of Alertmanager',
      group('resolved', over),
      'resolved',
      { source: 'alertmanager', title: 'PodCrashLooping', identity: '{}:{alertname="PodCrashLooping"}' },
    ],
    [
      'resolved, of Cloud Monitoring',
      { version: '1.2', incident: { incident_id: '0.a', state: 'closed', policy_name: 'Restarts' } },
      'resolved',
      { source: 'cloud-monitoring', title: 'Restarts', identity: '0.a' },
    ],
    [
      'acknowledged, of Opsgenie',
      { action: 'Acknowledge', alert: { alertId: 'a-1', message: 'Disk full' } },
      'acknowledged',
      { source: 'opsgenie', title: 'Disk full', identity: 'a-1' },
    ],
    [
      'a test of Cloud Monitoring',
      { version: 'test', incident: { incident_id: 12345, state: 'OPEN', policy_name: 'Test Policy' } },
      'test',
      { source: 'cloud-monitoring', title: 'Test Policy', identity: null },
    ],
  ])('%s', async (_, alert, reason, facts) => {
    const bench = await startBench({ script });
    const lines = loggedBy(bench);
    await bench.publishAlert(alert);
    await bench.deliverNext();
    const [session, ...others] = await bench.deps.store.list({ collection: 'sessions' }, sessionType);
    expect(others).toEqual([]);
    expect(session?.value).toMatchObject({
      status: 'deferred',
      deferral: { reason, startedAt: null },
      parts: { alert: { ...facts, status: reason } },
      dueAt: null,
    });
    expect(lines()).toEqual([
      [
        'info',
        expect.objectContaining({ messageId: '1', outcome: 'deferred', reason, ...facts }),
        expect.stringMatching(/^nothing to investigate: The alert /),
      ],
    ]);
    expect(await bench.rejected()).toEqual([]);
    // Nothing but the alert itself.
    expect(bench.deps.publisher.published).toHaveLength(1);
  });

  it('and takes no ticket of its hour', async () => {
    const bench = await startBench({ script, budgets: { sessionsPerHour: [{ chain: null, limit: 1 }] } });
    await bench.publishAlert(group('resolved', over));
    await bench.deliverNext();
    expect(await bench.deps.store.list({ collection: 'allowances' }, allowanceType)).toEqual([]);
  });

  it('but a rerun of one is investigated: a user wants it', async () => {
    const bench = await startBench({ script });
    await bench.publishAlert(group('resolved', over), { rerunOf: 'session-1' });
    await bench.deliverNext();
    const [session] = await bench.deps.store.list({ collection: 'sessions' }, sessionType);
    expect(session?.value).toMatchObject({ status: 'in_progress', parts: { rerun: { of: 'session-1' } } });
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
