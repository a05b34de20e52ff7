// A process with services of `runIteration` that connects to `fixture`, reports it, and waits.

import { createIterationServices } from './iterationServices.ts';

// As the functions-framework does.
process.on('SIGTERM', () => process.exit());
const { connectTools } = createIterationServices(process.env);
const executor = await connectTools(['fixture'], { signal: new AbortController().signal });
await executor.close();
console.log(executor.missing.length === 0 ? 'connected' : executor.missing[0]?.error.message);
setInterval(() => {}, 60_000);
