// prometheus-mcp on a real Prometheus with stored samples: recordings for its field list.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { startProcess, waitForAnswer } from '../../local/processes/childProcess.ts';
import { answersHttp, freePorts } from '../../local/processes/ports.ts';
import { loadConfig } from '../../shared/config/load.ts';
import { mcpSources } from '../../shared/tools/mcp/mcpSource.ts';
import { ownConfig, temporaryFolder } from '../support/ownConfig.ts';
import { runsMonitoring } from '../support/realParts.ts';
import { openMetrics } from '../worlds/prometheus/samples.ts';

const TIMEOUT_MS = 60_000;
const SERVER = fileURLToPath(new URL('node_modules/prometheus-mcp/dist/index.mjs', import.meta.url));
const RECORDED = fileURLToPath(new URL('../worlds/prometheus/recorded.json', import.meta.url));

const RANGE = { start: '2026-11-17T08:40:00Z', end: '2026-11-17T09:40:00Z', step: '300s' };
const NOW = { time: '2026-11-17T09:40:00Z' };
const MEMORY = 'container_memory_working_set_bytes{namespace="shop",container="checkout"}';
const CALLS: [tool: string, args: object][] = [
  ['prometheus_query', { query: 'up', ...NOW }],
  ['prometheus_query', { query: MEMORY, ...NOW }],
  ['prometheus_query', { query: 'count(up)', ...NOW }],
  ['prometheus_query', { query: 'up{job="none"}', ...NOW }],
  ['prometheus_query_range', { query: MEMORY, ...RANGE }],
  [
    'prometheus_query_range',
    { query: 'sum by (namespace, pod) (rate(http_requests_total{code="500"}[10m]))', ...RANGE },
  ],
  ['prometheus_query_range', { query: 'node_filesystem_avail_bytes{mountpoint="/"} < 2e9', ...RANGE }],
  ['prometheus_query_range', { query: 'probe_ssl_earliest_cert_expiry', ...RANGE }],
  ['prometheus_query_range', { query: 'billing_lag_minutes', ...RANGE }],
];

it.runIf(runsMonitoring)('prometheus-mcp answers as recorded', async () => {
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  mkdirSync(data);
  writeFileSync(join(folder, 'samples.txt'), openMetrics());
  writeFileSync(join(folder, 'prometheus.yml'), 'scrape_configs: []\n');
  execFileSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', join(folder, 'samples.txt'), data]);
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const prometheus = startProcess({
    name: 'prometheus',
    command: 'prometheus',
    args: [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${data}`,
      '--storage.tsdb.retention.time=100y',
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    env: process.env,
    onLine() {},
  });
  onTestFinished(() => prometheus.stop());
  const answers = () => answersHttp(`${url}/-/ready`, 1_000);
  await waitForAnswer(prometheus, answers, { timeoutMs: TIMEOUT_MS });
  const server = {
    transport: 'stdio',
    command: process.execPath,
    args: [SERVER, 'stdio'],
    env: { PROMETHEUS_URL: url },
    readOnly: ['*'],
  };
  const { servers } = loadConfig(ownConfig({ servers: { prometheus: server } }), process.env);
  const [source] = mcpSources(servers);
  const connection = await source?.connect(AbortSignal.timeout(TIMEOUT_MS));
  onTestFinished(() => connection?.close());
  const recorded = [];
  for (const [tool, given] of CALLS) {
    const call = { callId: tool, name: `prometheus.${tool}`, arguments: JSON.stringify(given) };
    const outcome = await connection?.call(call, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      timeoutMs: TIMEOUT_MS,
      maxResultBytes: 64_000,
      mask: (content) => ({ text: content, count: 0 }),
      idempotencyKey: tool,
      traceparent: null,
    });
    expect(outcome, tool).toMatchObject({ isError: false });
    recorded.push({ tool: call.name, arguments: given, text: outcome?.content });
  }
  await expect(`${JSON.stringify(recorded, null, 2)}\n`).toMatchFileSnapshot(RECORDED);
});
