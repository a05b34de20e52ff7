// The official conformance suite of the Model Context Protocol, against POST /mcp over a socket.

import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startApiBench } from '../support/apiBench.ts';
import { temporaryFolder } from '../support/ownConfig.ts';
import { serveApi } from '../support/serveApi.ts';

const SUITE = path.join(
  path.dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);
const UNFIT = fileURLToPath(new URL('mcpConformance.yaml', import.meta.url));

it('passes the scenarios that fit a server without sessions, and fails no other than those that are named', async () => {
  const api = await startApiBench({ script: { conversations: [{ turns: [{ text: 'Done.' }] }] } });
  const { url } = await serveApi(api);
  const args = [SUITE, 'server', '--url', `${url}/mcp`, '--suite', 'all', '--expected-failures', UNFIT];
  const { code, output } = await new Promise<{ code: number; output: string }>((resolve) => {
    // It writes what it saw into its folder.
    const options = { cwd: temporaryFolder(), maxBuffer: 10_000_000 };
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: `${stdout}${stderr}` }),
    );
  });
  expect(code, output).toBe(0);
  for (const scenario of ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'])
    expect(output).toMatch(new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`));
});
