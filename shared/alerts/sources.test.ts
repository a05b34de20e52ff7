// What each source sends is read by one adapter, in each of its states.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PAYLOADS, payloadOf } from '../../test/alerts/payloads.ts';
import { WRITERS } from '../../test/alerts/writers.ts';
import { randomRuns } from '../../test/support/fullTests.ts';
import { createMasker } from '../masking/masker.ts';
import { ADAPTERS } from './adapters.ts';
import { composeIncidentKey } from './incident.ts';
import { readAlert } from './index.ts';
import { removeEnvelopes } from './removeEnvelopes.ts';
import { type Alert, alertSchema } from './schema/alert.ts';
import { ALERT_SOURCES } from './sources.ts';

const masker = createMasker({});
/** After the end of what is over in the payloads, before the end of what is not. */
const receivedAt = new Date('2026-11-20T09:16:00Z');

function read(data: Uint8Array) {
  const reading = readAlert(data, masker, { receivedAt });
  if (!reading.ok) throw new Error(reading.failure.message);
  return reading;
}
const readFile = (file: string): Alert => read(payloadOf(file)).alert;

describe('each payload', () => {
  it.each(PAYLOADS)('$file is recognised by exactly one adapter, which reads its status', (payload) => {
    const { alert, trace } = read(payload.data);
    expect(alertSchema.parse(alert)).toEqual(alert);
    expect(alert).toMatchObject({ source: payload.source, status: payload.status });
    expect(alert.title).not.toMatch(/^Alert without|^$/);
    expect(Object.keys(trace.places)).toContain('title');

    const isJson = payload.file.endsWith('.json');
    const inner = isJson ? removeEnvelopes(JSON.parse(payload.data.toString())) : undefined;
    const input = { payload: inner?.payload, attributes: inner?.attributes ?? {}, receivedAt };
    const claims = ADAPTERS.filter((adapter) => adapter.recognise(input) !== undefined);
    const named = ['json', 'text'].includes(payload.source) ? [] : [payload.source];
    expect(claims.map(({ source }) => source)).toEqual(named);
  });

  it('exists for each source that rules can name', () => {
    expect([...new Set(PAYLOADS.map(({ source }) => source))].sort()).toEqual([...ALERT_SOURCES].sort());
  });
});

describe('the identity of a problem', () => {
  const kinds = new Map<string, Set<string | null>>();
  for (const { file, source, kind, status } of PAYLOADS) {
    if (status === 'test' || status === 'unknown') continue;
    const key = `${source} ${kind}`;
    kinds.set(key, (kinds.get(key) ?? new Set()).add(readFile(file).identity));
  }

  it.each([...kinds])('of %s is the same in all its states', (_, identities) => {
    expect(identities.size).toBe(1);
  });

  it('is there wherever the source has one', () => {
    const without = [...kinds].filter(([, identities]) => identities.has(null)).map(([kind]) => kind);
    expect(without).toEqual(['alertmanager several', 'datadog default', 'text plain']);
  });

  it('is none of tests: no later message belongs to one', () => {
    const tests = PAYLOADS.filter(
      ({ status, kind }) => status === 'test' && !['plain', 'unified'].includes(kind),
    );
    const odd = tests.filter(({ file }) => readFile(file).identity !== null).map(({ file }) => file);
    expect(odd).toEqual([
      'checkmk.service.test.json',
      'datadog.custom.test.json',
      'new-relic.workflow.test.json',
      'opsgenie.webhook.test.json',
    ]);
  });
});

