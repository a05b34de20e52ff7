// Structured logs in the form Cloud Logging reads: severity, message, trace and labels as fields of one JSON line.

import pino from 'pino';

/** A structured logger. */
export type Logger = pino.Logger;

const SEVERITY: Record<string, string> = {
  trace: 'DEBUG',
  debug: 'DEBUG',
  info: 'INFO',
  warn: 'WARNING',
  error: 'ERROR',
  fatal: 'CRITICAL',
};

/**
 * A logger that writes to standard output. `LOG_LEVEL` (default `info`) sets the level.
 * Callers log alert bodies, tool output and model text at `debug` only, and credentials never.
 */
export function createLogger(env: NodeJS.ProcessEnv): Logger {
  const projectId = env.GOOGLE_CLOUD_PROJECT;
  return pino({
    level: env.LOG_LEVEL ?? 'info',
    messageKey: 'message',
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
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
  });
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
