import { describe, expect, it, vi } from 'vitest';
import { sampleExecution } from '../../../test/support/samples.ts';
import type { ConversationMessage } from '../../core/contract/llm.ts';
import { createDocument } from '../../core/contract/store.ts';
import type { ExecuteOptions, ToolExecutor } from '../../core/contract/tools.ts';
import { unreachableTools } from '../../core/iteration/prepare/connectTools.ts';
import { paths, resultPartType } from '../../lists/documents.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { checkArguments } from '../../text/schema/checkArguments.ts';
import { withReadResult } from './readResult.ts';

const execution = sampleExecution();
const { sessionId, executionId, expireAt } = execution;
const logs = {
  name: 'kubernetes.get_logs',
  description: '',
  inputSchema: { type: 'object' },
  readOnly: true,
};
const LINES = Array.from({ length: 200 }, (_, index) => `line ${index + 1}`);
LINES[99] = 'ERROR [disk] is full (really)';
const WHOLE = LINES.join('\n');

/** Result 5 is stored in two parts, behind one that a dead holder left; result 7 lacks one of its two. */
async function storedResults() {
  const store = createMemoryStore();
  const part = (sequenceNumber: number, number: number, text: string) =>
    createDocument(paths.resultPart(sessionId, executionId, sequenceNumber, number), resultPartType, {
      executionId,
      sequenceNumber,
      part: number,
      toolName: logs.name,
      text,
      expireAt,
      createdAt: expireAt,
    });
  await store.commit([
    part(5, 1, 'left by a dead holder'),
    part(5, 2, WHOLE.slice(0, 700)),
    part(5, 3, WHOLE.slice(700)),
    part(7, 1, 'x'),
  ]);
  return store;
}

const stored = (number: number, firstPart: number): ConversationMessage => ({
  role: 'tool',
  blocks: [
    { blockType: 'text', textContent: 'beside it' },
    { blockType: 'tool_result', toolUseId: 'short', toolName: 'a.short', isError: false, textContent: '1' },
    {
      blockType: 'tool_result',
      toolUseId: 'call',
      toolName: logs.name,
      isError: false,
      textContent: '…',
      stored: {
        id: `r${number}`,
        firstPart,
        parts: 2,
        bytes: WHOLE.length,
        lines: 200,
        digest: '0'.repeat(16),
      },
    },
  ],
});

async function executorOf(
  conversation = [stored(5, 2), stored(7, 1)],
  base: ToolExecutor = { ...unreachableTools(new Error('down')), list: () => [logs] },
) {
  return withReadResult(base, conversation, execution, await storedResults());
}

async function read(
  args: unknown,
  options: Partial<ExecuteOptions> = {},
  tools?: ToolExecutor,
  name = 'read_result',
) {
  const executor = tools ?? (await executorOf());
  const call = { callId: 'c', name, arguments: JSON.stringify(args) };
  const { signal } = new AbortController();
  const mask = (text: string) => ({ text, count: 0 });
  const base = { signal, timeoutMs: 1, maxResultBytes: 64_000, mask, idempotencyKey: 'k', traceparent: null };
  return executor.execute(call, { ...base, ...options });
}

