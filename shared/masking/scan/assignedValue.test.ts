import { describe, expect, it } from 'vitest';
import { createMasker } from '../masker.ts';

const masker = createMasker({});
const VALUE = /sunshine|correct[- ]horse[- ]battery|my-\w+-\w+|\d{4,8}(?!-)|abcdef|winter2024/;
const hideMarks = (text: string) => text.replaceAll(/\[masked:[a-z-]+\]/g, '*');

describe('a value that looks like a name, a word or a number is a secret', () => {
  it.each([
    'client_secret=sunshine',
    'client_secret: correct-horse-battery',
    '"client_secret": "my-secret-value"',
    'client_secret=1234',
    'clientSecret: sunshine',
    '<client_secret>sunshine</client_secret>',
    '{\\"client_secret\\":\\"sunshine\\"}',
    '--client-secret sunshine',
    'app.oauth.client-secret=sunshine',
    'webhook_secret = sunshine',
    'jwt_secret: "sunshine"',
    'access_token: 12345678',
    '"access_token":"abcdef"',
    'refresh_token=winter2024',
    'auth-token: sunshine',
    'X-Auth-Token: sunshine',
    '- name: API_TOKEN\n  value: sunshine',
    'token=sunshine',
    'token: 83921048',
    '"token": "my-token-name"',
    'TOKEN=sunshine',
    '--token=sunshine',
    'https://shop.example.com/in?token=sunshine&page=1',
    'level=info msg=x token=sunshine user=ada',
    '2026-11-22T10:00:00Z INFO token: sunshine',
    'Access token: sunshine',
    '{Name:shop Token:sunshine Retries:3}',
    'api_key=sunshine',
    '"apiKey": "sunshine"',
    'secret_key: sunshine',
  ])('%s', (text) => {
    expect(hideMarks(masker.mask(text).text)).toBe(text.replace(VALUE, '*'));
  });

  it.each(['client_secret: correct horse battery', '"session_secret": "correct horse battery"'])(
    'with all its words: %s',
    (text) => {
      expect(hideMarks(masker.mask(text).text)).toBe(text.replace(VALUE, '*'));
    },
  );

  it.each([
    [{ client_secret: 'sunshine' }, 1],
    [{ access_token: 12345678 }, 1],
    [{ token: 'sunshine', tokens: 4096, max_tokens: 4096, token_type: 'bearer' }, 1],
  ])('in JSON: %j', (value, count) => {
    expect(masker.maskJson(value).count).toBe(count);
  });
});

describe('no secret is', () => {
  it.each([
    'token: count',
    'tokens: 12',
    'token: 12',
    'token: 1024 bytes',
    'token_count=5',
    'max_tokens: 4096',
    'BYTES_OF_TOKEN = 4096',
    'token_type: bearer',
    '"token_type": "bearer"',
    'next_page_token: abcdef',
    'eos_token: "</s>"',
    'access_token: 3600s',
    'secretName: my-secret',
    'existingSecret: checkout-db',
    'imagePullSecret: regcred',
    'tls_secret: my-tls',
    'secretRef: my-secret',
    'client_secret_file: /run/secrets/client',
    'client_secret: <redacted>',
    'token_endpoint_auth_method: client_secret_basic',
    'error=invalid_token',
    'Unexpected token: name (foo)',
    'invalid token: signature',
    'the token: name',
    'a new token was issued.',
    '"access_token": "is invalid"',
    '"api_key": "invalid"',
    'token: CancellationToken',
    'login(token=access_token)',
    'token = getToken()',
    "['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'LOG_LEVEL']",
    'access_token:\n  expires_in: 3600',
  ])('%s', (text) => {
    expect(masker.mask(text).text).toBe(text);
  });
});
