// `watch`: follows the timeline of a session until it ends.

import { setTimeout as sleep } from 'node:timers/promises';
import { Argument, Option } from 'commander';
import type { Session } from '../../../shared/core/schema/session.ts';
import type { ApiClient } from '../../api/apiClient.ts';
import { type Call, plannedCommand } from '../../api/command.ts';
import { jsonOption, SESSION_TEXT, type TenantOptions } from '../../options/commandOptions.ts';
import { beforeAbort, interruptSignal } from '../../process/interrupt.ts';
import { report, write } from '../../process/output.ts';

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

/** The command `watch`. */
export const watch = plannedCommand({
  name: 'watch',
  args: [new Argument('<session-or-check>', SESSION_TEXT)],
  options: [
    new Option('--from-now', 'skip events before now'),
    jsonOption('print the timeline as lines of JSON'),
  ],
  help: HELP,
  plan: ([argument]: [string], options: TenantOptions & { fromNow?: boolean }) => ({
    needs: { signal: interruptSignal() },
    run: (call) => watchSession(argument, options, call),
  }),
});

async function watchSession(
  argument: string,
  options: TenantOptions & { fromNow?: boolean },
  { api, signal }: Call,
): Promise<void> {
  // Loaded here, so that the help does not need it.
  const [{ followToEnd }, { readState }, { alertLines }, { printerFor }] = await Promise.all([
    import('../../alert/sendAlert.ts'),
    import('../../api/sessions.ts'),
    import('../../print/reports.ts'),
    import('../../print/printerFor.ts'),
  ]);
  const sessionId = await beforeAbort(findWatched(argument, api, signal), signal);
  const stopped = () => report('no longer watching; the investigation continues');
  signal.addEventListener('abort', stopped, { once: true });
  for (const line of alertLines(await beforeAbort(readState(api, sessionId), signal), new Date()))
    report(line);
  const printer = printerFor(options);
  const following = { api, printer, onProgress: report, signal, fromNow: options.fromNow === true };
  const { status, check } = await followToEnd(sessionId, following);
  if (check !== null) write(`check ${check.checkId}: ${check.result ?? status}`);
  process.exitCode = check?.result === 'attention' ? ATTENTION_EXIT : (EXIT_CODE_OF[status] ?? 1);
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
