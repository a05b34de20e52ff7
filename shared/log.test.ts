import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { RetryableError } from './core/errors.ts';
import { addLogContext, withLogContext } from './core/kernel/logContext.ts';
import { type CloudLogger, createLogger } from './log.ts';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** The line that `log` writes to standard output; undefined when there is none. */
function lineOf(
  log: (logger: CloudLogger) => void,
  env: NodeJS.ProcessEnv = {},
): Record<string, unknown> | undefined {
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    lines.push(String(chunk));
    return true;
  });
  onTestFinished(() => write.mockRestore());
  log(createLogger({ GOOGLE_CLOUD_PROJECT: 'shop', ...env }));
  write.mockRestore();
  expect(lines.length).toBeLessThanOrEqual(1);
  return lines[0] === undefined ? undefined : (JSON.parse(lines[0]) as Record<string, unknown>);
}

describe('a log line', () => {
  it.each([
    ['debug', 'DEBUG'],
    ['info', 'INFO'],
    ['warn', 'WARNING'],
    ['error', 'ERROR'],
    ['fatal', 'CRITICAL'],
  ] as const)('of %s has the severity %s, the message and the time', (level, severity) => {
    expect(lineOf((log) => log[level]({ code: 'X' }, 'hello'), { LOG_LEVEL: 'debug' })).toEqual({
      severity,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      code: 'X',
      message: 'hello',
    });
  });

  it('is written from info on, or from LOG_LEVEL on', () => {
    expect(lineOf((log) => log.debug('x'))).toBeUndefined();
    expect(lineOf((log) => log.info('x'))).toBeDefined();
    expect(lineOf((log) => log.info('x'), { LOG_LEVEL: 'warn' })).toBeUndefined();
  });

  it('carries the trace and the span in the fields Cloud Logging knows', () => {
    const line = lineOf((log) => log.info({ traceparent: TRACE }, 'x'));
    expect(line).toMatchObject({
      'logging.googleapis.com/trace': 'projects/shop/traces/0af7651916cd43dd8448eb211c80319c',
      'logging.googleapis.com/spanId': 'b7ad6b7169203331',
    });
    expect(line).not.toHaveProperty('traceparent');
  });

  it.each(['', 'x', null, `${TRACE}-more`])('has no trace when it is %j', (traceparent) => {
    const line = lineOf((log) => log.info({ traceparent }, 'x')) ?? {};
    expect(Object.keys(line)).toEqual(['severity', 'time', 'message']);
  });

  it('has the fields of the context it is written in, whichever module writes it', () => {
    const line = lineOf((log) =>
      withLogContext({ traceparent: TRACE }, () => {
        addLogContext({ sessionId: 's', iteration: 3 });
        log.info({ code: 'X' }, 'hello');
      }),
    );
    expect(line).toMatchObject({
      'logging.googleapis.com/trace': 'projects/shop/traces/0af7651916cd43dd8448eb211c80319c',
      'logging.googleapis.com/labels': { sessionId: 's' },
      iteration: 3,
      code: 'X',
    });
  });

  it('can be had as text, at any level', () => {
    const log = createLogger({ LOG_LEVEL: 'silent' });
    const line = log.format('debug', { code: 'X' }, 'two\nlines');
    expect(line).not.toContain('\n');
    expect(JSON.parse(line)).toMatchObject({ severity: 'DEBUG', code: 'X', message: 'two\nlines' });
  });

  it('has session and execution as labels', () => {
    expect(lineOf((log) => log.info({ sessionId: 's', executionId: 'e', iteration: 3 }, 'x'))).toMatchObject({
      'logging.googleapis.com/labels': { sessionId: 's', executionId: 'e' },
      iteration: 3,
    });
  });

  it('logs the code and the cause of an error, without a stack', () => {
    const err = new RetryableError('STORE_UNAVAILABLE', 'no answer', {
      cause: new TypeError('socket closed'),
    });
    const line = lineOf((log) => log.warn({ err }, 'x'));
    expect(line?.error).toEqual({
      name: 'RetryableError',
      message: 'no answer',
      code: 'STORE_UNAVAILABLE',
      cause: 'TypeError: socket closed',
    });
    expect(line).not.toHaveProperty('err');
  });

  it('stays one line, whatever the message holds', () => {
    expect(lineOf((log) => log.info('a\nb\u001b[31m'))?.message).toBe('a\nb\u001b[31m');
  });
});
