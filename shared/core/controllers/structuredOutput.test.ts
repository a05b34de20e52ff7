import { describe, expect, it } from 'vitest';
import { SAMPLE_NONCE, sampleAgent, sampleExecution } from '../../../test/support/samples.ts';
import type { IterationInput } from '../contract/controller.ts';
import { answer } from '../contract/llm.fixture.ts';
import type { LlmResponse } from '../contract/llm.ts';
import type { ToolCall, ToolDefinition } from '../contract/tools.ts';
import { OUTPUT_TOOL } from '../prompts/structuredOutput.ts';
import type { PlannedAgent } from '../schema/agent.ts';
import { STRATEGIES } from './abilities.ts';
import { chooseController } from './registry.ts';

const SCHEMA = {
  type: 'object',
  properties: { answer: { type: 'string' }, confidence: { type: 'number' } },
  required: ['answer'],
};
const GOOD = { answer: 'Out of memory.', confidence: 0.9 };
const TEXT = 'Out of memory.\n\n**confidence**: 0.9';
const WITH_TOOLS = ['react', 'native-thinking'];
const tools: ToolDefinition[] = [
  { name: 'kubernetes.get_events', description: '', inputSchema: {}, readOnly: true },
];
const GPT = { provider: 'openai', model: 'gpt-4.1', includeThoughts: false };
const PERPLEXITY = { provider: 'perplexity', model: 'sonar', includeThoughts: false };

interface Setup {
  agent?: Partial<PlannedAgent>;
  tools?: ToolDefinition[];
  mode?: IterationInput['mode'];
}

function inputOf({ agent, tools: given = [], mode = 'investigate' }: Setup): IterationInput {
  const outputSchema = JSON.stringify(SCHEMA);
  return {
    execution: sampleExecution(),
    agent: sampleAgent({ outputSchema, tools: [], ...agent }),
    tools: given,
    shown: [],
    dataNonce: SAMPLE_NONCE,
    mode,
  };
}

const requestOf = (setup: Setup) => {
  const input = inputOf(setup);
  return chooseController(input.agent).request(
    [{ role: 'system', blocks: [{ blockType: 'text', textContent: 'Look.' }] }],
    input,
  );
};
const interpret = (setup: Setup, response: Partial<LlmResponse>) => {
  const input = inputOf(setup);
  return chooseController(input.agent).interpret(answer(response), input);
};
const finalCall = (args: unknown) => ({ callId: 'c1', name: OUTPUT_TOOL, arguments: JSON.stringify(args) });
const callBlock = ({ callId, name, arguments: input }: ToolCall) => ({
  blockType: 'tool_use' as const,
  toolUseId: callId,
  toolName: name,
  input,
});
const analysisOf = ({ events }: ReturnType<typeof interpret>) =>
  events.find((event) => event.eventType === 'final_analysis');

