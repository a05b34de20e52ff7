import { describe, expect, it } from 'vitest';
import { findKeyMeaning } from './keyNames.ts';
import {
  estimateRandomness,
  isObjectKey,
  isPlaceholder,
  isPlain,
  isProse,
  isReference,
  isSubject,
} from './values.ts';

describe('a text looks', () => {
  it.each([
    ['uuid', ['7f2b0c1e-9d7a-4c0c-8b1f-2f1d8d6a5b43', '7F2B0C1E-9D7A-4C0C-8B1F-2F1D8D6A5B43']],
    ['hex', ['9fceb02d0ae598e9', '9FCEB02D0AE598E95DC970B7', '0x9fceb02d0ae598e9']],
    [
      'random',
      ['k7TqWz4pLx9Zq2Nv', 'aio_k7TqWz4pLx9Zq2Nv', 'qHWkTzPMRvNXlcJdSGfbYQhW', 'Ab3-x9Zq_71kLm-Q2aZ4'],
    ],
    [
      'none',
      [
        'k7TqWz4pLx9Zq2N',
        'checkout-service-7',
        '2026-11-22T10:31:02.123Z',
        '20261122103102000',
        'v1.27.3-gke.1004000',
        'ip-10-0-3-17.eu-west-1.compute',
        'utf8mb4_general_ci',
        'abcdefabcdefabcdef',
        '1234567890123456789',
        'zzzz1111zzzz1111zzzz',
        'k7Tq Wz4p Lx9Z q2Nv',
        'https://Ab3.x9Zq/71kLm/Q2aZ4',
        './Ab3-x9Zq_71kLm-Q2aZ4',
        'k7TqWz4pLx9Zq2Nv'.repeat(38),
      ],
    ],
  ])('%s', (expected, texts) => {
    for (const text of texts) expect(estimateRandomness(text), text).toBe(expected);
  });
});

describe('a value is', () => {
  it.each([
    [
      'a placeholder',
      isPlaceholder,
      [
        '',
        '***',
        'xxxx',
        '<redacted>',
        '<password',
        '[hidden]',
        '{{ .pin }}',
        '#{PIN}',
        '$(pin)',
        '$PIN',
        '%s',
        '%(pin)s',
        '%PIN%',
        '@pin@',
        '#{pin}',
        'null',
        'REDACTED',
        'None.',
        'changeme',
        'n/a',
        'varchar',
        '(sensitive value)',
        '(known after apply)',
        '{',
        '([',
        '^1.2.3',
      ],
      ['pin', 'nullable', 'x1', '<a>b', '$1', '%', '1.2.3', 'the password', '[a]b', '@pin'],
    ],
    [
      'a reference',
      isReference,
      [
        'process.env.DB_PIN',
        'os.environ["A"]',
        'getPin()',
        'config.db.pin',
        'settings.PIN',
        'arn:aws:secretsmanager:eu-west-1:1:secret:db',
        'projects/a/secrets/b',
        'vault:secret/db#pin',
        'ref+vault://a/b',
        'op://a/b',
        '!Ref Pin',
        'this->pin',
        'a.b_secret',
        'req.body[0]',
      ],
      [
        'pin',
        'first.second',
        'arn:aws:s3:::bucket',
        'projects/a',
        'vault',
        '2.getPin()',
        `config.${'a'.repeat(400)}`,
        'config.k7TqWz4pLx9Zq2Nv',
      ],
    ],
    [
      'a name, a word or a quantity',
      isPlain,
      [
        'abc',
        'sunshine',
        'checkout-db-1',
        '/var/run/a',
        'shop.internal',
        'FailedMount',
        'camelCase',
        'DB_HOST',
        '1024',
        '16 bytes',
        '4.5Gi',
        '30s',
        '-10%',
        '10:31',
        '~> 1.2',
        '>=1.2',
      ],
      ['k7Tq', 'db host', 'DB_HOST1', '10.0.0.x', '16 parsecs', 'sun!shine', 'DB-HOST', '9lives'],
    ],
    [
      'a word that goes on a sentence',
      isProse,
      ['authentication', 'Is', 'found.', 'expires', 'rejected)', 'mismatch:', 'expire', 'limit,'],
      ['sunshine', 'islands', 'a-b', 'thea', '.is'],
    ],
    [
      'the place of an object',
      isObjectKey,
      ['logs/2026/11/28/7f.json', 'builds/7f2b', '2026-11-28/a', '20261128/a', 'linux-npm-9fceb02d0ae598e9'],
      ['k7Tq/Wz4p', 'logs+a/b', 'abc/d', 'linux-9fceb02d', 'Linux-9fceb02d0ae598e9', 'a/b.1x'],
    ],
  ] as [string, (value: string) => boolean, string[], string[]][])('%s', (_, judge, yes, no) => {
    expect(yes.filter((value) => !judge(value))).toEqual([]);
    expect(no.filter((value) => judge(value))).toEqual([]);
  });

  it('no reference in quotes, unless it calls or reads an environment', () => {
    const values = ['config.db.pin', 'config.db.pin()', 'config.pins[0]', 'process.env.PIN'];
    expect(values.map((value) => isReference(value, true))).toEqual([false, true, true, true]);
  });

  it('the subject of a sentence only as an id before a verb', () => {
    const id = '7f2b0c1e-9d7a-4c0c-8b1f-2f1d8d6a5b43';
    const behind = [' was used', '", was used', '` is old', ' wasp', 'was', ' and', ''];
    expect(behind.map((text) => isSubject(id, text))).toEqual([true, true, true, false, false, false, false]);
    expect(isSubject('sunshine', ' was used')).toBe(false);
  });
});

