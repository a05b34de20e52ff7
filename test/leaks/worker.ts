// A process of `fuzz --jobs`: receives tasks, runs them, and sends back what came out.

import type { Task } from './runRounds.ts';
import { runScenario } from './runScenario.ts';

// A terminal interrupts all processes at once; this one ends when its parent disconnects.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});

process.on('message', ({ scenario, seed }: Task) => {
  void runScenario(scenario, seed).then((run) => {
    if (process.connected) process.send?.(run);
  });
});