describe('how a structured answer is asked for', () => {
  it.each([
    ['no tools', {}, 'schema'],
    [
      'no tools, of a model that takes none beside a schema',
      { agent: { model: { ...sampleAgent().model, model: 'gemini-2.5-flash' } } },
      'schema',
    ],
    ['tools', { tools }, 'function'],
    ['tools, concluding', { tools, mode: 'conclude' }, 'schema'],
    ['another provider', { agent: { model: GPT } }, 'function'],
    ['a provider without functions', { agent: { model: PERPLEXITY } }, 'words'],
    ['native tools', { agent: { nativeTools: ['google_search'] } }, 'schema'],
    [
      'native tools that take no schema beside them',
      {
        agent: {
          nativeTools: ['google_search'],
          model: { provider: 'google', model: 'gemini-2.5-flash', includeThoughts: true },
        },
      },
      'words',
    ],
    ['ReAct', { agent: { strategy: 'react' }, tools }, 'words'],
    ['one call', { agent: { strategy: 'single-call' } }, 'schema'],
    ['one call of another provider', { agent: { strategy: 'single-call', model: GPT } }, 'function'],
  ] as [string, Setup, string][])('with %s', (_, setup, way) => {
    const { responseSchema, tools: bound, messages } = requestOf(setup);
    const said = messages.flatMap(({ blocks }) =>
      blocks.flatMap((block) => ('textContent' in block ? [block.textContent] : [])),
    );
    const found = {
      schema: responseSchema !== undefined,
      function: bound.some(({ name }) => name === OUTPUT_TOOL),
      words: said.some((text) => text.includes(JSON.stringify(SCHEMA))),
    };
    expect(found).toEqual({ schema: way === 'schema', function: way === 'function', words: way === 'words' });
    expect(responseSchema !== undefined && bound.length > 0).toBe(false);
    const isReact = setup.agent?.strategy === 'react';
    expect(said.some((text) => text.includes('Final Answer:'))).toBe(isReact);
  });

  it('is not shown while it is written', () => {
    const controllers = STRATEGIES.map((strategy) =>
      chooseController(inputOf({ agent: { strategy } }).agent),
    );
    expect(controllers.filter(({ verbatim }) => verbatim)).toEqual([]);
  });

  it('is not at all without a schema', () => {
    const input = inputOf({ agent: { outputSchema: undefined as never } });
    const { outputSchema: _, ...agent } = input.agent;
    const request = chooseController(agent).request([], { ...input, agent });
    expect(request).not.toHaveProperty('responseSchema');
  });
});

describe.each(STRATEGIES)('a structured answer of %s', (strategy) => {
  const model = { provider: 'google', model: 'gemini-3.8-flash', includeThoughts: true };
  const agent = { strategy, model };
  const written = (json: string) => (strategy === 'react' ? `Thought: I know.\nFinal Answer: ${json}` : json);
  const setups: Setup[] = WITH_TOOLS.includes(strategy) ? [{ agent }, { agent, tools }] : [{ agent }];

  it.each(setups)('that is text is read, checked and made readable (%#)', (setup) => {
    const made = interpret(setup, { text: written(JSON.stringify(GOOD)) });
    expect(made.next).toEqual({ kind: 'conclude', analysis: TEXT });
    const analysis = analysisOf(made);
    expect(analysis?.content).toBe(TEXT);
    expect(JSON.parse(analysis?.metadata.output ?? '')).toEqual(GOOD);
  });

  it.each(setups)('that does not fit is reported to the model, also where one call is made (%#)', (setup) => {
    const made = interpret(setup, { text: written('{"answer": 7}') });
    expect(analysisOf(made)).toBeUndefined();
    expect(made.next).toMatchObject({ kind: 'give_feedback', code: 'OUTPUT_INVALID', asksAgain: true });
    const said = made.next.kind === 'give_feedback' ? JSON.stringify(made.next.messages) : '';
    expect(said).toContain('\\"answer\\" must be a string, not 7.');
  });

  it.each(setups)('that does not fit at the end is taken as text, with the reason (%#)', (setup) => {
    const made = interpret({ ...setup, mode: 'conclude' }, { text: written('It is out of memory.') });
    expect(made.next).toEqual({ kind: 'conclude', analysis: 'It is out of memory.' });
    expect(analysisOf(made)?.metadata).toMatchObject({ outputFault: expect.stringContaining('not JSON') });
    expect(analysisOf(made)?.metadata).not.toHaveProperty('output');
  });
});

