// `demo prometheus`: a real Prometheus sees a target break, a real Alertmanager sends the alert, and an agent
// investigates it with the configuration that `init --yes` writes.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pc from 'picocolors';
import { type Example, findExample } from '../../../local/examples.ts';
import { startTarget } from '../../../local/monitoring/brokenService.ts';
import { startMonitoring } from '../../../local/monitoring/monitoring.ts';
import { findPrograms } from '../../../local/monitoring/programs.ts';
import { freePorts } from '../../../local/processes/ports.ts';
import { projectFile } from '../../../shared/projectFiles.ts';
import { followToEnd } from '../../alert/sendAlert.ts';
import type { ApiClient } from '../../api/apiClient.ts';
import { readState } from '../../api/sessions.ts';
import { withApi } from '../../api/withApi.ts';
import { newSecret } from '../../init/sources.ts';
import { applyAnswers } from '../../init/writeConfig.ts';
import { editFolder } from '../../packs/folderEdit.ts';
import { readPack } from '../../packs/pack.ts';
import { jsonPrinter, textPrinter } from '../../print/printer.ts';
import { beforeAbort, interruptSignal, STOP_DEADLINE_MS, untilAborted } from '../../process/interrupt.ts';
import { loadVariables } from '../../process/loadVariables.ts';
import { hasColor, write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';
import { openSystem } from '../../system/openSystem.ts';
import { commandHere, type DemoOptions, demoProject } from './demoOptions.ts';

/** The example with programs of its own. It has no recorded alert. */
export const MONITORED_EXAMPLE = 'prometheus';
const POLL_MS = 300;

/** Runs the example from the break of the target to the resolution of its alert, and stops everything. */
export async function runMonitoredDemo(options: DemoOptions): Promise<void> {
  if (process.env.INQUEST_CONFIG)
    throw new UsageError('demo prometheus has a configuration of its own: unset INQUEST_CONFIG');
  findPrograms(process.env);
  const signal = interruptSignal({ deadlineMs: STOP_DEADLINE_MS });
  const colors = pc.createColors(hasColor(process.stderr, process.env));
  const onProgress = (line: string) => process.stderr.write(`${colors.dim(line)}\n`);
  const [prometheusPort = 0] = await freePorts(1);
  const secret = newSecret();
  const configFolder = writeConfiguration(prometheusPort, secret);
  process.once('exit', () => rmSync(configFolder, { recursive: true, force: true }));
  const opened = await openSystem({
    ...options,
    ...demoProject(process.env),
    api: true,
    example: { ...preparePrometheusExample(configFolder) },
    onProgress,
    verbose: options.verbose === true,
    signal,
  });
  const target = await startTarget();
  try {
    const monitoring = await startMonitoring({
      prometheusPort,
      targetPort: target.port,
      webhookUrl: `${opened.system.endpoints.api}/v1/webhooks/alertmanager`,
      secret,
      env: process.env,
      onLine: (line) => options.verbose && onProgress(line),
      signal: opened.signal,
    });
    try {
      onProgress(`prometheus: ${monitoring.prometheusUrl}, with a target that works`);
      await withApi({ config: configFolder, publishes: true, signal: opened.signal }, async (api) => {
        target.break();
        onProgress('the target is broken now; Prometheus needs some seconds until its alert fires');
        const isCompleted = await followAlert(api, options, { onProgress, signal: opened.signal });
        target.repair();
        onProgress('the target is repaired');
        await untilResolved(api, opened.signal);
        onProgress('Alertmanager reported that the alert is resolved, and the session has it');
        process.exitCode = isCompleted ? 0 : 1;
      });
      if (options.keep) {
        onProgress(`Everything keeps running; the configuration is ${configFolder}. Ctrl-C stops it.`);
        await untilAborted(opened.signal);
      }
    } finally {
      await monitoring.stop();
    }
  } finally {
    await Promise.all([target.stop(), opened.stop()]);
  }
}

/** The example, whose configuration is written at every run. */
function preparePrometheusExample(configFolder: string): Example {
  const scriptFile = projectFile('examples/prometheus/model.yaml');
  return { ...findExample('crashloop'), name: MONITORED_EXAMPLE, configFolder, scriptFile };
}

/** Writes the files of `inquest init --yes`, and loads their variables. Returns the folder. */
function writeConfiguration(prometheusPort: number, secret: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'inquest-demo-'));
  const edit = editFolder(folder);
  applyAnswers(edit, {
    alerts: 'alertmanager',
    packs: [readPack('prometheus')],
    model: 'gemini',
    results: 'none',
    system: 'here',
    variables: {
      PROMETHEUS_URL: `http://127.0.0.1:${prometheusPort}`,
      ALERTMANAGER_WEBHOOK_SECRET: secret,
    },
  });
  edit.save();
  process.env.INQUEST_CONFIG = folder;
  for (const name of ['PROMETHEUS_URL', 'ALERTMANAGER_WEBHOOK_SECRET']) delete process.env[name];
  loadVariables(folder, process.env);
  return folder;
}

/** Prints the session of the alert until it has ended. Returns whether it was completed. */
async function followAlert(
  api: ApiClient,
  { json }: DemoOptions,
  { onProgress, signal }: { onProgress: (line: string) => void; signal: AbortSignal },
): Promise<boolean> {
  const printer = json
    ? jsonPrinter(write)
    : textPrinter(write, hasColor(process.stdout, process.env), commandHere, process.stdout.columns);
  const sessionId = await firstSession(api, signal);
  onProgress(`Alertmanager sent the alert; session ${sessionId}`);
  const { status } = await followToEnd(sessionId, { api, printer, onProgress, signal });
  return status === 'completed';
}

async function firstSession(api: ApiClient, signal: AbortSignal): Promise<string> {
  for (;;) {
    const page = api.get('/v1/sessions', { limit: 1 });
    const [row] = (await beforeAbort(page, signal)).sessions;
    if (row !== undefined) return row.sessionId;
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** Waits until the only session knows that its alert is resolved. */
async function untilResolved(api: ApiClient, signal: AbortSignal): Promise<void> {
  const sessionId = await firstSession(api, signal);
  for (;;) {
    const { reports } = await beforeAbort(readState(api, sessionId), signal);
    if ((reports?.resolved ?? 0) > 0) return;
    await sleep(POLL_MS, undefined, { signal });
  }
}
