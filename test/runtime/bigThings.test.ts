// Big things pass: what is too large is cut and says so, what may not be cut is carried whole, and no document comes
// near Firestore's limit. Documents are measured on the wire.

import { describe, expect, it, onTestFinished } from 'vitest';
import type { Script } from '../../local/scriptedGemini/script.ts';
import { systemFileSchema } from '../../shared/config/schema.ts';
import { paths } from '../../shared/schema/documents.ts';
import { expectNoGaps, toolResultsOf } from '../support/expectations.ts';
import { tapFirestore } from '../support/firestoreWire.ts';
import { type AgentOptions, EXECUTION, investigate } from '../support/harness.ts';
import { startTextServer } from '../tools/httpServer.ts';

/** The largest `toolResultLimit` that configuration accepts. */
const MAX_RESULT_BYTES = 400_000;
const FIVE_MEGABYTES = 5_000_000;
/** What our own code refuses; Firestore itself refuses 1 MiB. */
const MAX_DOCUMENT_BYTES = 900_000;
/** A signature and what it is in base64, the size of the largest that was recorded. */
const SIGNATURE_BYTES = 123_750;
const SIGNATURE_LENGTH = 165_000;

interface SentPart {
  functionCall?: { id: string };
  functionResponse?: { id: string; response: unknown };
  thoughtSignature?: string;
}
type Run = Awaited<ReturnType<typeof investigate>>;
type Turn = Script['conversations'][number]['turns'][number];

const textOf = (length: number, pattern: string) => ({ name: 'text.text', args: { length, pattern } });

/** A whole investigation of one answer and a conclusion, with the server of long texts; and what it wrote. */
async function investigateBig({ turn, limits, ...agent }: AgentOptions & { turn: Turn }) {
  const wire = await tapFirestore();
  const server = await startTextServer();
  onTestFinished(() => server.close());
  const run = await investigate({
    agent: {
      tools: ['text'],
      ...(limits && { limits }),
      ...agent,
    },
    servers: { text: { transport: 'http', url: server.url } },
    script: { conversations: [{ turns: [turn, { text: 'Final Answer: Done.' }] }] },
  });
  const commits = wire.take().Commit;
  const written = commits?.written ?? [];
  expect(run.session.status).toBe('completed');
  expect(run.gemini.requests.map(({ outcome }) => outcome.kind)).toEqual(['answered', 'answered']);
  expectNoGaps(run);
  expect(Math.max(...written.map(({ bytes }) => bytes))).toBeLessThan(MAX_DOCUMENT_BYTES);
  return { run, written };
}

/** The parts of the second request's contents of a role, after the first prompt. */
function sentParts(run: Run, role: 'user' | 'model'): SentPart[] {
  const body = run.gemini.requests[1]?.body as { contents: { role: string; parts: SentPart[] }[] };
  return body.contents.slice(1).flatMap((content) => (content.role === role ? content.parts : []));
}

/** The one result is cut to its limit, no more than needed, and both people and the model can see it. */
function expectCut(run: Run, toolResultBytes: number): void {
  const [result] = toolResultsOf(run);
  expect(result?.metadata).toMatchObject({ isError: false, truncated: true });
  const kept = Buffer.byteLength(result?.content ?? '');
  expect(kept).toBeLessThanOrEqual(toolResultBytes);
  expect(kept).toBeGreaterThan(toolResultBytes - 10);
  expect(result?.content).toMatch(/\n\[\.\.\. 4\d{6} of 5000000 bytes left out \.\.\.\]\n/);
  expect(JSON.stringify(sentParts(run, 'user'))).toContain('of 5000000 bytes left out');
}

/** The answer's signature goes back as it came. */
function expectSignature(run: Run): void {
  const stored = run.messages.find(({ role }) => role === 'assistant')?.providerParts?.parts ?? '[]';
  const signatures = (JSON.parse(stored) as SentPart[]).flatMap(
    ({ thoughtSignature = [] }) => thoughtSignature,
  );
  expect(signatures.map(({ length }) => length)).toEqual([SIGNATURE_LENGTH]);
  const replayed = sentParts(run, 'model').flatMap(({ thoughtSignature = [] }) => thoughtSignature);
  // Not compared by toEqual, which would print both. The scripted Gemini checked it as well.
  expect(replayed.join() === signatures.join(), 'the signature that was replayed').toBe(true);
}

