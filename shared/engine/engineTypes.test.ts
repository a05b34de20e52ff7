// The types of the library, which the compiler checks.

import { expectTypeOf, it } from 'vitest';
import { type Agents, type Run, type RunEvent, tool, z } from './engine.ts';

declare const agents: Agents;
const answer = z.object({ sum: z.number() });
/** Nothing is run: the compiler is the test. */
const check = (_: () => unknown): void => {};

it('a tool gets its input as the schema reads it', () => {
  check(() =>
    tool({
      name: 'add',
      version: '1',
      input: z.object({ a: z.number().default(1), b: z.string().optional() }),
      run(input, context) {
        expectTypeOf(input).toEqualTypeOf<{ a: number; b?: string | undefined }>();
        expectTypeOf(context).toEqualTypeOf<{ idempotencyKey: string; signal: AbortSignal }>();
      },
    }),
  );
  // @ts-expect-error: a tool has a version.
  check(() => tool({ name: 'add', input: z.object({}), run: () => 1 }));
});

it('the answer of a run is that of its agent or chain, and unknown by its id', () => {
  check(async () => {
    const agent = agents.agent({ name: 'a', instructions: 'Add.', answer });
    const run = await agents.start(agent, { input: '1 and 2' });
    expectTypeOf(run).toEqualTypeOf<Run<{ sum: number }>>();
    expectTypeOf((await agents.result(run)).answer).toEqualTypeOf<{ sum: number } | undefined>();
    expectTypeOf((await agents.result(run.id)).answer).toEqualTypeOf<unknown>();
    const chain = agents.chain({ name: 'c', stages: [{ name: 's', agents: [agent] }], answer });
    expectTypeOf(await agents.start(chain, { input: '1' })).toEqualTypeOf<Run<{ sum: number }>>();
  });
});

it('events are those of a run, and a signal has one decision', () => {
  check(async () => {
    for await (const event of agents.events('run', { after: 1 }))
      expectTypeOf(event).toEqualTypeOf<RunEvent>();
    await agents.signal('run', { approve: 'id', by: 'ann' });
    // @ts-expect-error: a person has to be named.
    await agents.signal('run', { approve: 'id' });
  });
});