describe('the name of a key means', () => {
  it.each([
    [
      'password',
      'password passwd PASSWORD dbPassword db.password passphrase passcode pwd kennwort DB_PASS pass pw userPw psw pswd authtok dbpass smtppw admin_password_2 passwordfield',
    ],
    [
      'private-key',
      'private_key privkey SigningKey encryption-key masterkey sshKey unseal_key primaryMasterKey',
    ],
    [
      'api-key',
      'api_key apiKey X-Api-Key apiToken appkey application_key consumerKey accesskey licenceKey subscription-key keysecret secretid accountSid',
    ],
    ['connection-string', 'connectionString connstr databaseurl db_dsn'],
    ['credential', 'credential awsCredentials db_creds cred'],
    [
      'token',
      'token access_token authToken tokens bearer jwt oauth mfa pat_mfa GITHUB_TOKEN max_access_token',
    ],
    ['secret', 'secret client_secret webhookSecret secrets'],
    ['cloud-key', 'primaryKey secondary_key cacheKey redisKeys primaryReadonlyKey'],
    [
      'key',
      'key auth authorization sid cookie signature sig hmac salt seed mnemonic otp totp license webhook private api',
    ],
    [
      undefined,
      'name host compass passenger tokenizer token_count max_tokens next_page_token pageToken idempotency_token passwordExpiry secretName secret_ref token_url partition_key public_key keys bucket_keys key_id keyboard tls_secret_version author secretary thoughtSignature secretsManager tokens_used pwm',
    ],
  ])('%s', (kind, names) => {
    for (const name of names.split(' ')) expect([name, findKeyMeaning(name)?.kind]).toEqual([name, kind]);
  });

  it.each([
    [
      'any',
      'client_secret access_token api_key appSecret secretAccessKey secretString authToken webhook_secret',
    ],
    ['word', 'token TOKEN'],
    [
      undefined,
      'password secret existing_secret tls_secret eos_token leaseToken tokens secrets credential private_key key',
    ],
  ])('that a plain value is the secret: %s', (plain, names) => {
    for (const name of names.split(' ')) expect([name, findKeyMeaning(name)?.plain]).toEqual([name, plain]);
  });

  it('a sure secret, or one only if it is random', () => {
    const names = [
      'password',
      'token',
      'tokens',
      'api_key',
      'secrets',
      'creds',
      'key',
      'primaryKey',
      'jwt',
      'mfa',
      'DB_PASS',
      'dbpass',
      'cred',
    ];
    expect(names.filter((name) => findKeyMeaning(name)?.sure)).toEqual([
      'password',
      'token',
      'api_key',
      'jwt',
      'DB_PASS',
      'dbpass',
      'cred',
    ]);
    expect(findKeyMeaning(`password_${'a'.repeat(92)}`)).toBeUndefined();
    expect(findKeyMeaning(`${'a'.repeat(91)}_password`)?.kind).toBe('password');
  });
});
