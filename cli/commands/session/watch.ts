// `watch`: follows the timeline of a session until it ends.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Session } from '../../../shared/schema/session.ts';
import { followToEnd } from '../../alert/sendAlert.ts';
import type { ApiClient } from '../../api/apiClient.ts';
import { readState } from '../../api/sessions.ts';
import { withApi } from '../../api/withApi.ts';
import { sessionCommand, type TenantOptions } from '../../options/commandOptions.ts';
import { DATABASE_HELP } from '../../options/project.ts';
import { alertLines } from '../../print/reports.ts';
import { beforeAbort, interruptSignal } from '../../process/interrupt.ts';
import { report, write } from '../../process/output.ts';
import { printerFor } from '../send.ts';

/** Exit codes by status. A command that fails itself also exits with 1. */
const EXIT_CODE_OF: Partial<Record<Session['status'], number>> = {
  completed: 0,
  failed: 1,
  cancelled: 3,
  timed_out: 4,
  deferred: 5,
};

/** Exit code of a check whose result is `attention`. */
const ATTENTION_EXIT = 6;
/** Between two looks at a check that has no session yet. */
const POLL_MS = 2_000;

const HELP = `
A session, or a check (inquest check, inquest schedules), which is waited for. Prints earlier events first, and reconnects when the connection is lost. Ctrl-C only stops watching; the investigation
continues.

Exit codes: 0 completed; 1 failed, or watching failed; 2 wrong usage; 3 cancelled; 4 timed out; 5 deferred until it is
started; 6 a check with the result attention; 130 interrupted by Ctrl-C.
`;

/** Adds the command to the program. */
export function registerWatch(program: Command): void {
  sessionCommand(program, 'watch')
    .option('--from-now', 'skip events before now')
    .option('--json', 'print the timeline as lines of JSON')
    .addHelpText('after', `${HELP}${DATABASE_HELP}`)
    .action(watchSession);
}

async function watchSession(argument: string, options: TenantOptions & { fromNow?: boolean }): Promise<void> {
  const signal = interruptSignal();
  const printer = printerFor(options);
  await withApi({ ...options, signal }, async (api) => {
    const sessionId = await beforeAbort(findWatched(argument, api, signal), signal);
    signal.addEventListener('abort', () => report('no longer watching; the investigation continues'), {
      once: true,
    });
    for (const line of alertLines(await beforeAbort(readState(api, sessionId), signal), new Date()))
      report(line);
    const following = { api, printer, onProgress: report, signal, fromNow: options.fromNow === true };
    const { status, check } = await followToEnd(sessionId, following);
    if (check !== null) write(`check ${check.checkId}: ${check.result ?? status}`);
    process.exitCode = check?.result === 'attention' ? ATTENTION_EXIT : (EXIT_CODE_OF[status] ?? 1);
  });
}

/** The session of an argument. A check's id has a dot: waits for its session. @throws Error: refused. */
async function findWatched(argument: string, api: ApiClient, signal: AbortSignal): Promise<string> {
  if (!argument.includes('.')) return api.findSession(argument);
  for (let isFirst = true; ; isFirst = false) {
    const check = await api.get('/v1/checks/{checkId}', { checkId: argument });
    if (check.sessionId !== null) return check.sessionId;
    if (check.state === 'refused') throw new Error(`check ${argument} was refused: ${check.reason}`);
    if (isFirst) report(`waits for check ${argument}, which starts at ${check.slot}`);
    await sleep(POLL_MS, undefined, { signal });
  }
}
