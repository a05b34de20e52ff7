// The bench of the engine beside LangGraph.js, for its counts, which no load of the machine changes.

import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/ownConfig.ts';
import { measureEngine } from './engine.ts';

it('an iteration of the engine writes as much as the one before; a checkpoint has the whole conversation', async () => {
  const folder = temporaryFolder();
  const measured = await measureEngine(folder, 5);
  const grown = Object.fromEntries(
    Object.entries(measured).map(([name, { counts, failure }]) => {
      const [second, last] = [counts[1], counts.at(-1)];
      const kilobytes = ((last?.writtenBytes ?? 0) - (second?.writtenBytes ?? 0)) / 1_000;
      return [name, { failure, reads: last?.reads, writes: last?.writes, grows: kilobytes > 1 }];
    }),
  );
  expect(grown).toEqual({
    'engine, warm': { failure: undefined, reads: 2, writes: 9, grows: false },
    'engine, cold': { failure: undefined, reads: 16, writes: 9, grows: false },
    'LangGraph.js, sync': { failure: undefined, reads: 2, writes: 6, grows: true },
    'LangGraph.js, exit': { failure: undefined, reads: 2, writes: 1, grows: true },
  });
});
