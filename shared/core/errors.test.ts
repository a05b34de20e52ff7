import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES, errorMessage, InquestError, RetryableError, TerminalError } from './errors.ts';

describe('error codes', () => {
  // Documents, dashboards and alerts of users hold them: one may be added here, none may go or change.
  it('are these', () => {
    expect([...ERROR_CODES].sort()).toEqual([
      'ACCESS_DENIED',
      'ACTION_COPIED',
      'ALERT_EMPTY',
      'ALERT_INVALID',
      'ALERT_RESOLVED',
      'ALERT_TOO_LARGE',
      'ANSWER_COPIED',
      'ANSWER_FAILED',
      'API_BUSY',
      'APPROVAL_INVALID',
      'BUDGET_REACHED',
      'CANCELLED',
      'CASE_INVALID',
      'CHANGE_UNKNOWN',
      'CONFIG_INVALID',
      'CONFIG_UNKNOWN_AGENT',
      'CONFIG_UNKNOWN_CHAIN',
      'CONFIG_UNKNOWN_SERVER',
      'CONFIG_UNKNOWN_STRATEGY',
      'DEADLINE_EXCEEDED',
      'DELIVERY_EXHAUSTED',
      'DOCUMENT_INVALID',
      'DOCUMENT_TOO_LARGE',
      'ENCODING_UNSUPPORTED',
      'EXECUTION_BUSY',
      'EXECUTION_UNKNOWN',
      'EXECUTION_WAITING',
      'INTERNAL',
      'ITERATION_AHEAD',
      'ITERATION_TIMEOUT',
      'KEY_REUSED',
      'KEY_TAKEN',
      'LEASE_LOST',
      'LOGIN_REQUIRED',
      'MAX_ITERATIONS',
      'MESSAGE_MALFORMED',
      'MESSAGE_SCHEMA_UNKNOWN',
      'METHOD_NOT_ALLOWED',
      'MODEL_ANSWER_TOO_LARGE',
      'MODEL_BAD_REQUEST',
      'MODEL_BLOCKED',
      'MODEL_CREDENTIALS',
      'MODEL_EMPTY_ANSWER',
      'MODEL_MALFORMED_CALL',
      'MODEL_QUOTA',
      'MODEL_STREAM_CUT',
      'MODEL_TIMEOUT',
      'MODEL_TRUNCATED',
      'MODEL_UNAVAILABLE',
      'MODEL_UNKNOWN',
      'NOT_FOUND',
      'OUTPUT_INVALID',
      'PUBLISH_DENIED',
      'PUBLISH_FAILED',
      'PUBLISH_UNAUTHENTICATED',
      'QUOTA_REACHED',
      'RATE_LIMITED',
      'REQUEST_INVALID',
      'REQUEST_RUNNING',
      'REQUEST_TOO_LARGE',
      'REQUEST_TOO_SLOW',
      'SCHEMA_TOO_NEW',
      'SCHEMA_UNSUPPORTED',
      'SESSION_BUSY',
      'SESSION_STATE',
      'SESSION_UNKNOWN',
      'SIGNATURE_INVALID',
      'SOURCE_UNAVAILABLE',
      'STORE_CONFLICT',
      'STORE_DENIED',
      'STORE_UNAUTHENTICATED',
      'STORE_UNAVAILABLE',
      'TAINT_BLOCKED',
      'TOOL_SERVER_UNAVAILABLE',
    ]);
  });

  it('are unique', () => {
    expect(new Set(ERROR_CODES).size).toBe(ERROR_CODES.length);
  });

  it.each(ERROR_CODES)('%s is explained in docs/errors.md', (code) => {
    const docs = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
    expect(docs).toContain(`\`${code}\``);
  });
});

describe('the two families', () => {
  it('are distinguished by class, and carry code, cause and name', () => {
    const cause = new Error('socket closed');
    const terminal = new TerminalError('MODEL_BLOCKED', 'no', { cause });
    const retryable = new RetryableError('MODEL_UNAVAILABLE', 'later', { cause, retryAfterMs: 500 });
    expect(terminal).toMatchObject({ code: 'MODEL_BLOCKED', message: 'no', cause, name: 'TerminalError' });
    expect(retryable).toMatchObject({ code: 'MODEL_UNAVAILABLE', retryAfterMs: 500, name: 'RetryableError' });
    expect(terminal).toBeInstanceOf(InquestError);
    expect(terminal).not.toBeInstanceOf(RetryableError);
    expect(retryable).not.toBeInstanceOf(TerminalError);
  });
});

describe('errorMessage', () => {
  it.each([
    [new Error('x'), 'x'],
    ['text', 'text'],
    [undefined, 'undefined'],
    [7, '7'],
  ])('of %s', (thrown, text) => {
    expect(errorMessage(thrown)).toBe(text);
  });
});
