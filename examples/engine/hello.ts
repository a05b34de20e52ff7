// Runs with `node examples/engine/hello.ts`: an agent with one tool, a script in the place of a model.

import { fileURLToPath } from 'node:url';
import { durable, inProcess, memory, script, tool, z } from 'inquest/engine';

const add = tool({
  name: 'add',
  version: '1',
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => a + b,
});
const model = script(fileURLToPath(import.meta.resolve('./hello.yaml')));
const agents = durable({ store: memory(), queue: inProcess(), model });
const calculator = agents.agent({ name: 'calculator', instructions: 'You calculate.', tools: [add] });

const run = await agents.start(calculator, { input: 'How much is 40 and 2?' });
for await (const { number, eventType, content } of agents.events(run))
  console.log(number, eventType, content);
console.log((await agents.result(run)).text);
await agents.close();
