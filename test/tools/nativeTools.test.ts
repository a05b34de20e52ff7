import { describe, expect, it } from 'vitest';
import { expectNoGaps, listEventTypes } from '../support/expectations.ts';
import { type BenchOptions, investigate } from '../support/harness.ts';

type Turn = BenchOptions['script']['conversations'][number]['turns'][number];
const turns = (...list: Turn[]) => ({ conversations: [{ turns: list }] });
const nativeTools = ['google_search' as const, 'code_execution' as const, 'url_context' as const];
const PAGE = 'https://status.example.com/1';
const researched: Turn = {
  thinking: 'Hm.',
  codeExecutions: [{ code: 'print(1)', result: '1' }],
  text: 'Größe: the provider has an incident.',
  grounding: {
    queries: ['incident'],
    sources: [{ uri: PAGE, title: 'status.example.com' }],
    supports: [{ text: 'the provider has an incident', sources: [0] }],
    urls: [{ url: PAGE }],
    renderedContent: '<div>chip</div>',
  },
};
interface SentBody {
  tools?: Record<string, unknown>[];
  toolConfig?: unknown;
}
const sentTools = (run: { gemini: { requests: { body: unknown }[] } }) =>
  run.gemini.requests.map(({ body }) =>
    ((body as SentBody).tools ?? []).flatMap((tool) => Object.keys(tool)),
  );

describe('an agent with native tools', () => {
  it('has their calls in its timeline before its analysis, which cites its sources', async () => {
    const run = await investigate({ agent: { nativeTools }, script: turns(researched) });
    expect(listEventTypes(run)).toEqual([
      'llm_thinking',
      'code_execution',
      'google_search_result',
      'url_context_result',
      'final_analysis',
    ]);
    expect(run.timeline.at(-1)?.metadata).toEqual({
      citations: [
        {
          type: 'grounding_support',
          url: PAGE,
          title: 'status.example.com',
          citedText: 'the provider has an incident',
          startIndex: 7,
          endIndex: 35,
          resultIndex: 0,
        },
      ],
    });
    expect(run.interactions).toMatchObject([
      {
        codeExecutionCount: 1,
        groundingCount: 2,
        searchEntryPoint: null,
        codeExecutions: [{ code: 'print(1)', result: '1' }],
        // Events show them.
        groundings: [],
        lastMessageId: '01-investigator.000002',
      },
    ]);
    expect(JSON.stringify(run.timeline)).not.toContain('chip');
    expectNoGaps(run);
  });

  it('keeps the search suggestions in the interaction where the model sends them', async () => {
    const model = {
      provider: 'google' as const,
      model: 'gemini-3.8-flash',
      includeThoughts: true,
      storeSearchEntryPoint: true,
    };
    const run = await investigate({ agent: { nativeTools, model }, script: turns(researched) });
    expect(run.interactions).toMatchObject([{ searchEntryPoint: '<div>chip</div>' }]);
    expect(JSON.stringify(run.timeline)).not.toContain('chip');
  });

  it('stores the search suggestions nowhere else', async () => {
    const [off, on] = await Promise.all(
      [false, true].map((storeSearchEntryPoint) => {
        const model = { provider: 'google' as const, model: 'gemini-3.8-flash', includeThoughts: true };
        return investigate({
          agent: {
            nativeTools,
            tools: ['fixture.echo'],
            combineNativeTools: true,
            outsideTools: 'together',
            model: { ...model, storeSearchEntryPoint },
          },
          script: turns({ ...researched, toolCalls: [{ name: 'fixture.echo' }] }, { text: 'The provider.' }),
        });
      }),
    );
    for (const run of [off, on]) {
      const { gemini: _, interactions, messages, ...rest } = run ?? expect.unreachable();
      const blocks = messages.map((message) => message.blocks);
      expect(JSON.stringify([rest, blocks])).not.toContain('chip');
      // What the provider sent is sent back as it came.
      expect(JSON.stringify(messages.map(({ providerParts }) => providerParts))).toContain('chip');
      const stored = interactions.filter((one) => JSON.stringify(one).includes('chip'));
      expect(stored).toHaveLength(run === on ? 1 : 0);
    }
  });

  it('has none of them beside function tools', async () => {
    const run = await investigate({
      agent: { nativeTools, tools: ['fixture.echo'] },
      script: turns({ text: 'Hi.' }),
    });
    expect(sentTools(run)).toEqual([['functionDeclarations']]);
  });

  it('has both where it combines them, replays their calls, and concludes without any', async () => {
    const run = await investigate({
      agent: {
        nativeTools,
        tools: ['fixture.echo'],
        combineNativeTools: true,
        outsideTools: 'together',
        limits: { maxIterations: 2 },
      },
      script: {
        conversations: [
          {
            turns: [
              { ...researched, toolCalls: [{ name: 'fixture.echo' }] },
              { toolCalls: [{ name: 'fixture.echo' }] },
            ],
            conclusion: { text: 'The provider.' },
          },
        ],
      },
    });
    const both = ['googleSearch', 'codeExecution', 'urlContext', 'functionDeclarations'];
    expect(sentTools(run)).toEqual([both, both, []]);
    expect(run.gemini.requests.map(({ body }) => (body as SentBody).toolConfig)).toEqual([
      { includeServerSideToolInvocations: true },
      { includeServerSideToolInvocations: true },
      undefined,
    ]);
    expect(JSON.stringify(run.gemini.requests[1]?.body)).toContain('"toolResponse"');
    expect(listEventTypes(run).slice(0, 7)).toEqual([
      'llm_thinking',
      'code_execution',
      'google_search_result',
      'url_context_result',
      'llm_response',
      'llm_tool_call',
      'tool_result',
    ]);
    expect(run.session.status).toBe('completed');
    expectNoGaps(run);
  });

  it('ends at once, with the remedy, where they cannot be combined', async () => {
    const run = await investigate({
      agent: {
        nativeTools,
        tools: ['fixture.echo'],
        combineNativeTools: true,
        outsideTools: 'together',
        model: { provider: 'google', model: 'gemini-2.5-flash', includeThoughts: true },
      },
      script: turns({ text: 'Hi.' }),
    });
    expect(run.session.failure).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('Set combineNativeTools of the agent to false'),
    });
    expect(run.gemini.requests).toEqual([]);
  });
});

