// An alert for a first investigation: the configuration's own, or one as Alertmanager sends it.

import { api } from './client.ts';

/** An alert for a person to read and to send. */
export interface ExampleAlert {
  text: string;
  /** Whether it is that of the configuration. */
  isOwn: boolean;
}

/** The example. An older server, and a failure, have none of the configuration. */
export async function readExample(): Promise<ExampleAlert> {
  const { text } = await api.get('/v1/alerts/example').catch(() => ({ text: null }));
  return text === null ? { text: EXAMPLE_ALERT, isOwn: false } : { text, isOwn: true };
}

/** Its labels name no system of the reader. */
const EXAMPLE_ALERT = JSON.stringify(
  {
    version: '4',
    groupKey: '{}:{alertname="ExampleCrashLooping"}',
    status: 'firing',
    receiver: 'inquest',
    groupLabels: { alertname: 'ExampleCrashLooping' },
    commonLabels: { alertname: 'ExampleCrashLooping', namespace: 'example', severity: 'warning' },
    commonAnnotations: { summary: 'A pod of the example is crash looping.' },
    alerts: [
      {
        status: 'firing',
        labels: {
          alertname: 'ExampleCrashLooping',
          namespace: 'example',
          pod: 'example-1',
          severity: 'warning',
        },
        annotations: { summary: 'A pod of the example is crash looping.' },
        startsAt: '2026-11-29T09:36:00Z',
      },
    ],
  },
  null,
  2,
);
