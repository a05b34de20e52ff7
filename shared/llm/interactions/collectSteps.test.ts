import { describe, expect, it } from 'vitest';
import type { Progress } from '../../core/contract/llm.ts';
import { classifyAnswer } from '../gemini/classifyAnswer.ts';
import { finishAnswer } from '../gemini/finishAnswer.ts';
import { createStepCollector } from './collectSteps.ts';

/** The events of an answer that thinks, searches, calls a function and says something. */
const EVENTS = [
  {
    event_type: 'interaction.created',
    interaction: { id: 'v1_1', status: 'in_progress', model: 'gemini-3.8-flash' },
  },
  { event_type: 'interaction.status_update', interaction_id: 'v1_1', status: 'in_progress' },
  { event_type: 'step.start', index: 0, step: { type: 'thought', signature: '' } },
  {
    event_type: 'step.delta',
    index: 0,
    delta: { type: 'thought_summary', content: { type: 'text', text: 'The pod ' } },
  },
  {
    event_type: 'step.delta',
    index: 0,
    delta: { type: 'thought_summary', content: { type: 'text', text: 'died.' } },
  },
  { event_type: 'step.delta', index: 0, delta: { type: 'thought_signature', signature: 'c2ln' } },
  { event_type: 'step.stop', index: 0 },
  {
    event_type: 'step.start',
    index: 1,
    step: { type: 'google_search_call', id: 's1', arguments: {}, signature: 'Yw==' },
  },
  {
    event_type: 'step.delta',
    index: 1,
    delta: { type: 'google_search_call', arguments: { queries: ['oom'] } },
  },
  { event_type: 'step.stop', index: 1 },
  {
    event_type: 'step.start',
    index: 2,
    step: { type: 'google_search_result', call_id: 's1', result: [{ search_suggestions: '<b>' }] },
  },
  { event_type: 'step.stop', index: 2 },
  {
    event_type: 'step.start',
    index: 3,
    step: { type: 'model_output', content: [{ type: 'text', text: 'Zürich: ' }] },
  },
  { event_type: 'step.delta', index: 3, delta: { type: 'text', text: 'out of memory.' } },
  {
    event_type: 'step.delta',
    index: 3,
    delta: {
      type: 'text_annotation_delta',
      annotations: [
        { type: 'url_citation', url: 'https://a.example.com', title: 'A', start_index: 9, end_index: 22 },
      ],
    },
  },
  { event_type: 'step.stop', index: 3 },
  {
    event_type: 'step.start',
    index: 4,
    step: { type: 'function_call', id: 'f1', name: 'k8s__logs', arguments: {} },
  },
  { event_type: 'step.delta', index: 4, delta: { type: 'arguments_delta', arguments: '{"pod":' } },
  { event_type: 'step.delta', index: 4, delta: { type: 'arguments_delta', arguments: '"api"}' } },
  { event_type: 'step.stop', index: 4 },
  {
    event_type: 'interaction.completed',
    interaction: {
      id: 'v1_1',
      status: 'requires_action',
      service_tier: 'flex',
      usage: { total_input_tokens: 40, total_output_tokens: 7, total_thought_tokens: 3, total_tokens: 50 },
    },
  },
];

function collect(events: readonly unknown[]) {
  const progress: Progress[] = [];
  const collector = createStepCollector({
    callIdPrefix: 'call_',
    onProgress: (piece) => progress.push(piece),
  });
  for (const event of events) collector.add(event);
  return { answer: collector.answer(), progress, collector };
}
const outcome = (events: readonly unknown[]) => classifyAnswer(collect(events).answer).kind;

describe('the events of an answer', () => {
  it('become text, thoughts, calls, sources and tokens', () => {
    const { answer, progress } = collect(EVENTS);
    expect(answer).toMatchObject({
      text: 'Zürich: out of memory.',
      thinking: 'The pod died.',
      toolCalls: [{ callId: 'f1', name: 'k8s__logs', arguments: '{"pod":"api"}' }],
      usage: { input: 40, output: 7, thinking: 3, total: 50 },
      serviceTier: 'flex',
      finishReason: 'requires_action',
      modelVersion: 'gemini-3.8-flash',
      malformedCall: false,
    });
    expect(progress.map((piece) => ('delta' in piece ? piece.delta : ''))).toEqual([
      ...['The pod ', 'died.', 'Zürich: ', 'out of memory.'],
    ]);
    const { groundings, blocks, searchEntryPoint } = finishAnswer(answer, { model: 'm', truncated: false });
    expect(groundings).toMatchObject([
      { queries: ['oom'], sources: [{ uri: 'https://a.example.com' }], citations: [{ title: 'A' }] },
    ]);
    expect(searchEntryPoint).toBe('<b>');
    expect(blocks.map(({ blockType }) => blockType)).toContain('thinking');
  });

  it('are kept as steps, with every signature and field', () => {
    expect(collect(EVENTS).answer.steps).toEqual([
      { type: 'thought', signature: 'c2ln', summary: [{ type: 'text', text: 'The pod died.' }] },
      { type: 'google_search_call', id: 's1', arguments: { queries: ['oom'] }, signature: 'Yw==' },
      { type: 'google_search_result', call_id: 's1', result: [{ search_suggestions: '<b>' }] },
      {
        type: 'model_output',
        content: [{ type: 'text', text: 'Zürich: out of memory.', annotations: [expect.any(Object)] }],
      },
      { type: 'function_call', id: 'f1', name: 'k8s__logs', arguments: { pod: 'api' } },
    ]);
  });

  it('and a stored interaction with the same steps are the same answer, without what the client sent', () => {
    const { answer } = collect(EVENTS);
    const sent = { type: 'user_input', content: [{ type: 'text', text: 'Why?' }] };
    const interaction = {
      status: 'requires_action',
      model: 'gemini-3.8-flash',
      steps: [sent, ...(answer.steps ?? [])],
    };
    const { steps, text, toolCalls } = collect([{ interaction }]).answer;
    expect({ steps, text, toolCalls }).toEqual({
      steps: answer.steps,
      text: answer.text,
      toolCalls: answer.toolCalls,
    });
  });
});

