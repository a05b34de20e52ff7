import { describe, expect, it } from 'vitest';
import { langchainFailure } from './langchainErrors.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const failureOf = (properties: object, message = 'oops', streaming = false) =>
  langchainFailure(Object.assign(new Error(message), properties), {
    provider: 'anthropic',
    model: 'claude',
    streaming,
    secrets: ['hunter2-hunter2'],
    now: NOW,
  });

describe('a status', () => {
  it.each([
    ['OpenAI, Anthropic, Groq', { status: 429 }],
    ['Mistral, Cohere', { statusCode: 429 }],
    ['Ollama', { status_code: 429 }],
    ['axios', { response: { status: 429 } }],
    ['AWS', { $metadata: { httpStatusCode: 429 } }],
    ['an error that wraps another', { cause: Object.assign(new Error('inner'), { status: 429 }) }],
  ])('is found where %s puts it', (_, properties) => {
    expect(failureOf(properties)).toMatchObject({ kind: 'rate_limit', error: { code: 'MODEL_QUOTA' } });
  });

  it.each([408, 409, 500, 503, 529])('%i is worth another attempt', (status) => {
    expect(failureOf({ status }).kind).toBe('unavailable');
  });

  it.each([402])('%i means that credit ran out', (status) => {
    expect(failureOf({ status }).kind).toBe('quota');
  });
});

describe('the wait that is asked for', () => {
  it.each([
    ['seconds', { headers: new Headers({ 'retry-after': '2' }) }, 2_000],
    ['a plain object', { headers: { 'retry-after': '2.5' } }, 2_500],
    ['milliseconds', { headers: new Headers({ 'retry-after-ms': '300', 'retry-after': '9' }) }, 300],
    ['a date', { headers: { 'retry-after': 'Sat, 21 Nov 2026 12:00:05 GMT' } }, 5_000],
    ['a date gone by', { headers: { 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' } }, 0],
    ['the response', { response: { headers: { 'retry-after': '3' } } }, 3_000],
    ['nonsense', { headers: { 'retry-after': 'soon' } }, undefined],
  ])('is read from %s', (_, properties, retryAfterMs) => {
    expect(failureOf({ status: 429, ...properties }).error).toMatchObject({ retryAfterMs });
  });

  it('is read from the message when no header has it', () => {
    const message = 'Rate limit reached. Please try again in 1m2.5s. Visit the billing page.';
    expect(failureOf({ status: 429 }, message).error).toMatchObject({ retryAfterMs: 62_500 });
  });
});

describe('without a status', () => {
  it('a broken connection is worth another attempt', () => {
    const cause = Object.assign(new TypeError('fetch failed'), {
      cause: Object.assign(new Error(), { code: 'ENOTFOUND' }),
    });
    expect(failureOf({ cause }, 'Connection error.')).toMatchObject({
      kind: 'network',
      error: { message: expect.stringContaining('ENOTFOUND') },
    });
  });

  it('an error after the answer started is a cut stream', () => {
    expect(failureOf({}, 'oops', true).kind).toBe('cut');
  });

  it('a missing key is a matter of credentials', () => {
    expect(failureOf({}, 'Anthropic API key not found').kind).toBe('credentials');
  });

  it('anything else is a request that cannot be sent', () => {
    expect(failureOf({ code: 'ERR_INVALID_ARG_TYPE' }).kind).toBe('bad_request');
  });
});

describe('a message', () => {
  it.each(['wrong: hunter2-hunter2', 'wrong: sk-ant-abc***wxyz', 'wrong: Bearer hunter2-hunter2'])(
    'holds no secret of "%s"',
    (text) => {
      const { message } = failureOf({ status: 401 }, text).error;
      expect(message).not.toMatch(/hunter2|abc|wxyz/);
    },
  );

  it('loses LangChain’s link to its own documentation', () => {
    const { message } = failureOf(
      { status: 404 },
      '404 none\n\nTroubleshooting URL: https://example.com/\n',
    ).error;
    expect(message.endsWith('404 none')).toBe(true);
  });
});
