import { describe, expect, it } from 'vitest';
import { isOfDomain, needsKey } from '../core/contract/modelFacts.ts';
import { listKnownSecrets, maskKeys } from './credentials.ts';

describe('secrets', () => {
  it('are the values of variables named like one', () => {
    const env = {
      ANTHROPIC_API_KEY: 'aaaaaaaa',
      AWS_ACCESS_KEY_ID: 'bbbbbbbb',
      AWS_SECRET_ACCESS_KEY: 'cccccccc',
      HF_TOKEN: 'dddddddd',
      PATH: '/usr/local/bin',
      SHORT_KEY: 'abc',
      UNSET_KEY: undefined,
    };
    expect(listKnownSecrets(env)).toEqual(['aaaaaaaa', 'bbbbbbbb', 'cccccccc', 'dddddddd']);
  });

  it.each([
    'https://x/v1?key=AbC-123&alt=sse',
    `Bad key AIza${'x'.repeat(35)}`,
    'Authorization: Bearer abc.def',
    'token ya29.a0AbC_d-e',
  ])('are removed from %s', (text) => {
    expect(maskKeys(text)).not.toMatch(/AbC|AIza|abc\.def/);
  });

  it('that are known are removed wherever they stand', () => {
    expect(maskKeys('s3cret and s3cret', ['', 's3cret'])).toBe('[masked:known] and [masked:known]');
  });
});

describe('a domain', () => {
  it.each([
    ['https://openai.com', true],
    ['https://eu.api.openai.com/v1', true],
    ['https://notopenai.com', false],
    ['https://openai.com.example.com', false],
    ['no address', false],
  ])('has %s below it: %s', (url, expected) => {
    expect(isOfDomain(url, 'openai.com')).toBe(expected);
  });
});

it.each([
  ['openai', undefined, true],
  ['openai', 'https://eu.api.openai.com/v1', true],
  ['openai', 'http://localhost:4000/openai.com/v1', false],
  ['anthropic', 'http://localhost:4000', true],
  ['ollama', undefined, false],
])('%s at %s needs its key or does not: %s', (provider, url, needs) => {
  expect(needsKey(provider, { OPENAI_BASE_URL: url })).toBe(needs);
});
