// Ctrl-C and kill as an AbortSignal, so that all that runs is stopped in order; a second Ctrl-C ends the process at once.

/** Thrown by what a signal interrupted; the process ends with the shell's code for it, whatever catches this. */
export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') {
    super(`stopped by ${signal}`);
    this.exitCode = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }[signal];
  }
}

/** One Ctrl-C may arrive several times: from the terminal, from npm and from inquest.js, which pass their own on. */
const ECHO_MS = 500;

/**
 * How long orderly ending of what runs on this machine may take. Then the process ends without it: the guards (local/processes/guard.ts) kill what is left 2 s
 * after they were asked to end it.
 */
export const STOP_DEADLINE_MS = 3_000;

/** How often a process that npx started looks whether its parent is still there. */
const PARENT_CHECK_MS = 500;

/** Read before the modules of the command are loaded: the parent can end meanwhile. */
const PARENT = process.ppid;

/**
 * Aborted with `Interrupted` at the first signal; a second one ends the process at once.
 * Under npx also when the parent dies: a SIGTERM to npx ends only the shell between npx and this process.
 * @param options.deadlineMs when the process ends in any case after the first signal. Default: when its work has stopped.
 */
export function interruptSignal({ deadlineMs }: { deadlineMs?: number } = {}): AbortSignal {
  const controller = new AbortController();
  let first = 0;
  const interrupt = (interrupted: Interrupted) => {
    if (!controller.signal.aborted) {
      first = performance.now();
      // Whatever was on its way to an end of its own.
      process.once('exit', () => {
        process.exitCode = interrupted.exitCode;
      });
      if (deadlineMs !== undefined) setTimeout(() => process.exit(), deadlineMs).unref();
      controller.abort(interrupted);
    } else if (performance.now() - first > ECHO_MS) {
      process.exit(interrupted.exitCode);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // Replaces the listener of inquest.js, which ends the process at once. The new one comes first: Node closes the handle of
    // a signal that has no listener, and drops a signal that came while modules were loaded.
    const earlier = process.listeners(signal);
    process.on(signal, () => interrupt(new Interrupted(signal)));
    for (const listener of earlier) process.off(signal, listener);
  }
  if (process.env.npm_command === 'exec') {
    const timer = setInterval(() => {
      if (process.ppid === PARENT) return;
      clearInterval(timer);
      // After Ctrl-C the shell dies, too; that is no second request.
      if (!controller.signal.aborted) interrupt(new Interrupted('SIGTERM'));
    }, PARENT_CHECK_MS).unref();
  }
  return controller.signal;
}

/** Waits until a signal aborts, and throws its reason. */
export async function untilAborted(signal: AbortSignal): Promise<never> {
  await beforeAbort(new Promise(() => {}), signal);
  throw signal.reason;
}

/** What `work` gives; throws the signal's reason when it aborts first. The work itself goes on then. */
export async function beforeAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
