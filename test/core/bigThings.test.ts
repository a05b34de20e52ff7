// Big things pass: what is too large is cut and says so, what may not be cut is carried whole, and no
// document comes near Firestore's limit. Documents are measured on the wire.

import { describe, expect, it, onTestFinished } from 'vitest';
import type { ModelScript } from '../../local/scriptedModel/modelScript.ts';
import { systemFileSchema } from '../../shared/config/schema.ts';
import { readMessages } from '../../shared/core/kernel/conversation/conversation.ts';
import { paths, resultPartType } from '../../shared/lists/documents.ts';
import { expectNoGaps, listToolResults } from '../support/expectations.ts';
import { IS_FULL, IS_LONG } from '../support/fullTests.ts';
import { type AgentOptions, EXECUTION, investigate, opened } from '../support/harness.ts';
import { startTextServer } from '../tools/httpServer.ts';
import { tapFirestore } from './firestoreWire.ts';

/** Without a `toolResultLimit`. */
const DEFAULT_RESULT_BYTES = 64_000;
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
const DONE = { text: 'Final Answer: Done.' };
type Turn = ModelScript['conversations'][number]['turns'][number];

const textOf = (length: number, pattern: string) => ({ name: 'text.text', args: { length, pattern } });

/** A whole investigation of one answer and a conclusion, with the server of long texts; and what it wrote. */
async function investigateBig({ turn, limits, ...agent }: AgentOptions & { turn: Turn }) {
  const wire = await tapFirestore();
  const server = await startTextServer();
  onTestFinished(() => server.close());
  const run = await investigate({
    inMemory: false,
    agent: {
      tools: ['text'],
      ...(limits && { limits }),
      ...agent,
    },
    servers: { text: { transport: 'http', url: server.url } },
    script: { conversations: [{ turns: [turn, DONE] }] },
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

/** The one result is cut to its limit, little more than needed, and both people and the model can see it. */
function expectCut(run: Run, toolResultBytes: number): void {
  const [result] = listToolResults(run);
  expect(result?.metadata).toMatchObject({ isError: false, truncated: true });
  const kept = Buffer.byteLength(result?.content ?? '');
  expect(kept).toBeLessThanOrEqual(toolResultBytes);
  expect(kept).toBeGreaterThan(toolResultBytes * 0.99 - 300);
  expect(result?.content).toMatch(/^\[This result is r4: \d{7} bytes in \d+ lines\./);
  expect(result?.content).toMatch(/\n\[\.\.\. \d{6,7} of \d{7} bytes left out \.\.\.\]\n/);
  expect(JSON.stringify(sentParts(run, 'user'))).toMatch(/of \d{7} bytes left out/);
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
  it('is kept up to 400 kB by configuration, and no further', () => {
    const accepts = (toolResultLimit: string) => systemFileSchema([]).safeParse({ toolResultLimit }).success;
    expect(accepts(`${MAX_RESULT_BYTES}B`)).toBe(true);
    expect(accepts(`${MAX_RESULT_BYTES + 1}B`)).toBe(false);
  });

  const CUT: [string, number, string][] = [
    ['the largest limit', MAX_RESULT_BYTES, 'x'],
    ['the largest limit, when JSON doubles it', MAX_RESULT_BYTES, '"\n'],
    [
      'the largest limit, when it becomes longer because nothing of it can be seen',
      MAX_RESULT_BYTES,
      '\u0001',
    ],
    ['the largest limit, between characters of four bytes', MAX_RESULT_BYTES, '😀'],
  ];
  it.runIf(IS_LONG).each(CUT)('is cut at %s and states so', async (_what, toolResultBytes, pattern) => {
    // An answer has at most 8 MB as JSON.
    const bytes = Math.min(
      FIVE_MEGABYTES,
      (6_000_000 * pattern.length) / (JSON.stringify(pattern).length - 2),
    );
    const length = (bytes * pattern.length) / Buffer.byteLength(pattern);
    const turn = { toolCalls: [textOf(length, pattern)] };
    const { run } = await investigateBig({ turn, limits: { toolResultBytes } });
    expectCut(run, toolResultBytes);
  });

  it('is stored whole, before and with its message, in documents of 600 kB', async () => {
    const turn = { toolCalls: [textOf(FIVE_MEGABYTES, 'line\n')] };
    const { run, written } = await investigateBig({ turn });
    expectCut(run, DEFAULT_RESULT_BYTES);
    const [result] = listToolResults(run);
    const parts = written.filter(({ path }) => path.startsWith(`${paths.results(run.sessionId)}/`));
    expect(parts.map(({ bytes }) => Math.floor(bytes / 600_000))).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 0]);
    expect(result?.metadata.stored).toMatchObject({
      firstPart: 1,
      parts: 9,
      bytes: FIVE_MEGABYTES,
      lines: 1_000_000,
    });
    const stored = await run.deps.store.list({ collection: paths.results(run.sessionId) }, resultPartType);
    const text = stored.map(({ value }) => value.text).join('');
    expect(text === 'line\n'.repeat(1_000_000)).toBe(true);
  });

  it.runIf(IS_LONG)('is cut at the largest limit for an agent that reads results as text', async () => {
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

  it.runIf(IS_LONG)(
    'goes back byte for byte together with a result of 5 MB, cut at the largest limit',
    async () => {
      const turn = { toolCalls: [textOf(FIVE_MEGABYTES, 'line\n')], signatureBytes: SIGNATURE_BYTES };
      const { run } = await investigateBig({ turn, limits: { toolResultBytes: MAX_RESULT_BYTES } });
      expectSignature(run);
      expectCut(run, MAX_RESULT_BYTES);
    },
  );
});

describe('64 parallel calls with results of 20 kB', () => {
  it('all reach the model whole and in order, with one commit each', async () => {
    const patterns = Array.from({ length: 64 }, (_, index) => `call ${index}\n`);
    const turn = { toolCalls: patterns.map((pattern) => textOf(20_000, pattern)) };
    const { run, written } = await investigateBig({ turn });

    const results = listToolResults(run);
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

/** More than a document of Firestore holds: an answer may be as large as this in every one of its parts. */
const BIG_BYTES = 1_500_000;
/** As JSON in JSON, signs of this length are more than a commit holds. */
const THREE_MEGABYTES = 3_000_000;
const MARK = /bytes left out/;

/** `bytes` of a UTF-8 pattern, without blanks: the scripted Gemini sends words as chunks. */
const filled = (pattern: string, bytes = BIG_BYTES) =>
  pattern.repeat(Math.floor(bytes / Buffer.byteLength(pattern)));
/** What the model is shown of its own first answer at the second request, as JSON. */
const replayed = (run: Run) => JSON.stringify(sentParts(run, 'model'));
const jsonOf = (text: string) => JSON.stringify(text).slice(1, -1);
/** Compared without `expect`, which would print megabytes. */
const holds = (whole: string, part: string) => whole.includes(part);

describe('an answer larger than a document', () => {
  const call = textOf(10, 'x');
  const TEXTS: [string, string][] = [
    ['plain', 'text-'],
    ['of four bytes each', '😀'],
  ];

  it.each(IS_LONG ? TEXTS : TEXTS.slice(0, 1))(
    'in its text beside a call (%s) goes back whole; its event is cut and states so',
    async (_, pattern) => {
      const text = filled(pattern);
      const { run } = await investigateBig({ turn: { text, toolCalls: [call] } });
      expect(holds(replayed(run), jsonOf(text).trim())).toBe(true);
      expect(run.timeline.find(({ eventType }) => eventType === 'llm_response')?.content).toMatch(MARK);
      expect(listToolResults(run)).toMatchObject([{ status: 'completed' }]);
    },
  );

  it.runIf(IS_LONG)('in arguments runs the call with all of them; its event is cut and marked', async () => {
    const pattern = filled('argument ');
    const { run } = await investigateBig({ turn: { toolCalls: [textOf(pattern.length, pattern)] } });
    expect(listToolResults(run)).toMatchObject([{ metadata: { isError: false, truncated: true } }]);
    expect(holds(replayed(run), pattern)).toBe(true);
    const [event] = run.timeline.filter(({ eventType }) => eventType === 'llm_tool_call');
    expect(event?.content).toMatch(MARK);
    const stored = event?.eventType === 'llm_tool_call' ? event.metadata.arguments : '';
    expect(JSON.parse(stored)).toMatch(MARK);
  });

  it.runIf(IS_LONG)('in arguments is whole for the process that takes over', async () => {
    const pattern = filled('argument ');
    const bench = await opened({
      agent: { tools: ['fixture'] },
      script: {
        conversations: [{ turns: [{ toolCalls: [{ name: 'fixture.echo', args: { pattern } }] }, DONE] }],
      },
    });
    // The claim and the answer are stored; then the process dies.
    bench.dieAfterCommits(2);
    await expect(bench.deliverNext()).rejects.toThrow('died');
    bench.revive();
    const ran: string[] = [];
    const { connectTools } = bench.deps;
    bench.deps.connectTools = async (...args) => {
      const executor = await connectTools(...args);
      return {
        ...executor,
        execute: (call, options) => {
          ran.push(call.arguments);
          return executor.execute(call, options);
        },
      };
    };
    await bench.drain();
    expect(ran.map((json) => json === JSON.stringify({ pattern }))).toEqual([true]);
    expect((await bench.read(bench.sessionId)).session.status).toBe('completed');
  });

  it.runIf(IS_FULL)(
    'in arguments that even a commit cannot hold runs nothing, and the model gets an error',
    async () => {
      const pattern = filled('"', THREE_MEGABYTES);
      const { run } = await investigateBig({ turn: { toolCalls: [textOf(10, pattern), call] } });
      expect(listToolResults(run).map(({ content }) => content)).toEqual([
        expect.stringMatching(/^Not run: .* too large/),
        expect.stringMatching(/^Not run: .* too large/),
      ]);
    },
  );

  it.runIf(IS_LONG)('in its thoughts is a cut and marked event, and whole in the conversation', async () => {
    const thinking = filled('wonder-');
    const { run } = await investigateBig({ turn: { thinking, toolCalls: [call] } });
    expect(run.timeline[0]).toMatchObject({
      eventType: 'llm_thinking',
      content: expect.stringMatching(MARK),
    });
    expect(run.interactions[0]?.thinking).toMatch(MARK);
    const stored = await readMessages(run.deps.store, run.sessionId, EXECUTION);
    const thought = stored.value?.get(3)?.blocks[0];
    expect(thought?.blockType === 'thinking' && thought.textContent === thinking).toBe(true);
  });

  it.runIf(IS_LONG).each([
    ['code', (text: string) => ({ code: text, result: '42' })],
    ['output of code', (text: string) => ({ code: 'print(6 * 7)', result: text })],
  ])('in %s is an event that is cut and states so', async (_, execution) => {
    const native = { tools: [], nativeTools: ['code_execution' as const] };
    const { run } = await concludeBig(
      { codeExecutions: [execution(filled('text '))], text: 'Done.' },
      native,
    );
    expect(run.timeline[0]).toMatchObject({
      eventType: 'code_execution',
      content: expect.stringMatching(MARK),
    });
    expect(run.session.finalAnalysis).toBe('Done.');
  });

  it.runIf(IS_LONG).each([
    ['native-thinking', '', 'analysis-'],
    ['native-thinking', '', '"'],
    ['single-call', '', 'analysis-'],
    ['react', 'Final Answer: ', 'analysis-'],
  ])(
    'that concludes (%s, %j%j) is cut in the session, which states so, and is whole in the conversation',
    async (strategy, head, pattern) => {
      // As JSON in JSON the odd one has four times as many bytes: more than a commit holds.
      const text = head + filled(pattern, pattern === '"' ? THREE_MEGABYTES : BIG_BYTES);
      const { run } = await concludeBig({ text }, { strategy });
      expect(run.session.finalAnalysis).toMatch(MARK);
      expect(run.session.caveats).toEqual([{ executionId: EXECUTION, code: 'DOCUMENT_TOO_LARGE' }]);
      expect(run.timeline.at(-1)).toMatchObject({
        eventType: 'final_analysis',
        content: expect.stringMatching(MARK),
      });
      const stored = await readMessages(run.deps.store, run.sessionId, EXECUTION);
      const answer = [...(stored.value?.values() ?? [])].at(-1)?.blocks[0];
      const kept = answer?.blockType === 'text' ? answer.textContent : '';
      if (pattern === '"') expect(kept).toMatch(MARK);
      else expect(kept === text).toBe(true);
    },
  );

  it.runIf(IS_LONG)('in a thought and in the input of an action of ReAct goes back whole', async () => {
    const [thought, pattern] = [filled('thought-', 900_000), filled('input-', 900_000)];
    const input = JSON.stringify(textOf(10, pattern).args);
    const text = `Thought: ${thought}\nAction: text.text\nAction Input: ${input}`;
    const { run } = await investigateBig({ strategy: 'react', turn: { text } });
    expect(listToolResults(run)).toMatchObject([{ status: 'completed' }]);
    expect(holds(replayed(run), jsonOf(text))).toBe(true);
  });

  it.runIf(IS_LONG)('that is no ReAct answer costs its iteration, no more', async () => {
    const { run } = await investigateBig({ strategy: 'react', turn: { text: filled('neither-nor-') } });
    expect(run.timeline.map(({ eventType }) => eventType)).toEqual(['error', 'final_analysis']);
  });

  it.runIf(IS_LONG)(
    'with sources and citations by the thousand loses some of them, and is marked',
    async () => {
      const sources = Array.from({ length: 3_000 }, (_, index) => ({
        uri: `https://example.com/${index}/${'a'.repeat(300)}`,
        title: `Source ${index} ${'t'.repeat(300)}`,
      }));
      const text = sources.map((_, index) => `Sentence number ${index}.`).join(' ');
      const supports = sources.map((_, index) => ({ text: `Sentence number ${index}.`, sources: [index] }));
      const grounding = { queries: ['all'], sources, supports };
      const native = { tools: [], nativeTools: ['google_search' as const] };
      const { run } = await concludeBig({ text, grounding }, native);
      const [search, analysis] = run.timeline;
      expect(search?.content).toMatch(/too many to be kept whole/);
      expect(analysis).toMatchObject({ eventType: 'final_analysis' });
    },
  );

  it.runIf(IS_LONG)('of many calls with large arguments each keeps every call', async () => {
    const calls = Array.from({ length: 64 }, (_, index) => textOf(10, `${index} `.repeat(12_000)));
    const { run } = await investigateBig({ turn: { toolCalls: calls } });
    expect(listToolResults(run).map(({ status }) => status)).toEqual(calls.map(() => 'completed'));
  });
});

/** A whole investigation of one answer that concludes, and what it wrote. */
async function concludeBig(turn: Turn, agent: AgentOptions = {}) {
  const wire = await tapFirestore();
  const run = await investigate({ inMemory: false, agent, script: { conversations: [{ turns: [turn] }] } });
  const written = wire.take().Commit?.written ?? [];
  expect(run.session).toMatchObject({ status: 'completed', failure: null });
  expectNoGaps(run);
  expect(Math.max(...written.map(({ bytes }) => bytes))).toBeLessThan(MAX_DOCUMENT_BYTES);
  return { run, written };
}