describe('read_result', () => {
  it('shows lines, and where they are', async () => {
    expect(await read({ id: 'r5', lines: '99-101' })).toMatchObject({
      content:
        '[r5 of kubernetes.get_logs: lines 99 to 101 of 200.]\n99: line 99\n100: ERROR [disk] is full (really)\n101: line 101',
      isError: false,
      truncated: false,
    });
    expect((await read({ id: 'r5', lines: '200-900' })).content).toMatch(
      /^\[.*lines 200 to 200 .*\n200: line 200$/,
    );
  });

  it.each([
    ['a text', 'ERROR'],
    ['a text that is no regular expression', 'full (really'],
    ['a text that would mean something else as one', '[disk] is full (really)'],
    ['a regular expression', '^ERROR.*full'],
    ['one without regard to case', '(?i)error'],
  ])('searches for %s', async (_, grep) => {
    const { content } = await read({ id: 'r5', grep, context: 1 });
    expect(content).toBe(
      '[r5 of kubernetes.get_logs: 1 of its 200 lines is found.]\n99- line 99\n100: ERROR [disk] is full (really)\n101- line 101',
    );
  });

  it('accepts the id in any form, and the longest search and widest context', async () => {
    expect((await read({ id: ' R5 ', lines: '1' })).content).toMatch(/^\[r5 of .*\]\n1: line 1$/);
    const widest = await read({ id: 'r5', grep: `ERROR${'.?'.repeat(247)}.`, context: 20 });
    expect(widest.content).toMatch(/^\[.* 1 of its 200 lines .*\]\n80- line 80\n(?:.*\n)*120- line 120$/);
  });

  it('gives the whole of a result of a tool, which changes no state', async () => {
    const content = '[r5 of kubernetes.get_logs: lines 1 to 1 of 200.]\n1: line 1';
    expect(await read({ id: 'r5', lines: '1' })).toEqual({
      callId: 'c',
      name: 'read_result',
      content,
      isError: false,
      truncated: false,
      durationMs: expect.any(Number),
      timedOut: false,
      yields: 'state',
    });
  });

  it('stops with its call, and reads a result once for several calls', async () => {
    const signal = AbortSignal.abort(new Error('the call has ended'));
    await expect(read({ id: 'r5', lines: '1' }, { signal })).rejects.toThrow('the call has ended');
    const store = await storedResults();
    const list = vi.spyOn(store, 'list');
    const tools = withReadResult(unreachableTools(new Error('down')), [stored(5, 2)], execution, store);
    for (const lines of ['1', '2']) expect((await read({ id: 'r5', lines }, {}, tools)).isError).toBe(false);
    expect(list).toHaveBeenCalledTimes(1);
  });

  it('leaves other tools to their executor, and bugs to the caller', async () => {
    const base: ToolExecutor = {
      ...unreachableTools(new Error('down')),
      execute: async ({ name }) => ({ content: `the answer of ${name}` }) as never,
    };
    const tools = await executorOf([stored(5, 2)], base);
    expect(await read({}, {}, tools, logs.name)).toEqual({ content: `the answer of ${logs.name}` });
    const broken = { ...createMemoryStore(), list: () => Promise.reject(new TypeError('a bug')) };
    const failing = withReadResult(base, [stored(5, 2)], execution, broken);
    await expect(read({ id: 'r5', lines: '1' }, {}, failing)).rejects.toThrow('a bug');
  });

  it('names the last twenty of many stored results', async () => {
    const many = Array.from({ length: 22 }, (_, index) => stored(index + 1, 1));
    const { content } = await read({ id: 'x', lines: '1' }, {}, await executorOf(many));
    expect(content.match(/r\d+(?= \()/g)).toEqual(Array.from({ length: 20 }, (_, index) => `r${index + 3}`));
  });

  it.each([
    ['1-150', 'lines 1 to 150 of 200'],
    ['150-200', 'lines 150 to 200 of 200'],
    ['1-200', '200 lines'],
  ])('names the lines %s that it searched', async (lines, where) => {
    const { content } = await read({ id: 'r5', grep: 'absent', lines });
    expect(content).toBe(`[r5 of kubernetes.get_logs: 0 of its ${where} are found.]`);
  });

  it('searches some lines only', async () => {
    const { content } = await read({ id: 'r5', grep: 'line', lines: '150-151', context: 0 });
    expect(content).toBe(
      '[r5 of kubernetes.get_logs: 2 of its lines 150 to 151 of 200 are found.]\n150: line 150\n151: line 151',
    );
  });

  it('finds nothing without being an error', async () => {
    expect(await read({ id: 'r5', grep: 'absent' })).toMatchObject({
      content: '[r5 of kubernetes.get_logs: 0 of its 200 lines are found.]',
      isError: false,
    });
  });

  it('names the last line that it shows, and the next one', async () => {
    const { content } = await read({ id: 'r5', lines: '10-200' }, { maxResultBytes: 326 });
    expect(content).toBe(
      '[r5 of kubernetes.get_logs: lines 10 to 11 of 200. There was no room for more; go on with lines 12-200.]\n10: line 10\n11: line 11',
    );
  });

  it.each([
    ['lines', { id: 'r5', lines: '1-200' }],
    ['a search', { id: 'r5', grep: 'line' }],
  ])('keeps %s within the limit of results, and names the place to continue', async (_, args) => {
    const { content, truncated, large } = await read(args, { maxResultBytes: 600 });
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(600);
    expect(content).toMatch(/go on with lines \d+-200/);
    expect([truncated, large]).toEqual([false, undefined]);
  });

  // A backtracking engine takes for ever. RE2 is linear in pattern and text, and there is an end.
  it.each(['(a|aa)+$', '(.*)*x', '(?:a?){500}a{500}', '((a{1,30}){1,30})b'])(
    'survives the pattern %s',
    async (grep) => {
      expect((await read({ id: 'r5', grep })).isError).toBe(false);
    },
  );

  it.each([
    [
      'an unknown id',
      { id: 'r6', lines: '1' },
      /^There is no stored result "r6"\. Stored results: r5 \(kubernetes\.get_logs\), r7 \(kubernetes\.get_logs\)\.$/,
    ],
    ['the path of another session', { id: '../other/r5', lines: '1' }, /^There is no stored result/],
    ['neither search nor lines', { id: 'r5' }, /^Give grep.*or lines/],
    ['lines that are none', { id: 'r5', lines: 'all' }, /^"lines" must be/],
    ['lines that end before they start', { id: 'r5', lines: '9-8' }, /^"lines" must start/],
    [
      'lines behind the end',
      { id: 'r5', lines: '201' },
      /^r5 has 200 lines; "lines" starts after the last one\.$/,
    ],
    ['an empty search', { id: 'r5', grep: '' }, /^"grep" must be/],
    ['a search that is too long', { id: 'r5', grep: 'x'.repeat(501) }, /^"grep" must be/],
    ['a search that is no text', { id: 'r5', grep: 5 }, /^"grep" must be/],
    ['too much context', { id: 'r5', grep: 'x', context: 21 }, /^"context" must be/],
    ['less than no context', { id: 'r5', grep: 'x', context: -1 }, /^"context" must be/],
    ['context of half a line', { id: 'r5', grep: 'x', context: 1.5 }, /^"context" must be/],
    ['context that is no number', { id: 'r5', grep: 'x', context: '1' }, /^"context" must be/],
    ['a line before the first', { id: 'r5', lines: '0-5' }, /^"lines" must start at 1/],
    ['an id that is no text', { id: 5, lines: '1' }, /^"id" is missing\. Stored results: r5 /],
  ])('refuses %s, and names a valid argument', async (_, args, message) => {
    const result = await read(args);
    expect(result).toMatchObject({ content: expect.stringMatching(message), isError: true });
    expect(result.noAnswer).toBeUndefined();
  });

  it('states that parts are missing', async () => {
    expect(await read({ id: 'r7', lines: '1' })).toMatchObject({
      content: 'r7 could not be read: 1 of the 2 parts of r7 (kubernetes.get_logs) are stored',
      isError: true,
      noAnswer: true,
    });
  });

  it('states that nothing was cut', async () => {
    expect((await read({ id: 'r5', lines: '1' }, {}, await executorOf([]))).content).toMatch(
      /^There is no .*"r5"\. No result of yours was cut/,
    );
  });
});

describe('the list of tools', () => {
  it('has it after the others, before anything is cut: a request starts with it', async () => {
    const [none, some] = [await executorOf([]), await executorOf()];
    expect(none.list().map(({ name }) => name)).toEqual([logs.name, 'read_result']);
    expect(JSON.stringify(none.list())).toBe(JSON.stringify(some.list()));
    const tool = none.list().at(-1);
    expect(tool).toMatchObject({ readOnly: true });
    expect(tool?.waits).toBeUndefined();
    expect(checkArguments(tool?.inputSchema ?? {}, { id: 'r5', line: '1' })).toMatch(/line/);
  });

  it('lacks it for an agent without tools', async () => {
    const executor = await executorOf([], { ...unreachableTools(new Error('down')) });
    expect(executor.list()).toEqual([]);
  });
});
