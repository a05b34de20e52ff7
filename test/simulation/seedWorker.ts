// A process of `simulate --jobs`: runs the seeds that it is sent, and sends back what became of them.

import { summarizeSeed } from './runSeeds.ts';

process.on('message', (seed: number) => {
  void summarizeSeed(seed).then((summary) => process.send?.(summary));
});