describe('a problem in the form of a provider', () => {
  /** The usual spellings of a moment, all of the same second. */
  const SPELLINGS: readonly ((at: Date) => string | number)[] = [
    (at) => at.toISOString(),
    (at) => at.toISOString().replace('.000Z', 'Z'),
    (at) => at.toISOString().replace('T', ' ').replace('.000Z', ' UTC'),
    (at) => new Date(at.getTime() + 2 * 3_600_000).toISOString().replace('Z', '+02:00'),
    (at) => new Date(at.getTime() - 5.5 * 3_600_000).toISOString().replace('Z', '-0530'),
    (at) => at.getTime() / 1_000,
    (at) => at.getTime(),
    (at) => String(at.getTime() * 1_000),
    (at) => `${at.getTime()}000000`,
  ];
  const ENVELOPES: readonly ((payload: unknown) => unknown)[] = [
    (payload) => payload,
    (payload) => JSON.stringify(payload),
    (payload) => ({
      message: { data: Buffer.from(JSON.stringify(payload)).toString('base64'), messageId: '1' },
      subscription: 's',
    }),
  ];
  const word = fc.constantFrom('Disk', 'Füllstand', '磁盘', 'queue-7', 'p99', '🔥', 'of', 'CPU');
  const words = fc.array(word, { minLength: 2, maxLength: 5 }).map((all) => all.join(' '));
  const problems = fc.record({
    id: fc.uuid(),
    title: words,
    severity: fc.constantFrom('critical', 'P1', 'warning'),
    summary: words.map((text) => `It is ${text}`),
    startedAt: fc
      .nat(10_000_000)
      .map((seconds) => new Date(receivedAt.getTime() - (seconds + 7_200) * 1_000)),
    endedAt: fc.nat(7_000).map((seconds) => new Date(receivedAt.getTime() - seconds * 1_000)),
  });
  const cuts = fc.double({ min: 0, max: 0.99, noNaN: true });

  it.each(WRITERS)(
    '$source, $form, is read back; cut off, it is a text',
    ({ words: allWords, ...writer }) => {
      const states = Object.entries(allWords).flatMap(([status, all]) => all.map((one) => ({ status, one })));
      const first = states[0]?.one ?? '';
      const property = fc.property(
        problems,
        fc.constantFrom(...states),
        fc.constantFrom(...SPELLINGS),
        fc.constantFrom(...ENVELOPES),
        cuts,
        (problem, { status, one }, spell, wrap, share) => {
          const isOver = status === 'resolved';
          const payload = writer.write(problem, one, spell, isOver);
          const bytes = Buffer.from(JSON.stringify(wrap(payload)));
          const { alert, endedAt } = read(bytes);
          const { id: identity, title, severity, startedAt } = problem;
          const own = { identity, title, severity, startedAt, ...writer.read?.(problem, one) };
          expect(alert).toMatchObject({ source: writer.source, status, ...own });
          if (isOver && writer.hasEnd) expect(endedAt).toEqual(problem.endedAt);
          const composeKey = (other: unknown) =>
            composeIncidentKey(read(Buffer.from(JSON.stringify(other))).alert, {
              tenantId: 't',
              chain: null,
            });
          if (status !== 'test') {
            expect(composeKey(writer.write(problem, first, spell, false))).toBe(composeKey(payload));
            const other = { ...problem, id: `${identity}2`, title: `${title} 2` };
            expect(composeKey(writer.write(other, one, spell, isOver))).not.toBe(composeKey(payload));
          }
          const cut = bytes.subarray(0, Math.floor(share * bytes.length));
          const rest = readAlert(cut, masker, { receivedAt });
          expect(['text', 'ALERT_EMPTY', 'ALERT_INVALID']).toContain(
            rest.ok ? rest.alert.source : rest.failure.code,
          );
        },
      );
      fc.assert(property, { numRuns: randomRuns(100) });
    },
  );
});

