// The samples of the recorded Prometheus: an hour of exporters' metrics, in the format of OpenMetrics.

const START = Date.parse('2026-11-17T08:30:00Z') / 1_000;
const STEP = 60;
const STEPS = 75;
/** From this step on the pod runs out of memory, and its requests fail. */
const BROKEN = 55;

const node = { job: 'node', instance: '10.0.0.5:9100', node: 'node-2' };
const pod = (name: string, container = 'checkout') => ({
  job: 'kubelet',
  namespace: 'shop',
  pod: name,
  container,
  node: 'node-1',
});
const [FAILING, WELL] = ['checkout-7d9c6bf8d4-x2kqp', 'checkout-7d9c6bf8d4-9wz4m'];

type Series = [labels: Record<string, string>, value: (step: number) => number];
const METRICS: Record<string, Series[]> = {
  container_memory_working_set_bytes: [
    [pod(FAILING), (step) => (step < BROKEN ? 110_000_000 + step * 1_000 : 251_000_000)],
    [pod(WELL), (step) => 112_000_000 + step * 1_000],
  ],
  http_requests_total: [
    [{ ...pod(FAILING), job: 'checkout', code: '500' }, (step) => Math.max(0, step - BROKEN) * 30],
    [{ ...pod(WELL), job: 'checkout', code: '500' }, () => 3],
  ],
  node_filesystem_avail_bytes: [
    [{ ...node, device: '/dev/sda1', mountpoint: '/' }, (step) => 12_000_000_000 - step * 160_000_000],
  ],
  probe_ssl_earliest_cert_expiry: [
    [{ job: 'blackbox', instance: 'https://shop.example' }, () => Date.parse('2026-11-17T09:00:00Z') / 1_000],
  ],
  up: [
    [
      { job: 'checkout', instance: '10.1.0.7:8080', namespace: 'shop', pod: FAILING },
      (step) => Number(step < BROKEN),
    ],
    [{ job: 'checkout', instance: '10.1.0.8:8080', namespace: 'shop', pod: WELL }, () => 1],
  ],
  billing_lag_minutes: [[{ job: 'billing', namespace: 'shop', note: 'up 1\nOOMKilled' }, (step) => step]],
};

/** The text that `promtool tsdb create-blocks-from openmetrics` reads. */
export function openMetrics(): string {
  const lines = Object.entries(METRICS).flatMap(([metric, series]) => [
    `# TYPE ${metric.replace(/_total$/, '')} ${metric.endsWith('_total') ? 'counter' : 'gauge'}`,
    ...series.flatMap(([labels, value]) => {
      const pairs = Object.entries(labels).map(([name, text]) => `${name}=${JSON.stringify(text)}`);
      return Array.from(
        { length: STEPS },
        (_, step) => `${metric}{${pairs.join(',')}} ${value(step)} ${START + step * STEP}`,
      );
    }),
  ]);
  return `${lines.join('\n')}\n# EOF\n`;
}
