import { describe, expect, it } from 'vitest';
import { readWithAdapter } from './adapter.fixture.ts';
import { alertmanager } from './alertmanager.ts';

const read = (payload: unknown) => readWithAdapter(alertmanager, payload);

const alert = {
  status: 'firing',
  labels: {
    alertname: 'KubePodCrashLooping',
    cluster: 'prod-eu-1',
    container: 'basket',
    namespace: 'webshop',
    pod: 'basket-6c9d7f5b84-xk2lp',
    severity: 'critical',
  },
  annotations: {
    description:
      'Pod webshop/basket-6c9d7f5b84-xk2lp (basket) is in waiting state (reason: "CrashLoopBackOff").',
    runbook_url: 'https://runbooks.example.com/kubernetes/kubepodcrashlooping',
    summary: 'Pod is crash looping.',
  },
  startsAt: '2026-11-20T09:14:03.123456789Z',
  endsAt: '0001-01-01T00:00:00Z',
  generatorURL: 'https://prometheus.example.com/graph?g0.expr=kube_pod&g0.tab=1',
  fingerprint: '8d1f6ac0b7e2455c',
};
const group = {
  receiver: 'inquest',
  status: 'firing',
  alerts: [alert],
  groupLabels: { alertname: 'KubePodCrashLooping', namespace: 'webshop' },
  commonLabels: alert.labels,
  commonAnnotations: alert.annotations,
  externalURL: 'https://alertmanager.example.com',
  version: '4',
  groupKey: '{}/{team="shop"}:{alertname="KubePodCrashLooping", namespace="webshop"}',
  truncatedAlerts: 0,
};
const other = {
  ...alert,
  labels: { ...alert.labels, pod: 'basket-6c9d7f5b84-9zq4t' },
  startsAt: '2026-11-20T09:10:00Z',
};

describe('alertmanager', () => {
  it('reads a group of one alert', () => {
    expect(read(group)).toEqual({
      links: [],
      members: [],
      title: 'KubePodCrashLooping: Pod is crash looping.',
      counts: undefined,
      status: 'firing',
      severity: 'critical',
      identity: group.groupKey,
      summary: alert.annotations.description,
      url: alert.generatorURL,
      runbookUrl: alert.annotations.runbook_url,
      startedAt: new Date('2026-11-20T09:14:03.123Z'),
      endedAt: null,
      labels: alert.labels,
    });
  });

  it('counts the alerts of a group, truncated ones too, and links to the group', () => {
    const { pod: _, ...commonLabels } = alert.labels;
    const many = { ...group, alerts: [alert, other], commonLabels, truncatedAlerts: 3 };
    expect(read(many)).toMatchObject({
      title: 'KubePodCrashLooping: Pod is crash looping.',
      counts: '2 firing, 3 not shown',
      url: 'https://alertmanager.example.com',
      labels: commonLabels,
    });
  });

  it('takes the start of the first alert that still fires', () => {
    const resolved = { ...other, status: 'resolved', endsAt: '2026-11-20T09:12:00Z' };
    expect(read({ ...group, alerts: [alert, other] })?.startedAt).toEqual(new Date(other.startsAt));
    expect(read({ ...group, alerts: [alert, resolved] })?.startedAt).toEqual(
      new Date('2026-11-20T09:14:03.123Z'),
    );
  });

  const gone = { ...other, status: 'resolved', endsAt: '2026-11-20T09:12:00Z' };

  it('fires when one of its alerts does, whatever the status of the group is', () => {
    for (const status of ['resolved', 'firing', undefined]) {
      expect(read({ ...group, status, alerts: [gone, alert] })).toMatchObject({
        status: 'firing',
        counts: '1 firing, 1 resolved',
      });
    }
  });

  it('can still fire when alerts are left out: the group takes its status from those in the message', () => {
    const cut = { ...group, status: 'resolved', alerts: [gone], truncatedAlerts: 2 };
    expect(read(cut)).toMatchObject({ status: 'unknown', counts: '1 resolved, 2 not shown' });
    expect(read({ ...cut, truncatedAlerts: 0 })?.status).toBe('resolved');
  });

  it('has the worst severity of the alerts that fire', () => {
    const { severity: _, ...commonLabels } = alert.labels;
    const as = (severity: string, status: string) => ({
      ...alert,
      status,
      labels: { ...commonLabels, severity },
    });
    const mixed = (...alerts: unknown[]) => read({ ...group, commonLabels, alerts })?.severity;
    expect(mixed(as('warning', 'firing'), as('critical', 'firing'), as('info', 'firing'))).toBe('critical');
    expect(mixed(as('critical', 'resolved'), as('info', 'firing'), as('warning', 'firing'))).toBe('warning');
    expect(mixed(as('info', 'resolved'), as('warning', 'resolved'))).toBe('warning');
  });

  it('finds a runbook that only one of the alerts has', () => {
    const { runbook_url: _, ...annotations } = alert.annotations;
    const without = { ...alert, annotations };
    expect(read({ ...group, commonAnnotations: annotations, alerts: [without, alert] })?.runbookUrl).toBe(
      alert.annotations.runbook_url,
    );
  });

  it('keeps the identity when the group is resolved', () => {
    const resolved = { ...group, status: 'resolved', alerts: [{ ...alert, status: 'resolved' }] };
    expect(read(resolved)).toMatchObject({ status: 'resolved', identity: group.groupKey });
  });

  it('has no start when the time is zero or nonsense', () => {
    for (const startsAt of ['0001-01-01T00:00:00Z', 'yesterday', '2026-13-45T99:00:00Z', 7, null]) {
      expect(read({ ...group, alerts: [{ ...alert, startsAt }] })?.startedAt).toBeNull();
    }
  });

  it('tolerates fields it does not know', () => {
    const newer = { ...group, notification_reason: 'group_changed', routeLabels: { team: 'shop' } };
    expect(read(newer)).toEqual(read(group));
  });

  it('reads the usable fields of a payload with fields of strange types', () => {
    const odd = {
      ...group,
      commonLabels: [],
      groupLabels: null,
      commonAnnotations: 7,
      externalURL: {},
      status: 1,
    };
    expect(read({ ...odd, alerts: [null, 'x', alert] })).toMatchObject({
      title: 'KubePodCrashLooping: Pod is crash looping.',
      counts: '1 firing, 2 of unknown status',
      status: 'firing',
      severity: 'critical',
      labels: alert.labels,
    });
    expect(read({ ...odd, alerts: [] })).toMatchObject({ title: 'Alertmanager notification' });
  });

  it.each([
    ['Grafana', { ...group, version: '1', orgId: 1 }],
    ['another version', { ...group, version: '5' }],
    ['a payload without alerts', { ...group, alerts: undefined }],
    ['a list', [group]],
    ['nothing', null],
  ])('leaves %s to others', (_, payload) => {
    expect(read(payload)).toBeUndefined();
  });
});