describe('a native tool that the model calls as a function', () => {
  it('is not run: the model gets a message, and the next iteration continues', async () => {
    const run = await investigate({
      agent: { nativeTools, tools: ['fixture.echo'] },
      script: turns({ toolCalls: [{ name: 'google_search', args: { query: 'x' } }] }, { text: 'Memory.' }),
    });
    expect(listEventTypes(run)).toEqual(['llm_tool_call', 'tool_result failed', 'final_analysis']);
    expect(run.timeline[1]?.content).toContain('cannot be called as a function');
    expect(run.interactions.map(({ iteration }) => iteration)).toEqual([1, 2]);
    expectNoGaps(run);
  });

  it('gets the sources of the same answer, and other calls are run', async () => {
    const run = await investigate({
      agent: { nativeTools, tools: ['fixture.echo'], combineNativeTools: true, outsideTools: 'together' },
      script: turns(
        {
          ...researched,
          toolCalls: [{ name: 'google_search' }, { name: 'fixture.echo', args: { text: 'x' } }],
        },
        { text: 'Memory.' },
      ),
    });
    const results = run.timeline.filter(({ eventType }) => eventType === 'tool_result');
    expect(results).toMatchObject([
      { status: 'completed', content: `Google Search: 'incident' → Sources: status.example.com (${PAGE})` },
      { status: 'completed', metadata: { toolName: 'fixture.echo' } },
    ]);
    expect(run.session.status).toBe('completed');
    expectNoGaps(run);
  });
});
