// One's own system: `init --yes`, `start`, and a real alert that is investigated without an edit.

import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTarget } from '../../local/monitoring/brokenService.ts';
import { startMonitoring } from '../../local/monitoring/monitoring.ts';
import { freePorts } from '../../local/processes/ports.ts';
import { projectFile } from '../../shared/projectFiles.ts';
import { runCommand, startCommand } from '../support/cli.ts';
import { temporaryFolder } from '../support/ownConfig.ts';
import { runsMonitoring } from '../support/realParts.ts';

const PACKAGES = fileURLToPath(new URL('node_modules', import.meta.url));
const POLL_MS = 300;
const OWN = {
  FIRESTORE_EMULATOR_HOST: undefined,
  PUBSUB_EMULATOR_HOST: undefined,
  GOOGLE_CLOUD_PROJECT: undefined,
  ALERTMANAGER_WEBHOOK_SECRET: undefined,
};

/** The answer of a path of the API; undefined until it has what is needed. */
async function poll<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await read();
    if (found !== undefined) return found;
    await sleep(POLL_MS);
  }
}

describe.runIf(runsMonitoring)('with Prometheus and Alertmanager of Debian', () => {
  it('a configuration of `init --yes` investigates a real alert, and its analysis quotes measured values', async () => {
    const folder = temporaryFolder();
    // npx finds the servers of test/packages there, without a network.
    symlinkSync(PACKAGES, join(folder, 'node_modules'));
    const [prometheusPort = 0] = await freePorts(1);
    const config = join(folder, 'my-config');
    const settings = { ...OWN, PROMETHEUS_URL: `http://127.0.0.1:${prometheusPort}` };
    const results = ['--results', 'slack', '--set', 'SLACK_CHANNEL=C0123456789'];
    const written = await runCommand(['init', config, '--yes', '--no-check', ...results], settings);
    expect(written).toMatchObject({ code: 0 });
    const { ALERTMANAGER_WEBHOOK_SECRET: secret = '' } = parseEnv(readFileSync(join(config, '.env'), 'utf8'));

    const target = await startTarget();
    onTestFinished(() => target.stop());
    const script = projectFile('examples/prometheus/model.yaml');
    const data = join(folder, 'data.sqlite');
    const started = startCommand(['start', '--quiet', '--slack', '--data', data, '--script', script], {
      ...OWN,
      PROMETHEUS_URL: undefined,
      INQUEST_CONFIG: config,
      TMPDIR: folder,
    });
    await started.line(/^Ctrl-C stops everything/);
    const [, api = ''] = started.stdout.flatMap((line) => /^API +(http:\/\/\S+)\/v1/.exec(line) ?? []);
    const monitoring = await startMonitoring({
      prometheusPort,
      targetPort: target.port,
      webhookUrl: `${api}/v1/webhooks/alertmanager`,
      secret,
      env: process.env,
    });
    onTestFinished(() => monitoring.stop());
    target.break();

    const read = async (path: string) => await (await fetch(`${api}/v1/sessions${path}`)).json();
    const session = await poll(async () => {
      const { sessions } = (await read('')) as { sessions: { sessionId: string; status: string }[] };
      return sessions.find(({ status }) =>
        ['completed', 'failed', 'timed_out', 'cancelled'].includes(status),
      );
    });
    expect(session.status).toBe('completed');
    const { finalAnalysis } = (await read(`/${session.sessionId}`)) as { finalAnalysis: string };
    expect(finalAnalysis).toContain('used up: 20 of 20 are in use');
    const [, share] = /share of failed requests is (\d\.\d+)/.exec(finalAnalysis) ?? [];
    // 26 of 40 requests fail while the target is broken; the first scrapes count earlier time.
    expect(Number(share)).toBeGreaterThan(0.2);
    expect(Number(share)).toBeLessThanOrEqual(0.65);
    // What `init` wrote sends the result to Slack, of which this is the stand-in.
    const [, page = ''] = started.stdout.flatMap((line) => /^Slack +(http:\/\/\S+)/.exec(line) ?? []);
    await poll(async () => {
      const shown = await (await fetch(page)).text();
      return /pool of database connections is used up/.test(shown) || undefined;
    });
    target.repair();
    await poll(async () => {
      const { reports } = (await read(`/${session.sessionId}`)) as { reports?: { resolved: number } };
      return (reports?.resolved ?? 0) > 0 || undefined;
    });
    const { sessions } = (await read('')) as { sessions: unknown[] };
    expect(sessions).toHaveLength(1);
    started.kill('SIGINT');
    expect((await started.ended).code).toBe(130);
  });
});
