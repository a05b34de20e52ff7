import { describe, expect, it } from 'vitest';
import { RetryableError, TerminalError } from '../../core/errors.ts';
import { geminiFailure } from './errors.ts';

/** The SDK's ApiError: the body as JSON in the message, the HTTP status beside it. */
function apiError(status: number, body: unknown, prefix = ''): Error {
  return Object.assign(new Error(prefix + JSON.stringify(body)), { name: 'ApiError', status });
}
const body = (code: number, message: string, details: unknown[] = []) => ({
  error: { code, message, status: 'X', details },
});
const failed = (thrown: unknown, streaming = false) =>
  geminiFailure(thrown, { model: 'models/gemini-3.8-flash', streaming, secrets: ['s3cret'] });
const RETRY_INFO = 'type.googleapis.com/google.rpc.RetryInfo';
const quotaFailure = (quotaId: string) => ({
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: [{ quotaId }],
});

describe('status codes', () => {
  it.each([
    [400, 'bad_request', 'MODEL_BAD_REQUEST'],
    [401, 'credentials', 'MODEL_CREDENTIALS'],
    [402, 'quota', 'MODEL_QUOTA'],
    [403, 'credentials', 'MODEL_CREDENTIALS'],
    [404, 'unknown_model', 'MODEL_UNKNOWN'],
    [413, 'bad_request', 'MODEL_BAD_REQUEST'],
  ])('%i is terminal: %s', (status, kind, code) => {
    const failure = failed(apiError(status, body(status, 'no')));
    expect(failure).toMatchObject({ kind, error: { code } });
    expect(failure.error).toBeInstanceOf(TerminalError);
  });

  it.each([
    [408, 'unavailable', 'MODEL_UNAVAILABLE'],
    [429, 'rate_limit', 'MODEL_QUOTA'],
    [499, 'cut', 'MODEL_STREAM_CUT'],
    [500, 'unavailable', 'MODEL_UNAVAILABLE'],
    [502, 'unavailable', 'MODEL_UNAVAILABLE'],
    [503, 'unavailable', 'MODEL_UNAVAILABLE'],
    [504, 'unavailable', 'MODEL_UNAVAILABLE'],
  ])('%i can be temporary: %s', (status, kind, code) => {
    const failure = failed(apiError(status, body(status, 'no')));
    expect(failure).toMatchObject({ kind, error: { code } });
    expect(failure.error).toBeInstanceOf(RetryableError);
  });

  it('an unknown model is named', () => {
    expect(failed(apiError(404, body(404, 'not found'))).error.message).toContain('"gemini-3.8-flash"');
  });

  it('an invalid key comes as 400 and is a matter of credentials', () => {
    const invalid = body(400, 'API key not valid.', [{ reason: 'API_KEY_INVALID' }]);
    expect(failed(apiError(400, invalid)).kind).toBe('credentials');
  });

  it.each([
    'Function call `a` in the `3.` content block is missing a `thought_signature`',
    'Invalid/Corrupted thought signature.',
  ])('%s has its own error, because it can be repaired', (message) => {
    expect(failed(apiError(400, body(400, message))).kind).toBe('signature');
  });
});

describe('bodies', () => {
  it.each([
    ['an object', apiError(503, body(503, 'overloaded'))],
    ['a list of one', apiError(503, [body(503, 'overloaded')])],
    ['a frame of the stream', apiError(503, body(503, 'overloaded'), 'got status: UNAVAILABLE. ')],
    ['wrapped once more', apiError(503, body(503, JSON.stringify(body(503, 'overloaded'))))],
  ])('%s', (_, error) => {
    expect(failed(error).error.message).toBe('Gemini is unavailable (503): overloaded');
  });

  it('a body that is no JSON is quoted, within limits', () => {
    const message = failed(Object.assign(new Error(`<html>${'x'.repeat(9_000)}`), { status: 502 })).error
      .message;
    expect(message).toContain('<html>');
    expect(message.length).toBeLessThan(700);
  });
});

