import { describe, expect, it } from 'vitest';
import { knownSecrets } from './knownSecrets.ts';

const common = {
  access: 'read' as const,
  trustHints: false,
  tools: {},
  arguments: {},
  readOnly: [],
  connectTimeoutMs: 1000,
  keepConnection: true,
};

describe('known secrets', () => {
  it('of the environment are values of variables with such names, and credentials in URLs', () => {
    const env = {
      GEMINI_API_KEY: 'gemini-key-1',
      DB_PASS: 'tiger-7',
      AWS_ACCESS_KEY_ID: 'access-id-1',
      GOOGLE_GEMINI_BASE_URL: 'https://bob:p%40ss-word@proxy.example.com/?token=query-token-1&alt=sse',
      GIT_URL: 'https://clone-token-1@git.example.com',
      GOOGLE_APPLICATION_CREDENTIALS: '/etc/keys/key.json',
      TOKEN_TTL: '3600-seconds',
      POSTGRES_PASSWORD: 'postgres',
      SHORT_TOKEN: 'abc',
      PATH: '/usr/local/bin',
      UNSET_KEY: undefined,
    };
    expect(knownSecrets(env)).toEqual([
      'gemini-key-1',
      'tiger-7',
      'access-id-1',
      'p%40ss-word',
      'p@ss-word',
      'query-token-1',
      'clone-token-1',
    ]);
  });

  it('of the environment are values of variables that the configuration marks as secrets', () => {
    const env = { OPS_HOOK: 'walrus-umbrella-quince\n', OTHER: 'walrus-umbrella' };
    expect(knownSecrets(env, {}, ['OPS_HOOK', 'UNSET'])).toEqual(['walrus-umbrella-quince']);
    expect(knownSecrets(env)).toEqual([]);
  });

  it('of servers are credentials in headers, URLs, variables and arguments', () => {
    const servers = {
      a: {
        transport: 'http' as const,
        url: 'https://mcp.example.com/mcp?api_key=url-key-1',
        headers: {
          Authorization: 'Bearer bearer-1',
          'X-Team': 'team-name-1',
          Accept: 'application/json',
          'X-Basic': `Basic ${Buffer.from('bob:basic-pass-1').toString('base64')}`,
        },
        ...common,
      },
      b: {
        transport: 'stdio' as const,
        command: 'node',
        args: [
          'server.mjs',
          '--cluster',
          'prod-eu-1',
          '--token',
          'Argument-t0ken-1',
          'redis://:redis-pass-1@cache:6379',
        ],
        env: { API_TOKEN: 'env-token-1', REGION: 'europe-west1' },
        ...common,
      },
    };
    expect(knownSecrets({}, servers).sort()).toEqual(
      [
        'bearer-1',
        'team-name-1',
        Buffer.from('bob:basic-pass-1').toString('base64'),
        'basic-pass-1',
        'url-key-1',
        'env-token-1',
        'Argument-t0ken-1',
        'redis-pass-1',
      ].sort(),
    );
  });
});

it('of arguments are whole values of options named like secrets', () => {
  const quoted = `p"7 'x'&<y>`;
  const args = ['serve', '--password', quoted, '--api-key=a b,c"d', '--name', 'shop', '--token'];
  const server = { ...common, transport: 'stdio' as const, command: 'x', args, env: {} };
  const found = knownSecrets({}, { server });
  expect(found).toEqual(expect.arrayContaining([quoted, 'a b,c"d']));
  expect(found).not.toContain('shop');
});
