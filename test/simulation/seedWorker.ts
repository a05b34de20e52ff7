// A process of `simulate --jobs`: receives seeds, runs them, and sends back their summaries.

import { summarizeSeed } from './runSeeds.ts';

process.on('message', (seed: number) => {
  void summarizeSeed(seed).then((summary) => process.send?.(summary));
});
