import { expect, it } from 'vitest';
import { RetryableError } from '../core/errors.ts';
import { withLogContext } from '../core/kernel/logContext.ts';
import { createGuards } from '../masking/guards.ts';
import { lineMasker } from '../masking/lineMasker.ts';
import { createLineLogger } from './lineLogger.ts';

it('writes warnings and errors as lines of JSON, without secrets', () => {
  const lines: string[] = [];
  const mask = lineMasker(createGuards({ known: ['hunter-22-hunter'] }));
  const log = createLineLogger(mask, (line) => lines.push(line));
  log.debug('a');
  log.info({ b: 1 }, 'b');
  withLogContext({ sessionId: 's' }, () =>
    log.warn({ err: new RetryableError('STORE_UNAVAILABLE', 'hunter-22-hunter') }, 'two\nlines'),
  );
  log.error('over');
  expect(lines.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      severity: 'WARNING',
      time: expect.any(String),
      sessionId: 's',
      error: {
        name: 'RetryableError',
        message: expect.stringMatching(/^\[masked:/),
        code: 'STORE_UNAVAILABLE',
      },
      message: 'two\nlines',
    },
    { severity: 'ERROR', time: expect.any(String), message: 'over' },
  ]);
});
