// A real Prometheus sees a broken target, a real Alertmanager alerts, an agent asks prometheus-mcp.

import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTarget } from '../../local/monitoring/brokenService.ts';
import { startMonitoring } from '../../local/monitoring/monitoring.ts';
import { runCommand } from '../support/cli.ts';
import { temporaryFolder } from '../support/ownConfig.ts';
import { runsMonitoring } from '../support/realParts.ts';

const PACKAGES = fileURLToPath(new URL('node_modules', import.meta.url));

/** A folder in which npx finds the servers of test/packages without a network. */
function folderWithServers(): string {
  const folder = temporaryFolder();
  symlinkSync(PACKAGES, join(folder, 'node_modules'));
  return folder;
}

describe.runIf(runsMonitoring)('with Prometheus and Alertmanager of Debian', () => {
  it('an alert opens one session, its analysis quotes measured values, and its resolution reaches the session', async () => {
    const folder = folderWithServers();
    const { code, stdout, stderr } = await runCommand(['demo', 'prometheus', '--json'], { TMPDIR: folder });
    const lines = stdout.map((line) => JSON.parse(line));
    const told = stderr.join('\n');
    expect({ code, told }).toMatchObject({ code: 0 });
    const results = lines
      .filter(({ eventType }) => eventType === 'tool_result')
      .map(({ content }) => String(content));
    const [, ...asked] = results;
    // The first is collected: the condition of the alert.
    expect(asked).toHaveLength(4);
    const [, share = ''] = /"value":\[[\d.]+,"([\d.]{1,5})/.exec(asked[0] ?? '') ?? [];
    // 26 of 40 requests fail while the target is broken; the first scrapes count earlier time.
    expect(Number(share)).toBeGreaterThan(0.2);
    expect(Number(share)).toBeLessThanOrEqual(0.65);
    const analysis = lines.find(({ eventType }) => eventType === 'final_analysis')?.content;
    expect(analysis).toContain('used up: 20 of 20 are in use');
    expect(analysis).toContain(`the share of failed requests is ${share}. The target answers: up is 1.`);
    expect(told.match(/Alertmanager sent the alert; session \S+/g)).toHaveLength(1);
    expect(told).toContain('Alertmanager reported that the alert is resolved, and the session has it');
  });

  it('`init --yes` finds the tools of prometheus-mcp, and `packs check` finds no difference', async () => {
    const folder = folderWithServers();
    const target = await startTarget();
    const monitoring = await startMonitoring({
      targetPort: target.port,
      webhookUrl: 'http://127.0.0.1:9/v1/webhooks/alertmanager',
      secret: 'nobody-is-asked-here',
      env: process.env,
    });
    onTestFinished(async () => {
      await Promise.all([monitoring.stop(), target.stop()]);
    });
    const env = { PROMETHEUS_URL: monitoring.prometheusUrl, ALERTMANAGER_WEBHOOK_SECRET: undefined };
    const config = join(folder, 'my-config');
    const written = await runCommand(['init', config, '--yes'], env);
    expect({ code: written.code, stdout: written.stdout.join('\n') }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /server {5}prometheus: 10 tools[\s\S]*configuration is valid, and its servers and the systems behind them answer/,
      ),
    });
    const checked = await runCommand(['packs', 'check', 'prometheus', '--config', config]);
    expect(checked).toEqual({
      code: 0,
      stdout: [
        'prometheus   no difference: prometheus has the 10 tools of the pack',
        ...['prometheus_list_targets', 'prometheus_scrape_pool_targets', 'prometheus_runtime_info'].map(
          (tool) => `prometheus   without a field list, so a text to a verdict: ${tool}`,
        ),
      ],
      stderr: [],
    });
    const doctor = async () => (await runCommand(['doctor', '--config', config])).stdout.join('\n');
    expect(await doctor()).toMatch(
      /^ok {2}MCP server prometheus +Prometheus at http:\S+ answers prometheus_build_info$/m,
    );
    await monitoring.stop();
    expect(await doctor()).toMatch(
      /^!! {2}configuration +\S+ servers\.prometheus: Prometheus at http:\S+ does not answer: prometheus_build_info gives: /m,
    );
  });
});

it('`demo prometheus` states where to get the programs when they are not installed', async () => {
  const { code, stderr } = await runCommand(['demo', 'prometheus'], { PATH: temporaryFolder() });
  expect(code).toBe(1);
  expect(stderr.join('\n')).toMatch(
    /prometheus and alertmanager are not installed here[\s\S]*apt-get install/,
  );
});
