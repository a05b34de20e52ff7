// A process of a pool: receives tasks for its argument's module, runs them, sends results.

import type { TaskModule } from './pool.ts';

// Ctrl-C reaches all processes of a terminal; this one ends when its parent disconnects.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});

const { runTask }: TaskModule<unknown, unknown> = await import(process.argv[2] ?? '');

process.on('message', (task) => {
  void runTask(task).then((result) => {
    if (process.connected) process.send?.(result);
  });
});
