// What was started ends with the process that started it, however that ends: with the real emulators.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { accepts } from '../../local/ports.ts';

const SCRIPT = fileURLToPath(new URL('./fixtures/startEmulators.ts', import.meta.url));

/** Command lines of running processes that were given one of these ports. */
function processesOn(ports: number[]): string[] {
  const table = execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' });
  return table.split('\n').filter((line) => ports.some((port) => line.includes(`--port=${port}`)));
}

it.each(['SIGKILL', 'SIGINT'] as const)('emulators end when their parent gets %s', async (signal) => {
  const parent = spawn(process.execPath, [SCRIPT], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(parent.stdout), 'line');
  const ports = (JSON.parse(String(line)) as string[]).map((host) => Number(host.split(':')[1]));
  expect(await Promise.all(ports.map(accepts))).toEqual([true, true]);
  // One guard and one JVM each: the check below would see them.
  expect(processesOn(ports)).toHaveLength(4);

  parent.kill(signal);
  await once(parent, 'exit');
  await expect.poll(() => processesOn(ports)).toEqual([]);
  expect(await Promise.all(ports.map(accepts))).toEqual([false, false]);
});
