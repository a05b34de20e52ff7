// The log of an engine whose program passes none.

import type { Logger } from '../core/contract/logger.ts';
import { readLogContext } from '../core/kernel/logContext.ts';

/**
 * A logger that writes warnings and errors as JSON lines, as Cloud Logging reads them.
 * @param maskLine takes secrets out of each line.
 * @param write gets each line. Default: standard output.
 */
export function createLineLogger(
  maskLine: (line: string) => string,
  write: (line: string) => unknown = (line) => process.stdout.write(line),
): Logger {
  const writer =
    (severity: 'WARNING' | 'ERROR') =>
    (first: object | string, message = String(first)): void => {
      const { err, ...fields }: { err?: unknown } = typeof first === 'string' ? {} : first;
      const error = err instanceof Error && {
        name: err.name,
        message: err.message,
        ...('code' in err && { code: err.code }),
      };
      const time = new Date().toISOString();
      const line = { severity, time, ...readLogContext(), ...fields, ...(error && { error }), message };
      write(`${maskLine(JSON.stringify(line))}\n`);
    };
  return { debug: () => {}, info: () => {}, warn: writer('WARNING'), error: writer('ERROR') };
}
