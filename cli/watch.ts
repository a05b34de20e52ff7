// `watch`: the timeline of a session as it grows, until the session ends.

import type { Command } from 'commander';
import { getReadable } from '../shared/runtime/views/readable.ts';
import { alertCountsType, paths, sessionType } from '../shared/schema/documents.ts';
import type { Session } from '../shared/schema/session.ts';
import { type ApiOptions, servedApi, urlOption } from './api/apiClient.ts';
import { followToEnd } from './api/sending.ts';
import { hasColor } from './color.ts';
import { followSession } from './follow.ts';
import { beforeAbort, interruptSignal } from './interrupt.ts';
import { jsonPrinter, textPrinter } from './printer.ts';
import { checkDatabaseIsNamed, DATABASE_HELP } from './project.ts';
import { reportUnreadable } from './reportUnreadable.ts';
import { findSession, SESSION_ARGUMENT } from './session/findSession.ts';
import { alertLines } from './session/reports.ts';
import { withSessions } from './session/withSessions.ts';
import { commandFor, tenantOption } from './tenantOption.ts';

/** How a session ended, for programs. 1 is also what a command exits with that failed itself. */
const EXIT_CODE_OF: Partial<Record<Session['status'], number>> = {
  completed: 0,
  failed: 1,
  cancelled: 3,
  timed_out: 4,
  deferred: 5,
};

const HELP = `
It begins with what happened before, and connects again when the connection is lost. Ctrl-C ends the watching alone; the
investigation goes on.

Exit codes: 0 completed; 1 failed, or the watching did; 2 called wrongly; 3 cancelled; 4 timed out; 5 deferred, so that
nothing happens until it is started; 130 ended by Ctrl-C.
`;

/** Adds the command to the program. */
export function registerWatch(program: Command): void {
  program
    .command('watch')
    .description('print the timeline of a session as it grows, until the session ends')
    .argument('<session>', SESSION_ARGUMENT)
    .addOption(tenantOption())
    .addOption(urlOption())
    .option('--from-now', 'only what happens from now on')
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
  const api = servedApi(options);
  if (api !== undefined) {
    const { status } = await followToEnd(await api.findSession(argument), {
      api,
      printer,
      onProgress: report,
      signal,
      fromNow: options.fromNow === true,
    });
    process.exitCode = EXIT_CODE_OF[status] ?? 1;
    return;
  }
  checkDatabaseIsNamed(process.env);
  await withSessions({ tenant: options.tenant, signal }, async ({ sessions, store, where }) => {
    const sessionId = await beforeAbort(findSession(argument, sessions, where), signal);
    signal.addEventListener('abort', () => report('the watching ends; the investigation goes on'), {
      once: true,
    });
    const [opened, counts] = await beforeAbort(
      Promise.all([
        store.get(paths.session(sessionId), sessionType),
        getReadable(paths.alertCounts(sessionId), alertCountsType, store),
      ]),
      signal,
    );
    if (opened !== undefined) for (const line of alertLines(opened.value, counts.value)) report(line);
    const session = await followSession(store, sessionId, printer.event, signal, {
      fromNow: options.fromNow === true,
      onUnreadable: reportUnreadable,
      onLost: (error, retryMs) => report(`${error.message}; connecting again in ${retryMs / 1000} s`),
    });
    printer.end(session, `sessions/${sessionId} in ${where}`);
    process.exitCode = EXIT_CODE_OF[session.status] ?? 1;
  });
}
