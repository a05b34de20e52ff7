// A process with the services of `runIteration`, which connects to the server `fixture`, says so, and waits for a signal.

import { createIterationServices } from './iterationServices.ts';

// As the functions-framework does.
process.on('SIGTERM', () => process.exit());
const { connectTools } = createIterationServices(process.env);
const executor = await connectTools(['fixture'], { signal: new AbortController().signal });
await executor.close();
console.log(executor.missing.length === 0 ? 'connected' : executor.missing[0]?.error.message);
setInterval(() => {}, 60_000);
