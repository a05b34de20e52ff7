// A process of `simulate --jobs`: runs the seeds that it is sent, and sends back what became of them.

import { summarizeSeed } from './runSeeds.ts';

// A terminal interrupts all processes at once; this one ends when its parent lets it go.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});

process.on('message', (seed: number) => {
  void summarizeSeed(seed).then((summary) => {
    if (process.connected) process.send?.(summary);
  });
});