describe('quotas', () => {
  const limited = (message: string, ...details: unknown[]) =>
    failed(apiError(429, body(429, message, details)));

  it.each([
    ['Please retry in 48.939935699s.', '48s', 48_940],
    ['Please retry in 1s.', '48s', 48_000],
    ['Slow down.', '34.4s', 34_400],
    ['Please retry in 1m2.5s.', undefined, 62_500],
    ['Please retry in 250ms.', undefined, 250],
    ['Slow down.', { seconds: '3', nanos: 500_000_000 }, 3_500],
    ['Slow down.', { seconds: -3 }, undefined],
    ['Slow down.', { seconds: 'soon' }, undefined],
    ['Slow down.', undefined, undefined],
  ])('%j with RetryInfo %j waits %s ms', (message, retryDelay, expected) => {
    const failure = limited(message, { '@type': RETRY_INFO, retryDelay });
    expect(failure.error instanceof RetryableError && failure.error.retryAfterMs).toBe(expected);
  });

  it('a limit per minute is worth waiting for', () => {
    const failure = limited('no', quotaFailure('GenerateRequestsPerMinutePerProjectPerModel-FreeTier'));
    expect(failure.kind).toBe('rate_limit');
  });

  it('a limit per day is terminal, whatever RetryInfo contains', () => {
    const daily = quotaFailure('GenerateRequestsPerDayPerProjectPerModel-FreeTier');
    const failure = limited('no', daily, { '@type': RETRY_INFO, retryDelay: '1s' });
    expect(failure).toMatchObject({ kind: 'quota', error: { code: 'MODEL_QUOTA' } });
    expect(failure.error).toBeInstanceOf(TerminalError);
  });

  it.each([
    ['above', 30_000_000, '1000000', TerminalError],
    ['below', 1_000_000, '1000000', RetryableError],
    ['of unknown size beside', 30_000_000, undefined, RetryableError],
  ])('a prompt %s the limit of input tokens per minute: %i bytes, limit %s', (_, bytes, quotaValue, type) => {
    const quotaId = 'GenerateContentPaidTierInputTokensPerModelPerMinute';
    const violations = [{ quotaId, ...(quotaValue !== undefined && { quotaValue }) }];
    const details = [{ '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations }];
    const thrown = apiError(429, body(429, 'Quota exceeded', details));
    const { error } = geminiFailure(thrown, { model: 'm', streaming: false, requestBytes: bytes });
    expect(error).toBeInstanceOf(type);
    expect(error.code).toBe('MODEL_QUOTA');
  });
});

describe('connections', () => {
  const refused = new TypeError('fetch failed', {
    cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
  });
  const socket = new TypeError('terminated', {
    cause: Object.assign(new Error('x'), { code: 'UND_ERR_SOCKET' }),
  });

  it('a refused connection is named', () => {
    expect(failed(refused)).toMatchObject({ kind: 'network', error: { code: 'MODEL_UNAVAILABLE' } });
    expect(failed(refused).error.message).toContain('ECONNREFUSED');
  });

  it.each([
    ['a broken socket', socket],
    ['half a frame', new Error('Incomplete JSON segment at the end')],
    ['a frame that is no JSON', new SyntaxError('Unexpected token')],
    ['an abort that was not ours', new DOMException('This operation was aborted', 'AbortError')],
  ])('%s within the stream is a cut', (_, error) => {
    expect(failed(error, true)).toMatchObject({ kind: 'cut', error: { code: 'MODEL_STREAM_CUT' } });
  });

  it('an error of the SDK before it sends anything is a bad request', () => {
    const error = new Error('toolCall parameter is only supported in Gemini Developer API mode');
    expect(failed(error)).toMatchObject({ kind: 'bad_request', error: { code: 'MODEL_BAD_REQUEST' } });
  });

  it('missing default credentials of Vertex AI are a matter of credentials', () => {
    expect(failed(new Error('Could not load the default credentials.')).kind).toBe('credentials');
  });

  it.each([undefined, null, 'text', 7])('a thrown %j is an error too', (thrown) => {
    expect(failed(thrown).error).toBeInstanceOf(TerminalError);
  });
});

describe('secrets', () => {
  it('that are known are removed from message and cause', () => {
    const { error } = failed(apiError(400, body(400, 'key s3cret is odd')));
    expect(error.message).toContain('key [masked:known] is odd');
    expect(error.cause).toBeUndefined();
  });
});