describe('a tool result of 5 MB', () => {
  it('may be kept up to 400 kB by configuration, and no further', () => {
    const accepts = (toolResultLimit: string) => systemFileSchema.safeParse({ toolResultLimit }).success;
    expect(accepts(`${MAX_RESULT_BYTES}B`)).toBe(true);
    expect(accepts(`${MAX_RESULT_BYTES + 1}B`)).toBe(false);
  });

  it.each([
    ['the default limit', 64_000, 'x'],
    ['the largest limit', MAX_RESULT_BYTES, 'x'],
    ['the largest limit, when JSON doubles it', MAX_RESULT_BYTES, '"\n'],
    ['the largest limit, when JSON makes six bytes of one', MAX_RESULT_BYTES, '\u0001'],
    ['the largest limit, between characters of four bytes', MAX_RESULT_BYTES, '😀'],
  ])('is cut at %s and says so', async (_what, toolResultBytes, pattern) => {
    const length = (FIVE_MEGABYTES * pattern.length) / Buffer.byteLength(pattern);
    const turn = { toolCalls: [textOf(length, pattern)] };
    const { run } = await investigateBig({ turn, limits: { toolResultBytes } });
    expectCut(run, toolResultBytes);
  });

  it('is cut at the largest limit for an agent that reads results as text', async () => {
    const input = JSON.stringify(textOf(FIVE_MEGABYTES, 'line\n').args);
    const { run } = await investigateBig({
      strategy: 'react',
      limits: { toolResultBytes: MAX_RESULT_BYTES },
      turn: { text: `Thought: I look.\nAction: text.text\nAction Input: ${input}` },
    });
    expectCut(run, MAX_RESULT_BYTES);
  });
});

describe('a thought signature of 165 kB', () => {
  it('goes back byte for byte', async () => {
    const turn = { toolCalls: [textOf(10, 'x')], signatureBytes: SIGNATURE_BYTES };
    const { run } = await investigateBig({ turn });
    expectSignature(run);
  });

  it('goes back byte for byte together with a result of 5 MB, cut at the largest limit', async () => {
    const turn = { toolCalls: [textOf(FIVE_MEGABYTES, 'line\n')], signatureBytes: SIGNATURE_BYTES };
    const { run } = await investigateBig({ turn, limits: { toolResultBytes: MAX_RESULT_BYTES } });
    expectSignature(run);
    expectCut(run, MAX_RESULT_BYTES);
  });
});

describe('64 parallel calls with results of 20 kB', () => {
  it('all reach the model whole and in order, with one commit each', async () => {
    const patterns = Array.from({ length: 64 }, (_, index) => `call ${index}\n`);
    const turn = { toolCalls: patterns.map((pattern) => textOf(20_000, pattern)) };
    const { run, written } = await investigateBig({ turn });

    const results = toolResultsOf(run);
    expect(results.map(({ content }) => content.length)).toEqual(patterns.map(() => 20_000));
    expect(results.map(({ content }) => content.slice(0, content.indexOf('\n') + 1))).toEqual(patterns);
    const calls = sentParts(run, 'model').flatMap(({ functionCall }) => functionCall?.id ?? []);
    const responses = sentParts(run, 'user').flatMap(({ functionResponse = [] }) => functionResponse);
    expect(responses.map(({ id }) => id)).toEqual(calls);
    for (const [index, { response }] of responses.entries()) {
      const whole = JSON.stringify(results[index]?.content).slice(1, -1);
      expect(JSON.stringify(response).includes(whole), `result ${index} is whole`).toBe(true);
    }
    expect(responses).toHaveLength(64);

    // It is written with the alert, two claims, two answers and each result.
    const path = paths.execution(run.sessionId, EXECUTION);
    expect(written.filter((document) => document.path === path)).toHaveLength(1 + 2 + 2 + 64);
  });
});
