// The metrics of `start`, scraped by Prometheus.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { freePorts } from '../../../local/processes/ports.ts';
import { METRICS } from '../../../shared/features/telemetry/metrics.ts';
import { startCommand } from '../../support/cli.ts';
import { IS_FULL } from '../../support/fullTests.ts';
import { createDataPath } from '../../support/ownConfig.ts';
import { ownEmulators } from '../../support/ownEmulators.ts';

const PROMETHEUS = process.env.PROMETHEUS || '/usr/bin/prometheus';
const POLL = { timeout: 30_000, interval: 200 };

/** Starts Prometheus, which scrapes one target every second. @returns the address of its API. */
async function startPrometheus(target: URL): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'inquest-prometheus-'));
  const file = join(folder, 'prometheus.yml');
  const scraped = {
    job_name: 'inquest',
    metrics_path: target.pathname,
    static_configs: [{ targets: [target.host] }],
  };
  writeFileSync(file, JSON.stringify({ global: { scrape_interval: '1s' }, scrape_configs: [scraped] }));
  const [port] = await freePorts(1);
  const options = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${folder}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const child = spawn(PROMETHEUS, options, { stdio: 'ignore' });
  onTestFinished(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  return `http://127.0.0.1:${port}/api/v1`;
}

it.skipIf(!IS_FULL || !existsSync(PROMETHEUS))(
  'start serves metrics that Prometheus reads: sessions, durations, tokens and calls (needs Prometheus)',
  async () => {
    const command = startCommand(['start', '--quiet', '--data', createDataPath()], { ...ownEmulators });
    await command.line(/^Ctrl-C stops everything/);
    const addressOf = (part: string) =>
      command.stdout.flatMap((line) => new RegExp(`^${part} +(http\\S+)`).exec(line)?.[1] ?? [])[0] ?? '';
    const [api, sweep, metrics] = [addressOf('dashboard'), addressOf('sweep'), addressOf('metrics')];
    const alert = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      // The alert that the script of the example names.
      body: readFileSync('examples/crashloop/alert.json'),
    };
    expect((await fetch(`${api}v1/alerts`, alert)).status).toBe(202);
    const base = await startPrometheus(new URL(metrics));
    const query = async (
      text: string,
    ): Promise<{ metric: Record<string, string>; value: [number, string] }[]> => {
      const answer = await fetch(`${base}/query?query=${encodeURIComponent(text)}`).catch(() => undefined);
      const { data } = answer?.ok
        ? ((await answer.json()) as { data: { result: never[] } })
        : { data: undefined };
      return data?.result ?? [];
    };
    await expect
      .poll(async () => {
        await fetch(sweep, { method: 'POST' });
        return query('inquest_sessions_total');
      }, POLL)
      .toMatchObject([
        { metric: { inquest_session_status: 'completed', job: 'inquest' }, value: [expect.anything(), '1'] },
      ]);
    expect(await query('up')).toMatchObject([{ value: [expect.anything(), '1'] }]);
    const names = [
      'gen_ai_invoke_workflow_duration_seconds_count',
      'gen_ai_client_inference_usage_input_tokens_total',
      'inquest_calls_total',
      'histogram_quantile(0.9, gen_ai_client_inference_duration_seconds_bucket)',
      'inquest_approvals_waiting',
    ];
    for (const name of names)
      expect({ name, found: (await query(name)).length > 0 }).toEqual({ name, found: true });
    const text = await (await fetch(metrics)).text();
    expect(text.match(/^# TYPE /gm)).toHaveLength(Object.keys(METRICS).length);
    command.kill('SIGINT');
    expect((await command.ended).code).toBe(130);
  },
);
