import { describe, expect, it } from 'vitest';
import { sampleAlert } from '../../test/support/samples.ts';
import { ownSubject } from '../alerts/selfAlert.ts';
import { TOPICS } from '../core/contract/publisher.ts';
import { ownNames } from './ownNames.ts';

const SERVICES = {
  functions: ['ingestAlert', 'runIteration', 'buryIteration', 'sweep', 'deliver', 'ingestChange'],
  http: ['api', 'console'],
};
const NAMED = {
  GOOGLE_CLOUD_PROJECT: 'shop-prod',
  INQUEST_NAME: 'night',
  FIRESTORE_DATABASE: 'night-data',
};
const monitored = (type: string, label: string, name: string) =>
  sampleAlert({
    source: 'cloud-monitoring',
    labels: { project_id: 'shop-prod', resource_type: type, [label]: name },
  });

describe('the resources of a named installation', () => {
  const own = ownNames(NAMED, SERVICES);

  it('have its name as their prefix', () => {
    expect(own).toEqual({
      projectId: 'shop-prod',
      functions: [
        'night-ingest-alert',
        'night-run-iteration',
        'night-bury-iteration',
        'night-sweep',
        'night-deliver',
        'night-ingest-change',
        'night-api',
        'night-console',
      ],
      topics: ['night-alerts-dead', 'night-iterations', 'night-iterations-dead', 'night-deliveries'],
      subscriptions: [
        'alerts',
        'alerts-dead',
        'iterations',
        'iterations-dead',
        'deliveries',
        'changes',
      ].flatMap((topic) => [`night-${topic}-push`, `night-${topic}-pull`]),
      schedules: ['night-sweep'],
      databases: ['night-data'],
      services: [],
    });
  });

  it('cause no investigation, one alert each', () => {
    const alerts = [
      ...own.functions.map((name) => monitored('cloud_run_revision', 'service_name', name)),
      ...own.topics.map((name) => monitored('pubsub_topic', 'topic_id', name)),
      ...own.subscriptions.map((name) => monitored('pubsub_subscription', 'subscription_id', name)),
      ...own.schedules.map((name) => monitored('cloud_scheduler_job', 'job_id', name)),
      ...own.databases.map((name) => monitored('firestore.googleapis.com/Database', 'database_id', name)),
    ];
    expect(alerts.map((alert) => ownSubject(alert, own))).not.toContain(undefined);
    // Those of another installation in the same project are investigated.
    const other = ownNames({ ...NAMED, INQUEST_NAME: 'daytime', FIRESTORE_DATABASE: 'day-data' }, SERVICES);
    expect(alerts.flatMap((alert) => ownSubject(alert, other) ?? [])).toEqual([]);
  });
});

it('an installation without a name has the names of its functions and topics only', () => {
  const own = ownNames({ GOOGLE_CLOUD_PROJECT: 'shop-prod' }, SERVICES);
  expect(own).toMatchObject({ functions: SERVICES.functions, schedules: [], databases: [] });
  const { alerts: _, changes: _changes, ...internal } = TOPICS;
  expect(own.topics).toEqual(Object.values(internal));
});
