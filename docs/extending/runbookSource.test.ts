import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ExecuteOptions } from '../../shared/core/contract/tools.ts';
import { RetryableError } from '../../shared/core/errors.ts';
import { createToolConnector } from '../../shared/tools/connectTools.ts';
import { runbookSource } from './runbookSource.ts';

const folder = mkdtempSync(join(tmpdir(), 'runbooks-'));
writeFileSync(join(folder, 'oom.md'), '# Out of memory\nRaise the limit.\n');
writeFileSync(join(folder, 'crash-loop.md'), '# Crash loop\n');
writeFileSync(join(folder, 'secret.txt'), 'not a runbook');
afterAll(() => rmSync(folder, { recursive: true }));

const options: ExecuteOptions = {
  signal: new AbortController().signal,
  timeoutMs: 5_000,
  maxResultBytes: 20,
  mask: (text: string) => ({ text, count: 0 }),
  idempotencyKey: 's/e/1/0',
  traceparent: null,
};
const warned: string[] = [];
const connect = (allowed: string[], from = folder) =>
  createToolConnector([runbookSource(from)], { warn: (message) => warned.push(message) })(allowed, {
    signal: options.signal,
  });
/** What a call gives, through the connector of the runtime. */
async function run(name: string, args: string, call: Partial<ExecuteOptions> = {}) {
  const tools = await connect(['runbooks']);
  try {
    return await tools.execute({ callId: 'c1', name, arguments: args }, { ...options, ...call });
  } finally {
    await tools.close();
  }
}

describe('the tools an agent gets', () => {
  it.each([
    [['runbooks'], ['runbooks.list', 'runbooks.read']],
    [['runbooks.read'], ['runbooks.read']],
  ])('with %j are %j', async (allowed, names) => {
    expect((await connect(allowed)).list().map(({ name }) => name)).toEqual(names);
    expect(warned).toEqual([]);
  });

  it('cannot be had while the folder is missing: the source is missing, and tried again', async () => {
    const { missing } = await connect(['runbooks'], join(folder, 'nowhere'));
    expect(missing).toMatchObject([{ name: 'runbooks', error: { code: 'TOOL_SERVER_UNAVAILABLE' } }]);
    expect(missing[0]?.error).toBeInstanceOf(RetryableError);
    expect(String(missing[0]?.error)).not.toContain(folder);
  });
});

describe('a call', () => {
  it('lists the runbooks in a stable order', async () => {
    expect(await run('runbooks.list', '')).toMatchObject({ content: 'crash-loop\noom', isError: false });
  });

  it('reads a runbook, cut at the limit of the agent', async () => {
    const whole = await run('runbooks.read', '{"name": "oom"}', { maxResultBytes: 1_000 });
    expect(whole).toMatchObject({ content: '# Out of memory\nRaise the limit.\n', truncated: false });
    expect(await run('runbooks.read', '{"name": "oom"}')).toMatchObject({ truncated: true, isError: false });
  });

  it.each([
    ['a runbook that does not exist', '{"name": "nosuch"}'],
    ['a path', '{"name": "../oom"}'],
    ['a file that is no runbook', '{"name": "secret.txt"}'],
    ['no name', '{}'],
    ['an argument too many', '{"name": "oom", "lines": 3}'],
    ['text', 'oom'],
  ])('with %s is a result the model can read', async (_, args) => {
    expect(await run('runbooks.read', args)).toMatchObject({ isError: true, timedOut: false });
  });

  it('throws only when it is aborted', async () => {
    const reason = new Error('the lease is lost');
    const aborted = run('runbooks.read', '{"name": "oom"}', { signal: AbortSignal.abort(reason) });
    await expect(aborted).rejects.toBe(reason);
  });
});
