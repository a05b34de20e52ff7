import { describe, expect, it } from 'vitest';
import { RetryableError, TerminalError } from '../core/errors.ts';
import { type FailureKind, modelFailure, quoteProvider } from './failures.ts';

const TERMINAL: [FailureKind, string][] = [
  ['bad_request', 'MODEL_BAD_REQUEST'],
  ['signature', 'MODEL_BAD_REQUEST'],
  ['configuration', 'CONFIG_INVALID'],
  ['credentials', 'MODEL_CREDENTIALS'],
  ['unknown_model', 'MODEL_UNKNOWN'],
  ['quota', 'MODEL_QUOTA'],
  ['blocked', 'MODEL_BLOCKED'],
  ['refused', 'MODEL_BLOCKED'],
];
const RETRYABLE: [FailureKind, string][] = [
  ['rate_limit', 'MODEL_QUOTA'],
  ['unavailable', 'MODEL_UNAVAILABLE'],
  ['network', 'MODEL_UNAVAILABLE'],
  ['cut', 'MODEL_STREAM_CUT'],
  ['empty', 'MODEL_EMPTY_ANSWER'],
  ['media_only', 'MODEL_EMPTY_ANSWER'],
  ['max_tokens', 'MODEL_TRUNCATED'],
  ['malformed_call', 'MODEL_MALFORMED_CALL'],
  ['unexpected_tool_call', 'MODEL_MALFORMED_CALL'],
];

describe('a failure', () => {
  it.each(TERMINAL)('%s is terminal: %s', (kind, code) => {
    const cause = new Error('original');
    const { error } = modelFailure(kind, 'no', { cause, retryAfterMs: 5 });
    expect(error).toBeInstanceOf(TerminalError);
    expect(error).toMatchObject({ code, message: 'no', cause });
    expect(error).not.toHaveProperty('retryAfterMs');
  });

  it.each(RETRYABLE)('%s can be temporary: %s', (kind, code) => {
    const cause = new Error('original');
    const { error } = modelFailure(kind, 'no', { cause, retryAfterMs: 5 });
    expect(error).toBeInstanceOf(RetryableError);
    expect(error).toMatchObject({ code, message: 'no', cause, retryAfterMs: 5 });
  });

  it('has no cause where there is none to show', () => {
    expect(modelFailure('quota', 'no').error).not.toHaveProperty('cause');
  });

  it('quotes 500 characters of a provider at most', () => {
    expect(quoteProvider('x'.repeat(500))).toBe('x'.repeat(500));
    expect(quoteProvider('x'.repeat(501))).toBe(`${'x'.repeat(500)}…`);
    expect(quoteProvider(`${'x'.repeat(470)} key ghp_${'a1B2'.repeat(9)}`)).toBe(`${'x'.repeat(470)} key …`);
  });
});
