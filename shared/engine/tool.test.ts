import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { RetryableError } from '../core/errors.ts';
import { codeSource, type Tool, type ToolOptions, tool } from './tool.ts';

const input = z.object({ n: z.number().default(1) });
type Options = ToolOptions<typeof input>;
const made = (options: Partial<Options> = {}) =>
  tool({ name: 'count', version: '1', input, run: ({ n }) => n, ...options } as Options);

describe('a tool', () => {
  it('is described as the model sees it', () => {
    const inputSchema = {
      type: 'object',
      properties: { n: { type: 'number', default: 1 } },
    };
    const definition = { name: 'code.count', version: '1', description: '', inputSchema, readOnly: true };
    expect(made().definition).toEqual(definition);
    const changing = made({ changes: true, approval: 'required', description: 'Counts.' });
    expect(changing.definition).toEqual({
      ...definition,
      description: 'Counts.',
      readOnly: false,
      waits: 'person',
    });
  });

  it.each<[string, Partial<Options>, string]>([
    ['a dot in its name', { name: 'a.b' }, 'tool a.b: name must start with a letter'],
    ['an empty version', { version: '' }, 'tool count: version is empty; start with "1"'],
    ['approval of nothing', { approval: 'required' }, 'approval has no effect without changes'],
    ['no time', { timeoutMs: 0 }, 'timeoutMs must be above 0'],
    ['a text as input', { input: z.string() } as never, 'input must be an object'],
    [
      'an input without a form',
      { input: z.object({ at: z.date() }) } as never,
      'input cannot be described to a model:',
    ],
  ])('with %s is refused', (_, options, fault) => {
    expect(() => made(options)).toThrow(fault);
  });

  it('can have a limit of its own', () => {
    expect(() => made({ timeoutMs: 1 })).not.toThrow();
  });
});

describe('a call of a tool', () => {
  const run = async (
    one: Tool,
    { args = '{"n": 5}', signal = new AbortController().signal, passes = true } = {},
  ) => {
    const waits: number[] = [];
    const open = new Set<number>();
    const after = (ms: number, action: () => void) => {
      const number = waits.push(ms);
      open.add(number);
      // A limit of an hour never ends here.
      if (passes && ms < 3_600_000) setImmediate(action);
      return () => open.delete(number);
    };
    const call = { callId: 'c', name: 'code.count', arguments: args };
    const given = { signal, timeoutMs: 3_600_000, idempotencyKey: 'k' };
    const outcome = await one.call(call, given as never, { after });
    return { outcome, waits, open: [...open] };
  };
  const fails = (error: Error) => () => Promise.reject(error);

  it.each([
    [5, '5'],
    ['text', 'text'],
    [{ a: [1] }, '{"a":[1]}'],
    [null, 'null'],
    [undefined, 'Done.'],
  ])('that returns %j answers with its text, and keeps no limit running', async (result, content) => {
    expect(await run(made({ run: () => result }))).toEqual({
      outcome: { content, isError: false, timedOut: false },
      waits: [3_600_000],
      open: [],
    });
  });

  it('gets checked arguments, its key and a signal', async () => {
    const seen: unknown[] = [];
    const one = made({
      run: (given, { idempotencyKey, signal }) => seen.push([given, idempotencyKey, signal.aborted]),
    });
    await run(one);
    await run(one, { args: '{}' });
    expect(seen).toEqual([
      [{ n: 5 }, 'k', false],
      [{ n: 1 }, 'k', false],
    ]);
  });

  it('with arguments that do not fit names each, and executes nothing', async () => {
    const two = z.object({ n: z.number(), text: z.string() });
    const one = tool({ name: 'count', version: '1', input: two, run: () => 'ran' });
    const { content } = (await run(one, { args: '{"n": "5"}' })).outcome;
    expect(content).toMatch(/^The arguments do not fit: .*n.*; .*text.*\. Nothing was executed\.$/);
  });

  it('that takes too long ends; its effect is unknown if it changes something', async () => {
    const never = () => new Promise(() => {});
    const timedOut = { isError: true, timedOut: true };
    expect(await run(made({ timeoutMs: 7, run: never }))).toEqual({
      outcome: { content: 'no answer within 7 ms', ...timedOut },
      waits: [7],
      open: [],
    });
    const { outcome } = await run(made({ timeoutMs: 7, changes: true, run: never }));
    expect(outcome).toEqual({
      content: expect.stringMatching(
        /count started and failed: no answer within 7 ms\. Verify whether it took effect/,
      ),
      ...timedOut,
    });
  });

  it('is tried three times when it only reads, after growing pauses or the one that is asked for', async () => {
    const busy = await run(made({ run: fails(new RetryableError('TOOL_SERVER_UNAVAILABLE', 'busy')) }));
    expect(busy.outcome).toEqual({ content: 'busy', isError: true, timedOut: false });
    const [limit, first = 0, ...rest] = busy.waits;
    expect([limit, ...rest]).toEqual([3_600_000, 2 * first]);
    const asked = await run(
      made({ run: fails(new RetryableError('TOOL_SERVER_UNAVAILABLE', 'busy', { retryAfterMs: 3 })) }),
    );
    expect(asked.waits.slice(1)).toEqual([3, 3]);
  });

  it('is tried once when it changes something, or fails for another reason', async () => {
    const changing = await run(
      made({ changes: true, run: fails(new RetryableError('TOOL_SERVER_UNAVAILABLE', 'busy')) }),
    );
    expect(changing.outcome.content).toBe('Not executed, nothing happened: busy');
    expect(changing.waits).toHaveLength(1);
    const broken = await run(made({ changes: true, run: fails(new Error('broken')) }));
    expect(broken.outcome.content).toMatch(/count started and failed: broken\. Verify/);
    const reading = await run(made({ run: fails(new Error('broken')) }));
    expect(reading).toMatchObject({ outcome: { content: 'broken', timedOut: false }, waits: [3_600_000] });
  });

  it('ends with the abort of its caller, and does not start after it', async () => {
    const stop = new AbortController();
    const reason = new Error('stopped');
    let runs = 0;
    const one = made({
      run: () => {
        runs++;
        stop.abort(reason);
        return new Promise(() => {});
      },
    });
    await expect(run(one, { signal: stop.signal })).rejects.toBe(reason);
    await expect(run(one, { signal: stop.signal })).rejects.toBe(reason);
    expect(runs).toBe(1);
  });
});

describe('the tools of a program', () => {
  const call = { callId: 'c', name: 'code.count', arguments: '{}' };
  const options = { signal: new AbortController().signal, timeoutMs: 1_000, idempotencyKey: 'k' } as never;

  it('are a source that runs them, or lets them be run', async () => {
    const tools = new Map([['code.count', made()]]);
    const own = await codeSource(tools).connect(new AbortController().signal);
    expect(own.tools).toEqual([made().definition]);
    expect((await own.call(call, options)).content).toBe('1');
    const named = codeSource(
      tools,
      async (one) => ({ content: one.definition.name, isError: false, timedOut: false }),
      'more',
    );
    expect([codeSource(tools).name, named.name]).toEqual(['code', 'more']);
    expect((await (await named.connect(new AbortController().signal)).call(call, options)).content).toBe(
      'code.count',
    );
    expect(() => own.call({ ...call, name: 'code.gone' }, options)).toThrow(
      'code.gone is not a tool of this program',
    );
    await own.close();
  });
});