describe('the function for a structured answer', () => {
  const call = { callId: 'c2', name: 'kubernetes.get_events', arguments: '{}' };

  it('ends the investigation and shows in no event or message; thoughts and citations are kept', () => {
    const citations = [{ type: 'url_citation' as const, url: 'https://a.b', startIndex: 1, endIndex: 2 }];
    const made = interpret(
      { tools },
      {
        thinking: 'I know.',
        toolCalls: [finalCall(GOOD), call],
        replay: { provider: 'google', model: 'm', data: '[]' },
        citations,
      },
    );
    expect(made.next).toEqual({ kind: 'conclude', analysis: TEXT });
    expect(made.events.map(({ eventType }) => eventType)).toEqual(['llm_thinking', 'final_analysis']);
    expect(analysisOf(made)?.metadata).toEqual({
      output: JSON.stringify(GOOD),
      citations: [{ type: 'url_citation', url: 'https://a.b' }],
    });
    expect(made.message).toEqual({
      role: 'assistant',
      blocks: [{ blockType: 'text', textContent: TEXT }],
    });
    expect(JSON.stringify(made)).not.toContain(OUTPUT_TOOL);
  });

  it('is found behind other calls, and its thoughts stay in the message', () => {
    const thought = { blockType: 'thinking' as const, textContent: 'I know.' };
    const made = interpret(
      { tools },
      { toolCalls: [call, finalCall(GOOD)], blocks: [thought, callBlock(call)] },
    );
    expect(made.next).toEqual({ kind: 'conclude', analysis: TEXT });
    expect(made.message.blocks).toEqual([thought, { blockType: 'text', textContent: TEXT }]);
  });

  it('with a wrong answer gets an error; the message quotes the given value', () => {
    const made = interpret({ tools }, { toolCalls: [finalCall({ confidence: 'high' })] });
    expect(made.next).toMatchObject({
      kind: 'give_feedback',
      reason: expect.stringContaining('"answer" is missing'),
    });
    expect(made.message.blocks).toEqual([{ blockType: 'text', textContent: '{"confidence":"high"}' }]);
  });

  it('with a wrong answer beside other calls came too early: those are run', () => {
    const made = interpret({ tools }, { text: 'I look.', toolCalls: [finalCall({}), call] });
    expect(made.next).toMatchObject({ kind: 'call_tools', calls: [call] });
    expect(made.message.blocks).toEqual([{ blockType: 'text', textContent: 'I look.' }, callBlock(call)]);
  });

  it('with a wrong answer beside other calls is the end when it has to be', () => {
    const made = interpret(
      { tools, mode: 'conclude', agent: { model: GPT } },
      { text: ' ', toolCalls: [finalCall({}), call] },
    );
    expect(made.next).toEqual({ kind: 'conclude', analysis: '{}' });
    expect(analysisOf(made)?.metadata).toMatchObject({
      outputFault: '"answer" is missing; it must be a string.',
    });
  });

  it('without arguments, and without text, is an empty answer', () => {
    const made = interpret({ tools }, { toolCalls: [{ ...finalCall({}), arguments: '' }] });
    expect(made.next).toMatchObject({ kind: 'give_feedback', code: 'MODEL_EMPTY_ANSWER' });
  });

  it('that was cut off is asked for again, shorter', () => {
    const made = interpret({}, { text: '{"answer": "Out', thinking: 'I know.', truncated: true });
    expect(made.next).toMatchObject({
      reason: expect.stringMatching(/cut off before it was complete: be shorter\. The answer is not JSON/),
    });
    expect(made.events.map(({ eventType }) => eventType)).toEqual(['llm_thinking']);
  });

  it('that is taken as text keeps the places of its citations', () => {
    const citations = [{ type: 'url_citation' as const, url: 'https://a.b', startIndex: 0, endIndex: 2 }];
    const made = interpret({ mode: 'conclude' }, { text: 'It is out of memory.', citations });
    expect(analysisOf(made)?.metadata.citations).toEqual(citations);
    const called = interpret(
      { tools, mode: 'conclude', agent: { model: GPT } },
      { text: 'It is out of memory.', citations, toolCalls: [finalCall({})] },
    );
    expect(called.next).toEqual({ kind: 'conclude', analysis: 'It is out of memory.' });
    expect(analysisOf(called)?.metadata.citations).toEqual(citations);
  });

  it('with arguments that are not JSON is wrong, too', () => {
    const made = interpret({ tools }, { toolCalls: [{ ...finalCall({}), arguments: '{"answer": ' }] });
    expect(made.next).toMatchObject({ kind: 'give_feedback', code: 'OUTPUT_INVALID' });
  });

  it('is unknown to an agent that was not offered it', () => {
    const made = interpret({}, { toolCalls: [finalCall(GOOD)] });
    expect(made.next.kind).toBe('call_tools');
  });
});
