// Structured logs as Cloud Logging reads them: severity, message, trace and labels as fields of a JSON line.

import pino from 'pino';
import { readLogContext } from './core/kernel/logContext.ts';

/** A logger of Cloud Logging. */
export interface CloudLogger extends pino.Logger {
  /** The line that this logger would write, at any level, without a line break at its end. */
  format(level: pino.Level, fields: object, message: string): string;
}

const SEVERITY: Record<string, string> = {
  trace: 'DEBUG',
  debug: 'DEBUG',
  info: 'INFO',
  warn: 'WARNING',
  error: 'ERROR',
  fatal: 'CRITICAL',
};

/**
 * A logger. `LOG_LEVEL` (default `info`) sets the level.
 * Callers log alert bodies, tool output and model text at `debug` only, and credentials never.
 * @param destination gets each line. Default: standard output.
 * @param maskLine takes secrets out of each line.
 */
export function createLogger(
  env: NodeJS.ProcessEnv,
  destination?: pino.DestinationStream,
  maskLine?: (line: string) => string,
): CloudLogger {
  const options = {
    ...pinoOptions(env.GOOGLE_CLOUD_PROJECT),
    ...(maskLine && { hooks: { streamWrite: maskLine } }),
  };
  let formatted = '';
  const formatter = pino({ ...options, level: 'trace' }, { write: (line) => (formatted = line) });
  const levelled = { ...options, level: env.LOG_LEVEL ?? 'info' };
  return Object.assign(destination === undefined ? pino(levelled) : pino(levelled, destination), {
    format(level: pino.Level, fields: object, message: string): string {
      formatter[level](fields, message);
      return formatted.trimEnd();
    },
  });
}

function pinoOptions(projectId: string | undefined): pino.LoggerOptions {
  return {
    messageKey: 'message',
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    mixin: readLogContext,
    formatters: {
      level: (label) => ({ severity: SEVERITY[label] ?? 'DEFAULT' }),
      log: ({ traceparent, sessionId, executionId, err, ...rest }) => ({
        ...rest,
        ...(typeof traceparent === 'string' && traceFields(traceparent, projectId)),
        ...((sessionId !== undefined || executionId !== undefined) && {
          'logging.googleapis.com/labels': { sessionId, executionId },
        }),
        ...(err instanceof Error && { error: describeError(err) }),
      }),
    },
    serializers: { err: (error: unknown) => error },
  };
}

/** Cloud Logging's trace fields for a W3C `traceparent`; nothing when it is malformed. */
function traceFields(traceparent: string, projectId: string | undefined): Record<string, unknown> {
  const match = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(traceparent);
  if (match === null) return {};
  return {
    'logging.googleapis.com/trace': `projects/${projectId ?? '-'}/traces/${match[1]}`,
    'logging.googleapis.com/spanId': match[2],
  };
}

function describeError(error: Error): Record<string, unknown> {
  return {
    name: error.name,
    message: error.message,
    ...('code' in error && { code: error.code }),
    ...(error.cause instanceof Error && { cause: `${error.cause.name}: ${error.cause.message}` }),
  };
}
