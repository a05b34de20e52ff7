// `cancel`, `pause`, `resume` and `start-deferred`: change the state of a session, or with `--all` of the
// installation.

import { Argument, Option } from 'commander';
import { parseDuration } from '../../../shared/text/units.ts';
import { type Answer, type Call, command, plannedCommand, request, type Work } from '../../api/command.ts';
import { byOption, SESSION_TEXT } from '../../options/commandOptions.ts';
import { ParameterOption } from '../../options/parameterOption.ts';
import { readReason } from '../../options/readLine.ts';
import { printableText, write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';
import { waitUntilDrained } from '../../process/waitUntilDrained.ts';

const CANCEL = 'POST /v1/sessions/{sessionId}/cancel';
const PAUSE = 'POST /v1/sessions/{sessionId}/pause';
const RESUME = 'POST /v1/sessions/{sessionId}/resume';
const START = 'POST /v1/sessions/{sessionId}/start';
const PAUSE_ALL = 'POST /v1/system/pause';
const RESUME_ALL = 'POST /v1/system/resume';

const CANCEL_HELP = `
Stops all agents within 5 s, and calls that wait for approval at once. The timeline names the user of this machine as the
person who cancelled. Repeating the command has no effect, and ended sessions are not changed.
`;
const PAUSE_HELP = `
Running iterations finish, and no other starts until \`inquest resume\`. The deadlines of the investigation and of approvals
are not extended. Calls can be approved or denied during the pause, and run after it. A paused investigation accepts guidance
and can be cancelled.

\`--all\` pauses the whole installation, for an upgrade: alerts are accepted, and deadlines and the times of approvals are
extended by the pause. It ends after 30 minutes unless the command renews it, and needs the role admin.
`;
const RESUME_HELP = `
All open agents continue where they stopped. If Pub/Sub fails, the sweep starts the remaining agents within minutes, and so
does the same command.

With \`--all\`, the pause of a deployment continues until it has applied its release.
`;
const START_HELP = `
An alert is stored as deferred when it is resolved, acknowledged or a test, when a budget of system.yaml or chains.yaml is
exhausted (sessionsPerHour, dailyTokens), or when it is about Inquest itself. Its timeline gives the reason. A session that
waits for a budget starts automatically when the budget has room. This command ignores budgets and does not count against
them. The session starts once, even if several callers start it at the same time.
`;
const json = 'print the outcome as a line of JSON';
const toJson = (answer: object, { sessionId }: Call) => ({ sessionId, ...answer });
const args = [new Argument('[session]', SESSION_TEXT)];
const allOption = () => new Option('--all', 'the whole installation instead of a session');

/** The command `cancel`. */
export const cancel = command({
  name: 'cancel',
  options: [new ParameterOption('--reason <text>', 'why, for readers of the timeline').argParser(readReason)],
  json,
  help: CANCEL_HELP,
  publishes: true,
  route: CANCEL,
  toJson,
  print: ({ outcome, status }, { sessionId }) =>
    ({
      cancelled: `session ${sessionId} is cancelled`,
      question_cancelled: `the question that session ${sessionId} answered is cancelled`,
      already_ended: `session ${sessionId} had ended before: ${status}`,
    })[outcome],
});

/** The command `pause`. */
export const pause = plannedCommand({
  name: 'pause',
  args,
  options: [
    allOption(),
    byOption('who pauses it'),
    new Option('--for <duration>', 'with --all: until the pause ends, at most 24h (default: 30m)'),
    new Option('--wait', 'with --all: return when no iteration runs any more'),
  ],
  json,
  help: PAUSE_HELP,
  plan: ([session]: [string?], options: AllOptions & { for?: string; wait?: boolean }) =>
    isForAll(session, options) ? pauseAll(options) : request({ route: PAUSE, toJson, print: pausedText }),
});

/** The command `resume`. */
export const resume = plannedCommand({
  name: 'resume',
  args,
  options: [
    allOption(),
    byOption('who resumes it'),
    new Option('--force', 'with --all: also end the pause of a deployment that is being applied'),
  ],
  json,
  help: RESUME_HELP,
  publishes: true,
  plan: ([session]: [string?], { force, ...options }: AllOptions & { force?: boolean }) =>
    isForAll(session, options)
      ? request(
          { route: RESUME_ALL, send: () => ({ force }), print: ({ outcome }) => RESUMED[outcome] },
          { publishes: false },
        )
      : request({ route: RESUME, toJson, print: resumedText }),
});

/** The command `start-deferred`. */
export const startDeferred = command({
  name: 'start-deferred',
  json,
  help: START_HELP,
  publishes: true,
  route: START,
  toJson,
  print: ({ isPublished }, { sessionId }) =>
    `session ${sessionId} is started${isPublished ? '' : '; publishing to Pub/Sub failed, so the sweep starts it within minutes'}`,
});

interface AllOptions {
  all?: boolean;
}

/**
 * Whether the command is for the installation. @throws UsageError unless there is either a session or
 * `--all`.
 */
function isForAll(session: string | undefined, { all = false }: AllOptions): boolean {
  if (all !== (session === undefined))
    throw new UsageError(all ? 'give a session or --all, not both' : 'give a session, or --all');
  return all;
}

function pausedText({ outcome, paused }: Answer<typeof PAUSE>, { sessionId }: Call): string {
  return outcome === 'paused'
    ? `session ${sessionId} is paused; iterations that are under way finish`
    : `session ${sessionId} was paused before, by ${printableText(paused.by)} at ${paused.at}`;
}

function resumedText({ outcome, published }: Answer<typeof RESUME>, { sessionId }: Call): string {
  const agents = `; ${published} ${published === 1 ? 'agent goes' : 'agents go'} on`;
  if (outcome === 'resumed') return `session ${sessionId} is resumed${agents}`;
  return `session ${sessionId} was not paused${published > 0 ? agents : ''}`;
}

const RESUMED: Record<Answer<typeof RESUME_ALL>['outcome'], string> = {
  resuming: 'the installation is resumed by the next run of the sweep, within a minute',
  held: 'a deployment still needs the pause, which ends with it; if that deployment has died: inquest resume --all --force',
  not_paused: 'the installation was not paused',
};

/** Pauses the installation, or renews its pause, and prints the end of the pause. */
function pauseAll({ for: duration, wait }: { for?: string; wait?: boolean }): Work {
  const forMs = duration === undefined ? undefined : readDuration(duration);
  return request({
    route: PAUSE_ALL,
    send: () => ({ forMs }),
    async toJson(answer, call) {
      return { ...answer, ...(wait && (await untilDrained(call))) };
    },
    async print({ outcome, pause }, call) {
      if (wait) await untilDrained(call);
      const since = outcome === 'renewed' ? `, since ${pause.at} by ${printableText(pause.by)}` : '';
      return `the installation is paused until ${pause.until}${since}${wait ? '; no iteration runs' : ''}`;
    },
  });
}

/** Waits until no iteration runs. Reports how many run, for people. */
async function untilDrained({ api, signal, options }: Call): Promise<{ isDrained: true }> {
  await waitUntilDrained(() => api.get('/v1/system/drain'), {
    onRunning(running) {
      if (!options.json) write(`${running} ${running === 1 ? 'iteration runs' : 'iterations run'}`);
    },
    signal,
  });
  return { isDrained: true };
}

function readDuration(text: string): number {
  const read = parseDuration(text);
  if (!read.ok) throw new UsageError(`--for: ${read.message}`);
  return read.value;
}
