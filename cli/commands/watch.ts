// `watch`: follows the timeline of a session until it ends.

import type { Command } from 'commander';
import type { Session } from '../../shared/schema/session.ts';
import { followToEnd } from '../alert/sending.ts';
import { readState } from '../api/sessions.ts';
import { withApi } from '../api/withApi.ts';
import { sessionCommand, type TenantOptions } from '../options/commandOptions.ts';
import { DATABASE_HELP } from '../options/project.ts';
import { alertLines } from '../print/reports.ts';
import { beforeAbort, interruptSignal } from '../process/interrupt.ts';
import { report } from '../process/output.ts';
import { printerFor } from './send.ts';

/** Exit codes by status. A command that fails itself also exits with 1. */
const EXIT_CODE_OF: Partial<Record<Session['status'], number>> = {
  completed: 0,
  failed: 1,
  cancelled: 3,
  timed_out: 4,
  deferred: 5,
};

const HELP = `
Prints earlier events first, and reconnects when the connection is lost. Ctrl-C only stops watching; the investigation
continues.

Exit codes: 0 completed; 1 failed, or watching failed; 2 wrong usage; 3 cancelled; 4 timed out; 5 deferred until it is
started; 130 interrupted by Ctrl-C.
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
    const sessionId = await beforeAbort(api.findSession(argument), signal);
    signal.addEventListener('abort', () => report('no longer watching; the investigation continues'), {
      once: true,
    });
    for (const line of alertLines(await beforeAbort(readState(api, sessionId), signal))) report(line);
    const following = { api, printer, onProgress: report, signal, fromNow: options.fromNow === true };
    const { status } = await followToEnd(sessionId, following);
    process.exitCode = EXIT_CODE_OF[status] ?? 1;
  });
}
