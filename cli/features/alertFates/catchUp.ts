// `catch-up`: publishes the alerts that fire at their sources and did not arrive.

import { createHash } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import { type CatchUpSource, withVariables } from '../../../shared/config/catchUpFile.ts';
import { loadCatchUp } from '../../../shared/config/load.ts';
import { errorMessage } from '../../../shared/core/errors.ts';
import { readConfigFolder } from '../../../shared/environment.ts';
import { parseDuration } from '../../../shared/text/units.ts';
import type { ApiClient } from '../../api/apiClient.ts';
import { withApi } from '../../api/withApi.ts';
import { type TenantOptions, tenantCommand } from '../../options/commandOptions.ts';
import { SYSTEM_HELP } from '../../options/project.ts';
import { onOneLine } from '../../print/textTable.ts';
import { interruptSignal, STOP_DEADLINE_MS } from '../../process/interrupt.ts';
import { loadVariables } from '../../process/loadVariables.ts';
import { report, write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';
import type { FiringAlert } from './catchUp/firingAlert.ts';
import { listFiring } from './catchUp/listFiring.ts';

const DEFAULT_SINCE = '6h';
/** Published this long before its start: clocks differ. */
const CLOCKS_MS = 5 * 60_000;

const HELP = `
Lists the alerts that fire now at the sources of catch-up.yaml (Alertmanager, Grafana, PagerDuty, Cloud Monitoring) and started
within --since. Publishes those that did not arrive since their start, with the payload that the webhook of the source would
have sent, so that later reports belong to the same session. Repeating the command publishes nothing again.
Exit codes: 0 all sources were read; 1 a source could not be read, or an alert not be published; 2 wrong usage.
`;

interface CatchUpOptions extends TenantOptions {
  source?: string;
  since: number;
  dryRun?: boolean;
  config?: string;
}

/** Adds the command to the program. */
export function registerCatchUp(program: Command): void {
  tenantCommand(program, 'catch-up')
    .option('--source <name>', 'only this source of catch-up.yaml')
    .option(
      '--since <time>',
      'only alerts that started within it, such as 30m or 6h',
      readSince,
      readSince(DEFAULT_SINCE),
    )
    .option('--dry-run', 'list the alerts that did not arrive, and publish nothing')
    .option(
      '--config <folder>',
      'the configuration with catch-up.yaml (default: INQUEST_CONFIG, else config/)',
    )
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', `${HELP}${SYSTEM_HELP}`)
    .action(catchUp);
}

function readSince(text: string): number {
  const parsed = parseDuration(text);
  if (parsed.ok && parsed.value > 0) return parsed.value;
  throw new InvalidArgumentError('It is a duration such as 30m or 6h.');
}

async function catchUp({
  source: only,
  since,
  dryRun = false,
  config,
  ...options
}: CatchUpOptions): Promise<void> {
  if (config !== undefined) loadVariables(config, process.env);
  const folder = config ?? readConfigFolder(process.env);
  const sources = Object.entries(loadCatchUp(folder)).filter(([name]) => only === undefined || name === only);
  if (sources.length === 0)
    throw new UsageError(
      only === undefined
        ? `${folder} has no catch-up.yaml with sources; shared/features/alerts/README.md has an example`
        : `catch-up.yaml has no source ${onOneLine(only)}`,
    );
  const signal = interruptSignal({ deadlineMs: STOP_DEADLINE_MS });
  await withApi(
    { ...options, ...(!dryRun && { publishes: 'alerts' as const }), signal },
    async (api, stop) => {
      for (const [name, source] of sources) {
        try {
          await catchUpSource({ name, source, since, dryRun, json: options.json ?? false }, api, stop);
        } catch (error) {
          stop.throwIfAborted();
          process.exitCode = 1;
          report(`${name}: ${errorMessage(error)}`);
        }
      }
    },
  );
}

interface Run {
  name: string;
  source: CatchUpSource;
  since: number;
  dryRun: boolean;
  json: boolean;
}

async function catchUpSource(
  { name, source, since, dryRun, json }: Run,
  api: ApiClient,
  signal: AbortSignal,
) {
  const firing = await listFiring(withVariables(source, process.env), signal);
  const recent = firing.filter(({ startedAt }) => startedAt.getTime() >= Date.now() - since);
  const counts = { arrived: 0, published: 0, missing: 0 };
  for (const alert of recent) {
    signal.throwIfAborted();
    const outcome = await catchUpAlert(alert, dryRun, api);
    counts[outcome] += 1;
    const { title, startedAt } = alert;
    const started = startedAt.toISOString();
    if (json) write(JSON.stringify({ source: name, outcome, title, startedAt: started }));
    else if (outcome !== 'arrived') write(`${name}  ${outcome}  ${onOneLine(title)}, fires since ${started}`);
  }
  const rest = firing.length - recent.length;
  if (!json)
    write(
      `${name}: ${counts.arrived} arrived before, ${dryRun ? `${counts.missing} are missing` : `${counts.published} published`}, ${rest} fire for longer`,
    );
}

async function catchUpAlert(
  { payload, startedAt }: FiringAlert,
  dryRun: boolean,
  api: ApiClient,
): Promise<'arrived' | 'published' | 'missing'> {
  const body = Buffer.from(JSON.stringify(payload));
  const { problem } = await api.post('/v1/alerts/preview', {}, body);
  if (problem !== null) {
    const { alerts } = await api.get('/v1/alerts', { problem });
    const from = startedAt.getTime() - CLOCKS_MS;
    if (alerts.some(({ at }) => Date.parse(at) >= from)) return 'arrived';
  }
  if (dryRun) return 'missing';
  // A second run before the first alert is handled publishes a copy with the same key, which opens nothing.
  const delivery = createHash('sha256').update(body).digest('hex');
  await api.post('/v1/alerts', { delivery }, body);
  return 'published';
}
