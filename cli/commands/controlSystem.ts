// `pause --all` and `resume --all`: pause the whole installation and resume it.

import { parseDuration } from '../../shared/config/units.ts';
import { withApi } from '../api/withApi.ts';
import type { TenantOptions } from '../options/commandOptions.ts';
import { readName } from '../options/readLine.ts';
import { printableText, write } from '../process/output.ts';
import { UsageError } from '../process/usageError.ts';
import { waitUntilDrained } from '../process/waitUntilDrained.ts';

/** The options of `pause --all`. */
export interface PauseAllOptions extends TenantOptions {
  /** A duration: `30m`. Absent: the default of the API. */
  for?: string;
  /** Whether to wait until no iteration runs. */
  wait?: boolean;
}

interface Pause {
  by: string;
  at: string;
  until: string;
}

/** Pauses the installation, or renews its pause, and prints the end of the pause. */
export async function pauseAll(options: PauseAllOptions): Promise<void> {
  const forMs = options.for === undefined ? undefined : readDuration(options.for);
  await withApi({ ...options, by: readName(options.by) }, async (api, signal) => {
    type Answer = { outcome: string; pause: Pause };
    const answer = await api.post<Answer>('/v1/system/pause', forMs === undefined ? {} : { forMs });
    const { pause, outcome } = answer;
    if (options.wait)
      await waitUntilDrained(() => api.get('/v1/system/drain'), {
        onRunning(running) {
          if (!options.json) write(`${running} ${running === 1 ? 'iteration runs' : 'iterations run'}`);
        },
        signal,
      });
    if (options.json) return write(JSON.stringify({ ...answer, ...(options.wait && { isDrained: true }) }));
    const since = outcome === 'renewed' ? `, since ${pause.at} by ${printableText(pause.by)}` : '';
    write(
      `the installation is paused until ${pause.until}${since}${options.wait ? '; no iteration runs' : ''}`,
    );
  });
}

/** The options of `resume --all`. */
export interface ResumeAllOptions extends TenantOptions {
  /** Whether to end the pause of a deployment, too. */
  force?: boolean;
}

const RESUMED: Record<string, string> = {
  resuming: 'the installation is resumed by the next run of the sweep, within a minute',
  held: 'a deployment still needs the pause, which ends with it; if that deployment has died: inquest resume --all --force',
  not_paused: 'the installation was not paused',
};

/** Requests the end of the pause, and prints the result. */
export async function resumeAll(options: ResumeAllOptions): Promise<void> {
  await withApi({ ...options, by: readName(options.by) }, async (api) => {
    const answer = await api.post<{ outcome: string }>('/v1/system/resume', {
      force: options.force ?? false,
    });
    if (options.json) return write(JSON.stringify(answer));
    write(RESUMED[answer.outcome] ?? answer.outcome);
  });
}

function readDuration(text: string): number {
  const read = parseDuration(text);
  if (!read.ok) throw new UsageError(`--for: ${read.message}`);
  return read.value;
}
