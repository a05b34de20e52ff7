import { describe, expect, it } from 'vitest';
import { answer } from '../../core/contract/llm.fixture.ts';
import type { CallReport, GenerateOptions } from '../../core/contract/llm.ts';
import { type AttemptOutcome, type FailureKind, modelFailure } from '../failures.ts';
import { type Attempts, askUntilAnswered, noteReceived } from './retryModelCall.ts';

const ANSWER: AttemptOutcome = { kind: 'answer', response: answer({ text: 'Memory.' }) };
const failed = (kind: FailureKind, retryAfterMs?: number): AttemptOutcome => ({
  kind: 'failure',
  failure: modelFailure(kind, `it is ${kind}`, { retryAfterMs }),
});

/** Asks a client that ends its attempts in this way, one after the other; the last way again and again. */
async function ask(
  outcomes: AttemptOutcome[],
  { change = () => undefined, ...call }: Partial<Attempts<string>> & Partial<GenerateOptions> = {},
) {
  const requests: string[] = [];
  const waits: number[] = [];
  const logged: unknown[] = [];
  const report: CallReport = { requestBytes: 0, responseBytes: 0, attempts: 0, attemptErrors: [] };
  const attempts: Attempts<string> = {
    client: 'Test',
    request: 'first',
    async ask(request) {
      requests.push(request);
      const outcome = outcomes[Math.min(requests.length, outcomes.length) - 1];
      return outcome ?? ANSWER;
    },
    change,
  };
  const result = await askUntilAnswered(
    attempts,
    { signal: new AbortController().signal, report, ...call },
    {
      log: (...entry) => logged.push(entry),
      random: () => 0,
      now: () => 0,
      sleep: async (ms) => {
        waits.push(ms);
      },
    },
  ).catch((thrown: unknown) => thrown);
  return { result, requests, waits, logged, report };
}

describe('a call', () => {
  it('that is answered at once is one attempt', async () => {
    const { result, requests, report, logged } = await ask([ANSWER]);
    expect(result).toMatchObject({ text: 'Memory.' });
    expect({ requests, logged }).toEqual({ requests: ['first'], logged: [] });
    expect(report).toMatchObject({ attempts: 1, attemptErrors: [] });
  });

  it.each(['rate_limit', 'unavailable', 'network', 'cut', 'empty'] as const)(
    'that fails (%s) is repeated, reported and logged',
    async (kind) => {
      const { result, requests, report, logged } = await ask([failed(kind), ANSWER]);
      expect(result).toMatchObject({ text: 'Memory.' });
      expect(requests).toEqual(['first', 'first']);
      const { code } = modelFailure(kind, '').error;
      expect(report).toMatchObject({ attempts: 2, attemptErrors: [`${code}: it is ${kind}`] });
      expect(logged).toEqual([
        ['Test attempt failed', { attempt: 1, what: kind, code, error: `it is ${kind}` }],
      ]);
    },
  );

  it('gives up after three attempts, with the error of the last', async () => {
    const { result, report, waits } = await ask([failed('cut'), failed('empty'), failed('unavailable')]);
    expect(result).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    expect(report.attempts).toBe(3);
    expect(waits).toHaveLength(2);
  });

  it.each(['bad_request', 'configuration', 'credentials', 'quota', 'max_tokens', 'malformed_call'] as const)(
    'that cannot survive its failure (%s) is not repeated',
    async (kind) => {
      const { result, report } = await ask([failed(kind), ANSWER]);
      expect(result).toMatchObject({ message: `it is ${kind}` });
      expect(report).toMatchObject({ attempts: 1, attemptErrors: [expect.stringContaining(kind)] });
    },
  );

  it('is repeated with the changed request, whatever the failure', async () => {
    const { requests, waits } = await ask([failed('max_tokens'), failed('cut'), ANSWER], {
      change: (kind, request) => (kind === 'max_tokens' ? { request: `${request}, changed` } : undefined),
    });
    expect(requests).toEqual(['first', 'first, changed', 'first, changed']);
    expect(waits).toHaveLength(2);
  });

  it('that was mended is repeated at once, and the failure does not count', async () => {
    const { requests, waits, report } = await ask(
      [failed('signature'), failed('cut'), failed('cut'), ANSWER],
      {
        change: (kind) => (kind === 'signature' ? { request: 'mended', atOnce: true } : undefined),
      },
    );
    expect(requests).toEqual(['first', 'mended', 'mended', 'mended']);
    expect(waits).toHaveLength(2);
    expect(report.attempts).toBe(4);
  });

  it('waits as long as the provider asks, but not beyond its deadline', async () => {
    expect((await ask([failed('rate_limit', 7_000), ANSWER])).waits).toEqual([7_000]);
    const { result, waits } = await ask([failed('rate_limit', 7_000), ANSWER], { deadline: 6_999 });
    expect(result).toMatchObject({ code: 'MODEL_QUOTA', retryAfterMs: 7_000 });
    expect(waits).toEqual([]);
  });

  it('that was aborted asks nothing', async () => {
    const reason = new Error('too late');
    const { result, requests } = await ask([ANSWER], { signal: AbortSignal.abort(reason) });
    expect(result).toBe(reason);
    expect(requests).toEqual([]);
  });
});

describe('the report', () => {
  it('adds the tokens of all attempts, and has sizes and finish reason of the last', () => {
    const report: CallReport = { requestBytes: 0, responseBytes: 0, attempts: 0, attemptErrors: [] };
    const usage = { input: 1, output: 2, thinking: 3, cached: 4, total: 10 };
    noteReceived(report, { responseBytes: 9, usage, finishReason: 'STOP' });
    noteReceived(report, { responseBytes: 5, usage, finishReason: null });
    expect(report).toMatchObject({
      responseBytes: 5,
      usage: { input: 2, output: 4, thinking: 6, cached: 8, total: 20 },
      finishReason: 'STOP',
    });
  });

  it('has no finish reason of an attempt before the last', async () => {
    const report: CallReport = {
      requestBytes: 0,
      responseBytes: 0,
      attempts: 1,
      attemptErrors: [],
      finishReason: 'MAX_TOKENS',
    };
    await ask([failed('network')], { report });
    expect(report).not.toHaveProperty('finishReason');
  });
});

describe('a repetition', () => {
  it('is asked for before each attempt but the first, and after false the failure stays', async () => {
    const asked: number[] = [];
    const mayRepeat = async () => asked.push(asked.length) < 2;
    const { result, requests } = await ask([failed('cut')], { mayRepeat });
    expect([requests.length, asked]).toEqual([2, [0, 1]]);
    expect(result).toMatchObject({ code: 'MODEL_STREAM_CUT' });
  });

  it('is not made when nothing can be reserved for it', async () => {
    const mayRepeat = () => Promise.reject(new Error('no answer'));
    const { result, requests } = await ask([failed('cut'), ANSWER], { mayRepeat });
    expect(requests).toHaveLength(1);
    expect(result).toMatchObject({ code: 'MODEL_STREAM_CUT' });
  });

  it('of a mended request is asked for, too', async () => {
    const change = () => ({ request: 'mended', atOnce: true });
    const { requests } = await ask([failed('cut'), ANSWER], { change, mayRepeat: async () => false });
    expect(requests).toEqual(['first']);
  });
});
