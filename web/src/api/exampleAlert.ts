// An alert for a first investigation, as Alertmanager sends it.

/** Its JSON, for a person to read and to send. Its labels name no system of the reader. */
export const EXAMPLE_ALERT = JSON.stringify(
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
