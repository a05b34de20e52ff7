// A process of `simulate --jobs`: receives seeds, runs them, and sends back their summaries.

import { summarizeSeed } from './runSeeds.ts';

// A terminal interrupts all processes at once; this one ends when its parent disconnects.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});

process.on('message', (seed: number) => {
  void summarizeSeed(seed).then((summary) => {
    if (process.connected) process.send?.(summary);
  });
});
