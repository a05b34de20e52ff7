// A Firestore and a Pub/Sub end with the process that started them, however that ends.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { acceptsConnections } from '../../local/processes/ports.ts';
import { marked } from './processes.ts';

const SCRIPT = fileURLToPath(new URL('../local/fixtures/startEmulators.ts', import.meta.url));

/** The tests, for the local cloud or the official emulators. */
export function describeLeftovers(title: 'the local cloud' | 'the official emulators'): void {
  it.each(['SIGKILL', 'SIGINT'] as const)(
    `nothing of ${title} is left when its parent gets %s`,
    async (signal) => {
      const args = [SCRIPT, ...(title === 'the official emulators' ? ['official'] : [])];
      const { env, running } = marked();
      const parent = spawn(process.execPath, args, {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, ...env },
      });
      const [line] = await once(createInterface(parent.stdout), 'line');
      const ports = (JSON.parse(String(line)) as string[]).map((host) => Number(host.split(':')[1]));
      expect(await Promise.all(ports.map(acceptsConnections))).toEqual([true, true]);
      // The parent, and at least a guard and what it guards.
      expect(running().length).toBeGreaterThan(2);

      parent.kill(signal);
      await once(parent, 'exit');
      await expect.poll(running).toEqual([]);
      expect(await Promise.all(ports.map(acceptsConnections))).toEqual([false, false]);
    },
  );
}
