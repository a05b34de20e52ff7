// Secrets in alerts: several sources, envelopes, attributes, resolved ones, and refused ones.

import type { Plan } from '../plan.ts';
import { type Outputs, startWorld } from '../world.ts';

/** Alertmanager, Cloud Monitoring, other JSON, text: each is investigated by an agent without tools. */
export async function acceptedAlerts(plan: Plan): Promise<Outputs> {
  const world = await startWorld(plan);
  const at = (field: string) =>
    plan.text(`alert: ${field}`, { reader: 'ingest', form: field === 'text' ? 'text' : 'json' });
  const within = (field: string) =>
    plan.text(`alert: json in json, ${field}`, { reader: 'ingest', form: 'json in json' });
  const bodies = [
    {
      version: '4',
      groupKey: at('alertmanager groupKey'),
      status: 'firing',
      externalURL: `https://alerts.example.com/?${at('alertmanager externalURL')}`,
      commonLabels: { alertname: 'Down', pod: at('alertmanager label') },
      commonAnnotations: { summary: at('alertmanager annotation'), runbook_url: at('alertmanager runbook') },
      groupLabels: { [at('alertmanager name of a label')]: 'x' },
      alerts: [{ status: 'firing', labels: {}, generatorURL: at('alertmanager generatorURL') }],
    },
    {
      version: '1.2',
      incident: {
        incident_id: at('cloud monitoring id'),
        state: 'open',
        summary: at('cloud monitoring summary'),
        url: at('cloud monitoring url'),
        policy_name: at('cloud monitoring policy'),
        policy_user_labels: { team: at('cloud monitoring label') },
        documentation: { content: at('cloud monitoring documentation') },
      },
    },
    {
      title: at('json title'),
      fingerprint: at('json fingerprint'),
      details: [{ deep: { text: at('json deep text') } }],
      [at('json key')]: 'x',
      payload: JSON.stringify({ summary: within('summary'), severity: within('severity') }),
    },
    {
      Type: 'Notification',
      TopicArn: 'arn:aws:sns:eu-west-1:123456789012:alarms',
      Message: JSON.stringify({
        AlarmName: within('alarm of SNS'),
        NewStateValue: 'ALARM',
        NewStateReason: within('reason of SNS'),
      }),
    },
    {
      subscription: 'projects/p/subscriptions/s',
      message: {
        messageId: '1',
        data: Buffer.from(
          JSON.stringify({
            action: 'Create',
            alert: {
              alertId: at('opsgenie id in base64'),
              message: at('opsgenie title in base64'),
              details: { a: at('opsgenie label in base64') },
            },
          }),
        ).toString('base64'),
      },
    },
    {
      version: '4',
      groupKey: 'g',
      alerts: ['a', 'b'].map((pod) => ({
        status: 'firing',
        labels: { pod },
        annotations: { summary: at(`title of member ${pod}`) },
        fingerprint: at(`fingerprint of member ${pod}`),
        dashboardURL: `https://dashboards.example.com/?${at(`link of member ${pod}`)}`,
      })),
    },
    // Belongs to the session of the one before it, whose timeline names its members.
    {
      version: '4',
      groupKey: 'g',
      alerts: ['a', 'c'].map((pod) => ({
        status: 'resolved',
        labels: { pod },
        annotations: { summary: at(`title of resolved member ${pod}`) },
        endsAt: '2026-11-05T10:00:00Z',
      })),
    },
    // Shown to the agents of the other one.
    ...['one', 'other'].map((which) => ({
      title: at(`title of ${which} that shares labels`),
      severity: at(`severity of ${which} that shares labels`),
      status: 'firing',
      labels: { pod: 'shared' },
    })),
    `Disk full\n${at('text')}`,
  ];
  const user = plan.text('alert: user', { reader: 'ingest', form: 'line', longest: 40 });
  await world.run({ title: 'Disk full' }, { tenant: 'acme', user });
  let sessionId: string | undefined;
  for (const body of bodies) sessionId = await world.run(body);
  return world.end(sessionId);
}

/** What `ingestAlert` does not open a session for. */
export async function refusedAlerts(plan: Plan): Promise<Outputs> {
  const world = await startWorld(plan);
  const at = (field: string) => plan.text(`refused alert: ${field}`, { reader: 'ingest', form: 'json' });
  await world.run({ version: '4', groupKey: 'g', status: 'resolved', alerts: [], title: at('resolved') });
  await world.run({ title: 'Disk full', status: 'resolved', state: 'ok', name: at('resolved name') });
  await world.run(`{"broken": ${JSON.stringify(at('broken json')).slice(0, -1)}`, { chain: 'nowhere' });
  await world.run({ title: at('body of an unknown chain') }, { chain: at('unknown chain') });
  await world.run({ title: 'Disk full' }, { chain: 'nowhere', [at('name of an attribute')]: 'x' });
  await world.run({ title: 'Disk full' }, { chain: 'nowhere', detail: at('attribute') });
  await world.run({ title: 'Disk full' }, { tenant: at('tenant') });
  await world.run({ title: 'Disk full' }, { user: at('user of a refused alert') });
  await world.run(`\u0000\u0001pod\u0000${at('binary').trim()}\u0000end`, { chain: 'nowhere' });
  await world.run([], { detail: at('attribute of an empty list') });
  await world.run({ title: 'Disk full' }, { traceparent: at('traceparent'), detail: at('unused attribute') });
  await world.run(' '.repeat(3), { detail: at('attribute of an empty alert') });
  await world.ingestEvent({ data: { message: { data: '%%%', messageId: at('message id') } } });
  await world.ingestEvent({ data: { message: { attributes: { a: 1 }, [at('envelope key')]: 1 } } });
  await world.ingestEvent({ data: at('no message') });
  return world.end();
}
