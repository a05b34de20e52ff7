import { describe, expect, it } from 'vitest';
import { mcpServerConfigSchema } from '../../config/serverConfig.ts';
import { createServerTokens } from './auth/serverTokens.ts';
import { connectWith } from './mcpConnection.ts';
import { describeFailure, lastWords } from './mcpFailure.ts';

const http = mcpServerConfigSchema.parse({
  transport: 'http',
  url: 'https://mcp.example.com/?key=query-secret',
  headers: { authorization: 'Bearer header-secret' },
});
const stdio = mcpServerConfigSchema.parse({
  transport: 'stdio',
  command: 'x',
  env: { TOKEN: 'env-secret', DEBUG: '1' },
});

describe('describeFailure', () => {
  it.each([
    ['header-secret was refused', http, '[masked:known] was refused'],
    ['sent Bearer header-secret', http, 'sent [masked:known]'],
    ['GET /?key=query-secret', http, 'GET /?key=[masked:known]'],
    ['TOKEN=env-secret, 1 try', stdio, 'TOKEN=[masked:known], 1 try'],
  ])('hides configured secrets: %s', (message, config, expected) => {
    expect(describeFailure(new Error(message), config)).toBe(expected);
  });

  it('shows the system error below a vague one', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:80'), {
      code: 'ECONNREFUSED',
      syscall: 'connect',
    });
    const both = new AggregateError([refused], '');
    expect(describeFailure(new TypeError('fetch failed', { cause: both }), http)).toBe(refused.message);
  });

  it('is one line of at most 300 characters, whatever was thrown', () => {
    expect(describeFailure('a\n  b', http)).toBe('a b');
    expect(describeFailure(new Error('x'.repeat(1_000)), http)).toHaveLength(301);
  });
});

describe('lastWords', () => {
  it('hides the secrets of the configuration', () => {
    expect(lastWords('starting\nbad token env-secret\n', stdio)).toBe('bad token [masked:known]');
    expect(lastWords('', stdio)).toBe('');
  });
});

it('hides the secrets of the process beside the settings of the server, before anything is cut', () => {
  const long = `${'x'.repeat(290)} zebra-quartz-77-lantern`;
  expect(describeFailure(new Error(long), http, ['zebra-quartz-77-lantern'])).not.toContain('zebra');
  expect(lastWords(`Error: ${long}`, stdio, ['zebra-quartz-77-lantern'])).not.toContain('zebra');
});

it('hides them also in the last words of a process that ends before it answers', async () => {
  const failing = mcpServerConfigSchema.parse({
    transport: 'stdio',
    command: process.execPath,
    args: ['-e', 'console.error("no database zebra-quartz-77-lantern")'],
  });
  const connect = connectWith(createServerTokens(), ['zebra-quartz-77-lantern']);
  await expect(connect('shop', failing, new AbortController().signal)).rejects.toThrow(
    'MCP server "shop" is unavailable: Connection closed (its last words: no database [masked:known])',
  );
});
