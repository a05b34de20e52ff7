import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { temporaryFolder } from '../../test/support/ownConfig.ts';
import { EVERY_TOOL } from '../../test/tools/everyTool.ts';

const FIXTURE = fileURLToPath(new URL('./iterationServices.fixture.ts', import.meta.url));
const CONFIG = fileURLToPath(new URL('../../examples/crashloop/config', import.meta.url));
const STDIO_SERVER = fileURLToPath(new URL('../../test/tools/stdioServer.ts', import.meta.url));

it('a function that has to end stops the processes of its servers, also one that ignores the closed pipe, and removes their homes', async () => {
  const folder = temporaryFolder();
  const starts = join(folder, 'starts');
  cpSync(CONFIG, folder, { recursive: true });
  const fixture = {
    transport: 'stdio',
    command: process.execPath,
    args: [STDIO_SERVER, 'deaf'],
    env: { STARTS: starts },
    ...EVERY_TOOL,
    connectTimeout: '60s',
  };
  writeFileSync(join(folder, 'servers.yaml'), stringify({ servers: { fixture, kubernetes: fixture } }));

  const child = spawn(process.execPath, [FIXTURE], {
    env: { ...process.env, INQUEST_CONFIG: folder, GOOGLE_CLOUD_PROJECT: 'demo-wiring' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [said] = await once(child.stdout, 'data');
  expect(String(said).trim()).toBe('connected');
  const [server] = readFileSync(starts, 'utf8').trim().split('\n');
  onTestFinished(() => {
    if (existsSync(`/proc/${server}`)) process.kill(Number(server), 'SIGKILL');
  });
  expect(existsSync(`/proc/${server}`)).toBe(true);
  const [, home = ''] = /(?:^|\0)HOME=([^\0]*)/.exec(readFileSync(`/proc/${server}/environ`, 'utf8')) ?? [];
  expect(existsSync(home)).toBe(true);
  child.kill('SIGTERM');
  await once(child, 'exit');
  await expect.poll(() => existsSync(`/proc/${server}`)).toBe(false);
  expect(home).not.toBe(process.env.HOME);
  expect(existsSync(home)).toBe(false);
});