describe('the facts', () => {
  const start = new Date('2026-11-20T09:00:00Z');
  const startMs = new Date('2026-11-20T09:14:03.238Z');
  const runbook = (name: string) => `https://runbooks.example.com/${name}`;

  it.each<[string, Partial<Alert>]>([
    [
      'cloud-monitoring.metric.firing.json',
      {
        title: 'Checkout restarts: Restarts above 3',
        severity: 'Critical',
        identity: '0.abcd1234',
        startedAt: start,
        runbookUrl: runbook('restarts'),
        links: [{ title: 'Dashboard', url: 'https://dashboards.example.com/checkout' }],
      },
    ],
    ['cloud-monitoring.log.firing.json', { title: 'Checkout restarts: Errors in the log', severity: null }],
    ['cloud-monitoring.console.test.json', { title: 'Test Policy: Test Condition', startedAt: null }],
    [
      'alertmanager.v3.firing.json',
      { title: 'PodCrashLooping: Pod is crash looping.', identity: '1234567890123', severity: 'critical' },
    ],
    [
      'alertmanager.several.firing.json',
      { title: expect.stringMatching(/\(1 firing, 1 resolved\)$/), identity: null },
    ],
    [
      'grafana.unified.firing.json',
      {
        title: 'High CPU: CPU above 90 %',
        severity: 'warning',
        runbookUrl: runbook('cpu'),
        links: [
          { title: 'Dashboard', url: 'https://grafana.example.com/d/abc' },
          { title: 'Panel', url: 'https://grafana.example.com/d/abc?viewPanel=2' },
          { title: 'Silence', url: 'https://grafana.example.com/alerting/silence/new' },
          { title: 'Picture', url: 'https://grafana.example.com/i.png' },
        ],
      },
    ],
    [
      'grafana.old.firing.json',
      {
        title: 'High CPU: CPU above 90 %',
        identity: 'org 1, rule 17',
        labels: { host: 'db-7', team: 'db', metric: 'cpu' },
      },
    ],
    [
      'pagerduty.webhook.firing.json',
      {
        title: 'Checkout: Pod checkout restarts',
        severity: 'P1',
        identity: 'PGR0VU2',
        startedAt: new Date('2026-11-20T09:14:03Z'),
      },
    ],
    [
      'pagerduty.note.acknowledged.json',
      { title: 'Pod checkout restarts', identity: 'PGR0VU2', summary: 'Looking into it' },
    ],
    [
      'pagerduty.events-api.firing.json',
      {
        title: 'Pod checkout restarts',
        identity: 'checkout/restarts',
        labels: {
          source: 'cluster-1',
          component: 'checkout',
          group: 'shop',
          class: 'restarts',
          restarts: '7',
        },
      },
    ],
    ['datadog.default.firing.json', { title: 'CPU is high', identity: null, startedAt: start }],
    [
      'datadog.custom.firing.json',
      {
        severity: 'P2',
        identity: '5551234',
        labels: {
          env: 'prod',
          service: 'db',
          tag: 'urgent',
          host: 'db-7',
          alert_id: '1234',
          metric: 'system.cpu.user',
        },
      },
    ],
    ['datadog.upper.firing.json', { title: 'CPU is high', identity: '1234 host:db-7' }],
    [
      'opsgenie.webhook.firing.json',
      { severity: 'P1', identity: '052652ac-5d1c-464a-812a-7dd18bbfba8c', runbookUrl: runbook('disk') },
    ],
    [
      'sentry.event.firing.json',
      {
        title: 'Many errors in checkout: TypeError: total is undefined',
        severity: 'error',
        identity: 'issue 1117540176',
        startedAt: startMs,
      },
    ],
    [
      'sentry.metric.firing.json',
      { title: 'Critical: Errors above 100', severity: 'critical', identity: 'metric_alert 55' },
    ],
    [
      'aws.sqs.firing.json',
      {
        title: 'checkout-5xx',
        identity: 'arn:aws:cloudwatch:eu-west-1:123456789012:alarm:checkout-5xx',
        startedAt: startMs,
        labels: {
          account: '123456789012',
          region: 'EU (Ireland)',
          namespace: 'AWS/ApplicationELB',
          metric: 'HTTPCode_Target_5XX_Count',
          LoadBalancer: 'app/checkout/50dc6c495c0c9188',
        },
      },
    ],
    [
      'aws.confirmation.test.json',
      {
        title: 'SNS asks to confirm a subscription: arn:aws:sns:eu-west-1:123456789012:alarms',
        links: [{ title: 'Confirm', url: 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription' }],
      },
    ],
    [
      'azure-monitor.common.firing.json',
      {
        title: 'checkout-cpu',
        severity: 'Sev1',
        startedAt: startMs,
        runbookUrl: runbook('cpu'),
        url: 'https://portal.azure.com/#view/alert',
      },
    ],
    ['azure-monitor.log.firing.json', { title: 'errors-in-checkout', severity: '1' }],
    [
      'new-relic.workflow.firing.json',
      { title: 'Checkout errors above 5 %', severity: 'CRITICAL', startedAt: start },
    ],
    [
      'new-relic.incident.firing.json',
      { title: 'Shop: Error rate', identity: '987', runbookUrl: runbook('errors') },
    ],
    [
      'dynatrace.problem.firing.json',
      { title: 'Response time degradation', identity: '-5484123456789_1795165200000V2' },
    ],
    [
      'splunk.search.firing.json',
      {
        title: 'Errors in checkout',
        severity: 'high',
        identity: 'search/Errors in checkout',
        startedAt: start,
      },
    ],
    [
      'splunk.detector.firing.json',
      { title: 'Critical Alert: CPU is high', identity: 'CxyzAbc', runbookUrl: runbook('cpu') },
    ],
    [
      'checkmk.service.resolved.json',
      { title: 'db-7: Filesystem /var: OK', severity: 'critical', identity: 'prod/db-7/Filesystem /var' },
    ],
    ['checkmk.host.firing.json', { title: 'db-7: DOWN', severity: 'critical', identity: 'db-7' }],
    [
      'json.pingdom.firing.json',
      { title: 'Shop front page: DOWN', severity: 'HIGH', identity: 'pingdom 4711' },
    ],
    ['json.librenms.firing.json', { title: 'Alert for db-7: Disk full', identity: 'librenms 31' }],
    ['json.zabbix.firing.json', { title: 'High CPU on db-7', severity: 'High', identity: 'zabbix 88001' }],
    ['json.checkly.resolved.json', { title: 'Checkout flow', severity: null }],
    [
      'json.dash0.firing.json',
      { title: 'Error rate of checkout', severity: 'critical', identity: 'dash0 iss-1' },
    ],
    [
      'json.graylog.firing.json',
      { title: 'Errors in checkout: count()=42.0', severity: 'high', identity: 'graylog 65a0 checkout' },
    ],
    [
      'checkmk.relay.resolved.json',
      {
        title: 'db-7: Filesystem /var: OK',
        identity: 'prod/db-7/Filesystem /var',
        summary: 'Filesystem /var is OK',
      },
    ],
    [
      'checkmk.nagios.firing.json',
      { title: 'db-7: HTTP: CRITICAL', severity: 'critical', identity: 'db-7/HTTP' },
    ],
    ['checkmk.icinga.firing.json', { title: 'Database 7: HTTP: CRITICAL', identity: 'db-7/HTTP' }],
    [
      'checkmk.script.firing.json',
      { title: 'db-7: HTTP: CRITICAL', identity: 'db-7/HTTP', summary: 'connection refused' },
    ],
    ['azure-monitor.classic.firing.json', { title: 'cpu', url: 'https://portal.azure.com/#resource' }],
    ['pagerduty.role.acknowledged.json', { title: 'Pod checkout restarts', identity: 'PGR0VU2' }],
    [
      'pagerduty.task.acknowledged.json',
      { title: 'incident.task.created: Call the shop', identity: 'PGR0VU2' },
    ],
    [
      'new-relic.accumulations.firing.json',
      { title: 'Error rate', severity: 'CRITICAL', identity: '7f00-1' },
    ],
    [
      'splunk.signalfx.firing.json',
      { title: 'CPU is high', identity: 'IxyzAbc', runbookUrl: runbook('cpu') },
    ],
    ['aws.health.firing.json', { title: 'AWS Health: AWS_EC2_OPERATIONAL_ISSUE', startedAt: start }],
    ['aws.placed.firing.json', { title: 'checkout-5xx', identity: '123456789012/EU (Ireland)/checkout-5xx' }],
    ['datadog.scopes.firing.json', { title: 'CPU is high', severity: 'P1', identity: '1234 host:db-7' }],
    ['datadog.scopes.resolved.json', { title: 'CPU is high', severity: 'P1' }],
    ['datadog.priority.firing.json', { title: '[shop] Errors', severity: 'P2', identity: '1234 host:db-7' }],
    ['json.odd.unknown.json', { title: 'Something odd' }],
  ])('of %s', (file, facts) => {
    expect(readFile(file)).toMatchObject(facts);
  });

  it('keep the alerts of a group, each with its own state', () => {
    expect(readFile('alertmanager.v4.firing.json').members).toEqual([
      expect.objectContaining({
        title: 'Pod is crash looping.',
        status: 'firing',
        identity: '8d1f6ac0b7e2455c',
      }),
      expect.objectContaining({ status: 'firing', identity: '9e1f6ac0b7e2455d' }),
    ]);
    expect(readFile('alertmanager.v3.firing.json').members).toEqual([]);
  });

  it('never hold the key of a routing', () => {
    expect(JSON.stringify(readFile('pagerduty.events-api.firing.json'))).not.toContain('not-a-key');
  });
});

describe('other forms of a payload', () => {
  it.each<[string, unknown, Record<string, unknown>]>([
    [
      'a classic Azure alert without the id of its rule',
      {
        status: 'Resolved',
        context: {
          timestamp: '2026-11-20T09:14:03Z',
          name: 'cpu',
          resourceId: '/subscriptions/22222222/vm/checkout-1',
          portalLink: 'https://portal.azure.com/#resource',
        },
      },
      {
        source: 'azure-monitor',
        title: 'cpu',
        status: 'resolved',
        identity: '/subscriptions/22222222/vm/checkout-1: cpu',
      },
    ],
    [
      'an object that has the outline of a classic Azure alert',
      { status: 'Activated', context: { name: 'cpu', resourceId: 'vm-1' } },
      { source: 'json' },
    ],
    [
      'Checkly in camel case',
      {
        checkName: 'Checkout flow',
        checkId: 'c3b0a1d2',
        alertTitle: 'Checkout flow has recovered',
        alertType: 'ALERT_RECOVERY',
        resultLink: 'https://app.checklyhq.com/checks/c3b0a1d2',
        startedAt: '2026-11-20T09:14:03Z',
      },
      {
        title: 'Checkout flow',
        status: 'resolved',
        identity: 'checkly c3b0a1d2',
        summary: 'Checkout flow has recovered',
        url: 'https://app.checklyhq.com/checks/c3b0a1d2',
      },
    ],
    [
      'Zabbix with its macros as keys',
      {
        'EVENT.ID': '88001',
        'TRIGGER.ID': '15112',
        'EVENT.NAME': 'High CPU on db-7',
        'EVENT.SEVERITY': 'High',
        'EVENT.VALUE': '1',
        '{ALERT.MESSAGE}': 'CPU is above 90 %',
      },
      {
        title: 'High CPU on db-7',
        status: 'firing',
        severity: 'High',
        identity: 'zabbix 88001',
        summary: 'CPU is above 90 %',
      },
    ],
  ])('is read: %s', (_, payload, facts) => {
    expect(read(Buffer.from(JSON.stringify(payload))).alert).toMatchObject(facts);
  });
});

it("the priority in the title of a Datadog monitor precedes its event's, which is always normal", () => {
  const event = {
    id: '1',
    event_type: 'query_alert_monitor',
    last_updated: '1',
    date: '1',
    body: 'b',
    org: { id: '1', name: 'o' },
    priority: 'normal',
  };
  const severityOf = (title: string) =>
    read(Buffer.from(JSON.stringify({ ...event, title, alert_type: 'error' }))).alert;
  expect(severityOf('[P4] [Triggered] CPU is high')).toMatchObject({ severity: 'P4', title: 'CPU is high' });
  expect(severityOf('[P4] [Recovered] CPU is high')).toMatchObject({ severity: 'P4', status: 'resolved' });
});

const MONITOR = { event_type: 'query_alert_monitor', alert_type: 'error', id: '99' };
const NAGIOS = { NAGIOS_HOSTNAME: 'db1', NAGIOS_SERVICEDESC: 'Load' };
const LIBRENMS = { hostname: 'db', severity: 'critical', id: '31' };
const DYNATRACE = { ProblemID: 'P-1', ProblemTitle: 'CPU', State: '' };

it.each<[string, object, Partial<Alert>]>([
  [
    'a Datadog event without its organization',
    { ...MONITOR, title: '[P3] [Recovered on {host:a}] Slow', alert_type: 'success' },
    { source: 'datadog', status: 'resolved', severity: 'P3', title: 'Slow' },
  ],
  [
    'a Datadog monitor without data',
    { ...MONITOR, title: '[No data] Slow' },
    { status: 'firing', severity: 'error' },
  ],
  ['a Datadog event without a state', { ...MONITOR, title: 'Slow' }, { source: 'json' }],
  [
    'a Datadog title whose bracket is no state',
    { ...MONITOR, title: '[P3] [Recovered] [Testing] Slow' },
    { source: 'datadog', status: 'resolved', title: '[Testing] Slow' },
  ],
  [
    'a Datadog warning with its scope',
    { alert_transition: 'WARN', alert_id: '7', alert_scope: 'env:prod' },
    { severity: 'warning', identity: '7 env:prod', labels: { env: 'prod', alert_id: '7' } },
  ],
  ['a Datadog monitor without a group', { alert_transition: 'Triggered', alert_id: '7' }, { identity: '7' }],
  [
    'a Datadog group without a monitor',
    { alert_transition: 'Triggered', aggreg_key: 'g', alert_title: 'Slow' },
    { source: 'datadog', identity: 'g' },
  ],
  [
    'an alarm of AWS without its account and its reason',
    { AlarmName: 'cpu', NewStateValue: 'ALARM', Region: 'EU', AlarmDescription: 'High.' },
    { source: 'aws', identity: 'EU/cpu', summary: 'High.', url: null },
  ],
  [
    'an alarm of another partition of AWS',
    { AlarmName: 'cpu', NewStateValue: 'OK', AlarmArn: 'arn:aws-cn:cloudwatch:cn-north-1:1:alarm:cpu' },
    { status: 'resolved', identity: 'arn:aws-cn:cloudwatch:cn-north-1:1:alarm:cpu', url: null },
  ],
  [
    'a name of another service of AWS',
    { AlarmName: 'cpu', NewStateValue: 'OK', AlarmArn: 'arn:aws:sns:eu-west-1:1:alarm:cpu' },
    { url: null },
  ],
  [
    'text of SNS with a state in its subject',
    { TopicArn: 't', Message: '\n Disk is full\nnow', Subject: ' ALARM: "disk" in EU' },
    { source: 'aws', status: 'firing', title: 'ALARM: "disk" in EU' },
  ],
  [
    'text of SNS without a subject',
    { TopicArn: 't', Message: '\n Disk is full\nnow' },
    { title: 'Disk is full' },
  ],
  [
    'an event of AWS Health with moments as in HTTP',
    {
      source: 'aws.health',
      detail: {
        ...{ eventTypeCode: 'X', statusCode: 'closed' },
        startTime: 'Fri, 20 Nov 2026 09:14:03 GMT',
      },
    },
    { title: 'AWS Health: X', startedAt: new Date('2026-11-20T09:14:03Z') },
  ],
  [
    'another event with a state in its title',
    { event_type: 'deploy', title: '[P2] [Recovered on {host:a}] Slow' },
    { source: 'json', status: 'resolved' },
  ],
  [
    'a recovery of Nagios',
    { ...NAGIOS, NAGIOS_SERVICESTATE: 'OK', NAGIOS_NOTIFICATIONTYPE: 'RECOVERY' },
    { status: 'resolved', severity: null },
  ],
  [
    'a recovery of LibreNMS without its rule',
    { ...LIBRENMS, title: 'Device db recovered from Disk', state: '0' },
    { status: 'resolved' },
  ],
  [
    'a recovery of LibreNMS with its rule',
    { ...LIBRENMS, uid: '9', rule: 'disk', state: 0 },
    { status: 'resolved' },
  ],
  [
    'an alert of another tool with a number as its state',
    { ...LIBRENMS, name: 'disk', state: 2 },
    { status: 'unknown', title: 'disk' },
  ],
  [
    'a closed problem of Dynatrace without State',
    { ...DYNATRACE, ProblemDetailsJSON: { status: 'CLOSED' } },
    { source: 'dynatrace', status: 'resolved' },
  ],
  [
    'an open problem of Dynatrace without State',
    { ...DYNATRACE, ProblemDetailsJSON: '{"status":"OPEN"}' },
    { status: 'firing' },
  ],
  [
    'a resolved issue of Dash0',
    { type: 'alert.resolved', data: { issue: { id: 'i1', checkrules: [{ name: 'Latency' }] } } },
    { status: 'resolved', title: 'Latency', identity: 'dash0 i1' },
  ],
  ['a custom payload', { alertTitle: 'Home has failed', message: 'x' }, { title: 'Home has failed' }],
])('is read: %s', (_, payload, expected) => {
  expect(read(Buffer.from(JSON.stringify(payload))).alert).toMatchObject(expected);
});