describe('an answer ends', () => {
  const said = (
    status: string,
    steps: object[] = [{ type: 'model_output', content: [{ type: 'text', text: 'Half' }] }],
  ) => [{ event_type: 'interaction.completed', interaction: { status, steps } }];
  it.each([
    ['completed', 'ok'],
    ['requires_action', 'ok'],
    ['incomplete', 'truncated'],
    ['budget_exceeded', 'truncated'],
    ['requires_continuation', 'truncated'],
    ['cancelled', 'flagged'],
    ['a_new_status', 'flagged'],
    ['in_progress', 'cut'],
    ['queued', 'cut'],
  ])('as %s: %s', (status, kind) => {
    expect(outcome(said(status))).toBe(kind);
  });

  it('at the limit without a text: thinking used it up', () => {
    expect(outcome(said('incomplete', [{ type: 'thought', signature: 'c2ln' }]))).toBe('max_tokens');
  });

  it('as a blocked prompt, by the words of its failure', () => {
    const errors = [{ code: 'failed', message: 'Blocked by safety settings.' }];
    expect(outcome([{ interaction: { status: 'failed', errors } }])).toBe('blocked');
  });

  it.each([
    [{ code: 'https://errors/resource_exhausted', message: 'Too many.' }, 429],
    [{ code: 'invalid_request', message: 'No.' }, 400],
    [{ code: 5, message: 'No model.' }, 404],
    [{ message: 'Oops.' }, 503],
  ])('as an error with a status: %j', (error, status) => {
    const failed = { interaction: { status: 'failed', errors: [error] } };
    expect(() => collect([failed])).toThrow(expect.objectContaining({ status }));
    expect(() => collect([{ event_type: 'error', error }])).toThrow(expect.objectContaining({ status }));
  });
});

describe('hostile events', () => {
  it.each([
    ['no object', [null, 7, 'x', []]],
    [
      'a delta without its step',
      [{ event_type: 'step.delta', index: 9, delta: { type: 'text', text: 'x' } }],
    ],
    ['steps that are no list', [{ interaction: { status: 7, steps: { type: 'thought' }, usage: 'x' } }]],
    [
      'contents of other types',
      [{ event_type: 'step.start', index: 0, step: { type: 'model_output', content: [null, { text: 7 }] } }],
    ],
    [
      'a citation outside of its text',
      [
        {
          interaction: {
            steps: [
              {
                type: 'model_output',
                content: [{ text: 'a', annotations: [{ url: 'https://a', start_index: 5, end_index: 99 }] }],
              },
            ],
          },
        },
      ],
    ],
    ['a key that is none', [{ interaction: { steps: [{ type: '__proto__' }, { type: 7 }] } }]],
  ])('are read without an error: %s', (_, events) => {
    const { answer } = collect(events);
    expect(finishAnswer(answer, { model: 'm', truncated: false }).toolCalls).toEqual([]);
    expect(JSON.stringify(answer.steps)).toEqual(expect.any(String));
  });

  it.each([
    ['that are no JSON', ['{"pod":', '"api']],
    ['that are no object', ['[1]']],
  ])('of a call with arguments %s are no call to run', (_, pieces) => {
    const events = [
      {
        event_type: 'step.start',
        index: 0,
        step: { type: 'function_call', id: 'f', name: 'a', arguments: {} },
      },
      ...pieces.map((text) => ({
        event_type: 'step.delta',
        index: 0,
        delta: { type: 'arguments_delta', arguments: text },
      })),
      { event_type: 'step.stop', index: 0 },
      { event_type: 'interaction.completed', interaction: { status: 'requires_action' } },
    ];
    expect(outcome(events)).toBe('malformed_call');
  });

  it('that end within a call are no call to run', () => {
    const events = [
      {
        event_type: 'step.start',
        index: 0,
        step: { type: 'function_call', id: 'f', name: 'a', arguments: {} },
      },
      { event_type: 'interaction.completed', interaction: { status: 'requires_action' } },
    ];
    expect(outcome(events)).toBe('malformed_call');
  });
});
