import { describe, expect, it } from 'vitest';
import { expectNoGaps, listErrorCodes, listEventTypes } from '../support/expectations.ts';
import { type AgentOptions, agentOf, type BenchOptions, investigate } from '../support/harness.ts';

type Turn = BenchOptions['script']['conversations'][number]['turns'][number];
interface SentBody {
  tools?: { functionDeclarations?: { name: string; parametersJsonSchema: unknown }[] }[];
  generationConfig: { responseMimeType?: string; responseJsonSchema?: unknown };
}

const SCHEMA = {
  type: 'object',
  properties: { answer: { type: 'string' }, confidence: { type: 'number' } },
  required: ['answer'],
};
const GOOD = { answer: 'Out of memory.', confidence: 0 };
const TEXT = 'Out of memory.\n\n**confidence**: 0';
const run = (agent: AgentOptions, ...turns: Turn[]) =>
  investigate({
    agent: { outputSchema: JSON.stringify(SCHEMA), ...agent },
    script: { conversations: [{ turns }] },
    inMemory: true,
  });
const bodies = ({ gemini }: Awaited<ReturnType<typeof run>>) =>
  gemini.requests.map(({ body }) => body as SentBody);
const analysisOf = ({ timeline }: Awaited<ReturnType<typeof run>>) =>
  timeline.find((event) => event.eventType === 'final_analysis');

describe('an investigation with structured output', () => {
  it('without tools sends the schema, and keeps the answer as JSON beside the text', async () => {
    const done = await run({}, { text: JSON.stringify(GOOD) });
    expect(bodies(done)[0]?.generationConfig).toMatchObject({
      responseMimeType: 'application/json',
      responseJsonSchema: SCHEMA,
    });
    expect(analysisOf(done)).toMatchObject({
      content: TEXT,
      metadata: { output: JSON.stringify(GOOD) },
    });
    expect(done.session).toMatchObject({ status: 'completed', finalAnalysis: TEXT, caveats: [] });
    expectNoGaps(done);
  });

  it('with tools offers a function for it, which no event shows', async () => {
    const done = await run(
      { tools: ['fixture.echo'] },
      { toolCalls: [{ name: 'fixture.echo', args: { pod: 'web' } }] },
      { toolCalls: [{ name: 'final_result', args: GOOD }] },
    );
    const [first] = bodies(done);
    expect(first?.generationConfig).not.toHaveProperty('responseJsonSchema');
    const declared = first?.tools?.[0]?.functionDeclarations?.at(-1);
    expect(declared).toMatchObject({ name: 'final_result', parametersJsonSchema: SCHEMA });
    expect(listEventTypes(done)).toEqual(['llm_tool_call', 'tool_result', 'final_analysis']);
    expect(analysisOf(done)?.metadata).toMatchObject({ output: JSON.stringify(GOOD) });
    expect(JSON.stringify([done.timeline, done.messages])).not.toContain('final_result');
    expectNoGaps(done);
  });

  it.each([
    ['single-call', []],
    ['native-thinking', ['fixture.echo']],
  ] as const)('of %s with %j is asked again with its faults, within the limit', async (strategy, tools) => {
    const give = (value: object): Turn =>
      tools.length === 0
        ? { text: JSON.stringify(value) }
        : { toolCalls: [{ name: 'final_result', args: { ...value } }] };
    const done = await run(
      { strategy, tools: [...tools], limits: { maxIterations: 3 } },
      give({ answer: 7 }),
      give(GOOD),
    );
    expect(listErrorCodes(done)).toEqual(['OUTPUT_INVALID']);
    expect(JSON.stringify(bodies(done)[1])).toContain('must be a string, not 7.');
    expect(analysisOf(done)?.metadata).toMatchObject({ output: JSON.stringify(GOOD) });
    expect(done.session.status).toBe('completed');
    expectNoGaps(done);
  });

  it('whose faults use up the iterations ends with the text, and is marked', async () => {
    const done = await run(
      { strategy: 'single-call', limits: { maxIterations: 1 } },
      { text: 'It is memory.' },
      { text: 'It is memory, I said.' },
    );
    expect(listErrorCodes(done)).toEqual(['OUTPUT_INVALID']);
    expect(done.session).toMatchObject({ status: 'completed', finalAnalysis: 'It is memory, I said.' });
    expect(done.session.caveats.map(({ code }) => code)).toContain('OUTPUT_INVALID');
    expect(analysisOf(done)?.metadata).toMatchObject({ outputFault: expect.stringContaining('not JSON') });
  });

  it('keeps no secret and no live link in its JSON', async () => {
    const key = `AKIA${'IOSFODNN7EXAMPLF'}`;
    const done = await run(
      {},
      { text: JSON.stringify({ answer: `key ${key} ![x](https://evil.example/a)` }) },
    );
    const output = String(analysisOf(done)?.metadata.output);
    expect(output).not.toContain(key);
    expect(output).not.toContain('![x](');
  });
});

describe('all fields of a structured answer', () => {
  const ROLLBACK = 'kubectl rollout undo deployment/web';
  const key = `AKIA${'IOSFODNN7EXAMPLF'}`;
  const schema = {
    type: 'object',
    properties: {
      answer: { type: 'string' },
      rollback: { type: 'string' },
      evidence: { type: 'array', items: { type: 'object' } },
    },
    required: ['answer'],
  };
  const assessor = (name: string) => agentOf({ name, outputSchema: JSON.stringify(schema) });
  const given = (name: string, rollback: string) => ({
    name,
    when: `You are ${name},`,
    turns: [
      { text: JSON.stringify({ answer: 'Out of memory.', rollback, evidence: [{ fact: `key ${key}` }] }) },
    ],
  });

  it('reach the synthesis and the next stage, masked and framed as data', async () => {
    const done = await investigate({
      stages: [
        {
          name: 'assess',
          agents: [assessor('one'), assessor('two')],
          synthesis: agentOf({ name: 'both', strategy: 'synthesis', outputSchema: JSON.stringify(schema) }),
        },
        { name: 'judge', agents: [agentOf({ name: 'judge' })] },
      ],
      summary: {},
      script: {
        conversations: [
          given('one', ROLLBACK),
          given('two', ROLLBACK),
          { when: 'judge', turns: [{ text: 'It is memory.' }] },
          { turns: [{ text: JSON.stringify({ answer: 'Memory.', rollback: ROLLBACK, evidence: [] }) }] },
        ],
        summary: { text: 'Roll back.' },
      },
      inMemory: true,
    });
    const askedOf = (id: string) =>
      JSON.stringify(done.messages.filter(({ executionId, role }) => executionId === id && role === 'user'));
    for (const id of ['01-both', '02-judge'])
      expect(askedOf(id)).toMatch(/<data-[0-9a-f]{12} source=.*\*\*rollback\*\*: kubectl rollout undo/);
    expect(askedOf('01-both')).toContain('[masked:aws-key');
    expect(JSON.stringify([done.messages, done.timeline, done.session])).not.toContain(key);
  });
});
