// Ctrl-C and kill as an AbortSignal, so that all that runs is stopped in order; a second Ctrl-C ends the process at once.

/** Thrown by what a signal interrupted; the process then ends with the shell's code for it. */
export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') {
    super(`stopped by ${signal}`);
    this.exitCode = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }[signal];
  }
}

/** One Ctrl-C may arrive several times: from the terminal, from npm and from inquest.js, which pass their own on. */
const ECHO_MS = 500;

/** Aborted with `Interrupted` at the first signal. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  let first = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      const interrupted = new Interrupted(signal);
      if (!controller.signal.aborted) {
        first = performance.now();
        controller.abort(interrupted);
      } else if (performance.now() - first > ECHO_MS) {
        process.exit(interrupted.exitCode);
      }
    });
  }
  return controller.signal;
}
