// Runs real Prometheus and Alertmanager on free local ports, with files of examples/prometheus.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expandVariables } from '../../shared/config/variables.ts';
import { projectFile } from '../../shared/projectFiles.ts';
import { type GuardedProcess, startProcess, waitForAnswer } from '../processes/childProcess.ts';
import { answersHttp, freePorts } from '../processes/ports.ts';
import { findPrograms } from './programs.ts';

const FILES = projectFile('examples/prometheus/monitoring');
const START_MS = 60_000;
const PROBE_MS = 1_000;

/** A running Prometheus with its Alertmanager. */
interface Monitoring {
  /** Where Prometheus's HTTP API is. */
  prometheusUrl: string;
  /** Ends both, and removes their files. */
  stop(): Promise<void>;
}

/**
 * Starts both and waits until they are ready.
 * @param options.targetPort the only target, on 127.0.0.1.
 * @param options.webhookUrl where Alertmanager sends alerts, with `secret` as bearer token.
 * @throws Error when a program is not installed or ends. Nothing keeps running then.
 */
export async function startMonitoring(options: {
  /** Where Prometheus listens. Default: any free port. */
  prometheusPort?: number;
  targetPort: number;
  webhookUrl: string;
  secret: string;
  env: NodeJS.ProcessEnv;
  onLine?: (line: string) => void;
  signal?: AbortSignal;
}): Promise<Monitoring> {
  const { targetPort, webhookUrl, secret, env, onLine = () => {}, signal } = options;
  const programs = findPrograms(env);
  const [freePort = 0, alertmanagerPort = 0] = await freePorts(2);
  const { prometheusPort = freePort } = options;
  const folder = mkdtempSync(join(tmpdir(), 'inquest-monitoring-'));
  cpSync(FILES, folder, { recursive: true });
  for (const file of ['prometheus.yml', 'alertmanager.yml'])
    fillIn(join(folder, file), {
      TARGET: `127.0.0.1:${targetPort}`,
      ALERTMANAGER: `127.0.0.1:${alertmanagerPort}`,
      WEBHOOK_URL: webhookUrl,
      WEBHOOK_SECRET: secret,
    });
  const start = (name: keyof typeof programs, port: number, args: string[]) =>
    startProcess({
      name,
      command: programs[name],
      args: [
        `--config.file=${join(folder, `${name}.yml`)}`,
        `--web.listen-address=127.0.0.1:${port}`,
        ...args,
      ],
      env,
      onLine,
    });
  const parts: [GuardedProcess, number][] = [
    [start('prometheus', prometheusPort, [`--storage.tsdb.path=${join(folder, 'metrics')}`]), prometheusPort],
    [
      start('alertmanager', alertmanagerPort, [
        `--storage.path=${join(folder, 'alerts')}`,
        '--cluster.listen-address=',
      ]),
      alertmanagerPort,
    ],
  ];
  const stop = async () => {
    await Promise.all(parts.map(([part]) => part.stop()));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const [part, port] of parts) {
      const answers = () => answersHttp(`http://127.0.0.1:${port}/-/ready`, PROBE_MS, signal);
      await waitForAnswer(part, answers, { timeoutMs: START_MS, signal });
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { prometheusUrl: `http://127.0.0.1:${prometheusPort}`, stop };
}

/** Replaces the variables in a file. @throws Error for one without a value. */
function fillIn(file: string, values: NodeJS.ProcessEnv): void {
  const expansion = expandVariables(readFileSync(file, 'utf8'), values);
  if (!expansion.ok) throw new Error(`${file}: ${expansion.messages.join('; ')}`);
  writeFileSync(file, expansion.text);
}
