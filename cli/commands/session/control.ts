// `cancel`, `pause`, `resume` and `start-deferred`: change the state of a session.

import type { Command } from 'commander';
import { withApi } from '../../api/withApi.ts';
import {
  SESSION_TEXT,
  sessionCommand,
  type TenantOptions,
  tenantCommand,
} from '../../options/commandOptions.ts';
import { DATABASE_HELP, SYSTEM_HELP } from '../../options/project.ts';
import { MAX_REASON, readLine, readName } from '../../options/readLine.ts';
import { printableText, write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';
import { type PauseAllOptions, pauseAll, type ResumeAllOptions, resumeAll } from '../controlSystem.ts';

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
const JSON_OPTION = ['--json', 'print the outcome as a line of JSON'] as const;

interface AllOption {
  all?: boolean;
}

interface CancelOptions extends TenantOptions {
  reason?: string;
}

/** An answer of the API. Each outcome has some of the fields. */
interface Answer {
  outcome: string;
  /** The status of a session that had ended before. */
  status?: string | null;
  /** How many agents continue. */
  published?: number;
  paused?: { by: string; at: string };
  /** Whether Pub/Sub took the message. */
  isPublished?: boolean;
}

/** Adds the command `cancel` to the program. */
export function registerCancel(program: Command): void {
  sessionCommand(program, 'cancel')
    .option('--reason <text>', 'why, for readers of the timeline')
    .option(...JSON_OPTION)
    .addHelpText('after', `${CANCEL_HELP}${SYSTEM_HELP}`)
    .action((session: string, { reason, ...options }: CancelOptions) => {
      const body = reason === undefined ? {} : { reason: readLine('--reason', reason, MAX_REASON) };
      return changeSession(session, 'cancel', options, body);
    });
}

/** Adds the command `pause` to the program. */
export function registerPause(program: Command): void {
  sessionOrAllCommand(program, 'pause')
    .option('--by <name>', 'who pauses it (default: the user of this machine)')
    .option('--for <duration>', 'with --all: until the pause ends, at most 24h (default: 30m)')
    .option('--wait', 'with --all: return when no iteration runs any more')
    .option(...JSON_OPTION)
    .addHelpText('after', `${PAUSE_HELP}${DATABASE_HELP}`)
    .action((session: string | undefined, options: PauseAllOptions & AllOption) =>
      forSessionOrAll(
        session,
        options,
        (one) => changeSession(one, 'pause', options),
        () => pauseAll(options),
      ),
    );
}

/** Adds the command `resume` to the program. */
export function registerResume(program: Command): void {
  sessionOrAllCommand(program, 'resume')
    .option('--by <name>', 'who resumes it (default: the user of this machine)')
    .option('--force', 'with --all: also end the pause of a deployment that is being applied')
    .option(...JSON_OPTION)
    .addHelpText('after', `${RESUME_HELP}${SYSTEM_HELP}`)
    .action((session: string | undefined, options: ResumeAllOptions & AllOption) =>
      forSessionOrAll(
        session,
        options,
        (one) => changeSession(one, 'resume', options),
        () => resumeAll(options),
      ),
    );
}

/** Adds a command for one session, or with `--all` for the installation. */
function sessionOrAllCommand(program: Command, name: string): Command {
  return tenantCommand(program, name)
    .argument('[session]', SESSION_TEXT)
    .option('--all', 'the whole installation instead of a session');
}

/** Calls one of two actions. @throws UsageError unless there is either a session or `--all`. */
function forSessionOrAll(
  session: string | undefined,
  { all = false }: AllOption,
  ofSession: (session: string) => Promise<void>,
  ofAll: () => Promise<void>,
): Promise<void> {
  if (all && session === undefined) return ofAll();
  if (!all && session !== undefined) return ofSession(session);
  throw new UsageError(all ? 'give a session or --all, not both' : 'give a session, or --all');
}

/** Adds the command `start-deferred` to the program. */
export function registerStartDeferred(program: Command): void {
  sessionCommand(program, 'start-deferred')
    .option(...JSON_OPTION)
    .addHelpText('after', `${START_HELP}${SYSTEM_HELP}`)
    .action((session: string, options: TenantOptions) => changeSession(session, 'start', options));
}

/** Posts to the session's route of this name, and prints the outcome. */
async function changeSession(
  session: string,
  route: 'cancel' | 'pause' | 'resume' | 'start',
  options: TenantOptions,
  body: object = {},
): Promise<void> {
  const needs = { ...options, by: readName(options.by), publishes: route !== 'pause' };
  await withApi(needs, async (api) => {
    const sessionId = await api.findSession(session);
    const answer = await api.post<Answer>(`/v1/sessions/${sessionId}/${route}`, body);
    write(options.json ? JSON.stringify({ sessionId, ...answer }) : outcomeText(sessionId, answer));
  });
}

function outcomeText(sessionId: string, { outcome, status, published = 0, paused, ...rest }: Answer): string {
  const session = `session ${sessionId}`;
  const agents = `${published} ${published === 1 ? 'agent goes' : 'agents go'} on`;
  const lines: Record<string, string> = {
    cancelled: `${session} is cancelled`,
    question_cancelled: `the question that ${session} answered is cancelled`,
    already_ended: `${session} had ended before: ${status}`,
    paused: `${session} is paused; iterations that are under way finish`,
    already_paused: `${session} was paused before, by ${printableText(paused?.by ?? '')} at ${paused?.at}`,
    resumed: `${session} is resumed; ${agents}`,
    not_paused: `${session} was not paused${published > 0 ? `; ${agents}` : ''}`,
    started: `${session} is started${rest.isPublished ? '' : '; publishing to Pub/Sub failed, so the sweep starts it within minutes'}`,
  };
  return lines[outcome] ?? `${session}: ${outcome}`;
}
