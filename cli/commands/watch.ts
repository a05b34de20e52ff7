// `watch`: follows the timeline of a session until it ends.

import type { Command } from 'commander';
import type { Session } from '../../shared/schema/session.ts';
import { type ApiOptions, SESSION_ARGUMENT, urlOption } from '../api/apiClient.ts';
import { followToEnd } from '../api/sending.ts';
import { readState } from '../api/sessions.ts';
import { withApi } from '../api/withApi.ts';
import { DATABASE_HELP } from '../options/project.ts';
import { tenantOption } from '../options/tenantOption.ts';
import { commandFor } from '../print/commandFor.ts';
import { jsonPrinter, textPrinter } from '../print/printer.ts';
import { alertLines } from '../print/reports.ts';
import { hasColor } from '../process/color.ts';
import { beforeAbort, interruptSignal } from '../process/interrupt.ts';

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
  program
    .command('watch')
    .argument('<session>', SESSION_ARGUMENT)
    .addOption(tenantOption())
    .addOption(urlOption())
    .option('--from-now', 'skip events before now')
    .option('--json', 'print the timeline as lines of JSON')
    .addHelpText('after', `${HELP}${DATABASE_HELP}`)
    .action(watch);
}

async function watch(
  argument: string,
  options: ApiOptions & { tenant: string; fromNow?: boolean; json?: boolean },
): Promise<void> {
  const signal = interruptSignal();
  const write = (line: string) => void process.stdout.write(`${line}\n`);
  const report = (line: string) => void process.stderr.write(`${line}\n`);
  const printer = options.json
    ? jsonPrinter(write)
    : textPrinter(write, hasColor(process.stdout, process.env), commandFor(options.tenant));
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
