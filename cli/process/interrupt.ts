// Turns Ctrl-C and kill into an AbortSignal for an orderly stop. A second Ctrl-C ends the process at once.

/** The reason of an interrupted operation. The process exits with the signal's code, even if caught. */
export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') {
    super(`stopped by ${signal}`);
    this.exitCode = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }[signal];
  }
}

/** One Ctrl-C can arrive several times: from the terminal, and forwarded by npm and inquest.js. */
const ECHO_MS = 500;

/**
 * Time limit of the orderly stop of a local system. After it the process exits; the guards
 * (local/processes/processGuard.ts) kill the remaining processes 2 s after they were asked to end them.
 */
export const STOP_DEADLINE_MS = 3_000;

/** How often a process that npx started checks whether its parent still runs. */
const PARENT_CHECK_MS = 500;

/** Read before the modules of the command are loaded, because the parent can exit meanwhile. */
const PARENT = process.ppid;

/**
 * Aborted with `Interrupted` at the first signal; a second one ends the process at once.
 * Under npx the signal also aborts when the parent exits: a SIGTERM to npx ends only the shell between npx
 * and this process.
 * @param options.deadlineMs the process exits this long after the first signal. Default: no limit.
 */
export function interruptSignal({ deadlineMs }: { deadlineMs?: number } = {}): AbortSignal {
  const controller = new AbortController();
  let first = 0;
  const interrupt = (interrupted: Interrupted) => {
    if (!controller.signal.aborted) {
      first = performance.now();
      // Also when the command ends normally in the meantime.
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
    // Replaces the listener of inquest.js, which ends the process at once. The new one is added first: Node
    // closes the handle of a signal without a listener, and drops a signal that arrived while modules were
    // loaded.
    const earlier = process.listeners(signal);
    process.on(signal, () => interrupt(new Interrupted(signal)));
    for (const listener of earlier) process.off(signal, listener);
  }
  if (process.env.npm_command === 'exec') {
    const timer = setInterval(() => {
      if (process.ppid === PARENT) return;
      clearInterval(timer);
      // Ctrl-C also ends the shell; that is no second interrupt.
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

/** The result of `work`. Throws the signal's reason on abort; the work itself continues. */
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
