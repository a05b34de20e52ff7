import { describe, expect, it } from 'vitest';
import { mcpServerConfigSchema } from './serverConfig.ts';

describe('mcpServerConfigSchema', () => {
  it('fills in the fields that a short configuration leaves out', () => {
    expect(mcpServerConfigSchema.parse({ transport: 'stdio', command: 'kubectl-mcp' })).toEqual({
      transport: 'stdio',
      command: 'kubectl-mcp',
      args: [],
      env: {},
      access: 'read',
      readOnly: [],
      trustHints: false,
      tools: {},
      arguments: {},
      connectTimeoutMs: 10_000,
      keepConnection: true,
    });
    expect(mcpServerConfigSchema.parse({ transport: 'http', url: 'https://mcp.example.com/' })).toEqual({
      transport: 'http',
      url: 'https://mcp.example.com/',
      headers: {},
      access: 'read',
      readOnly: [],
      trustHints: false,
      tools: {},
      arguments: {},
      connectTimeoutMs: 10_000,
      keepConnection: true,
    });
  });

  it.each([
    ['a misspelt field', { transport: 'stdio', command: 'x', arg: [] }],
    ['fields of the other transport', { transport: 'http', url: 'https://a.example', command: 'x' }],
    ['an unknown transport', { transport: 'sse', url: 'https://a.example' }],
    ['another scheme', { transport: 'http', url: 'file:///etc/passwd' }],
    ['credentials in the URL', { transport: 'http', url: 'https://user:pass@a.example/' }],
    ['a header of two lines', { transport: 'http', url: 'https://a.example', headers: { a: 'b\r\nc: d' } }],
    ['a time limit no timer can hold', { transport: 'stdio', command: 'x', timeoutMs: 2 ** 31 }],
    ['a choice that is no choice', { transport: 'stdio', command: 'x', keepConnection: 'no' }],
    ['a star in the middle', { transport: 'stdio', command: 'x', readOnly: ['get_*_all'] }],
  ])('refuses %s', (_name, config) => {
    expect(mcpServerConfigSchema.safeParse(config).success).toBe(false);
  });
});
