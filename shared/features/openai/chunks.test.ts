import { describe, expect, it } from 'vitest';
import { sampleEvent } from '../../../test/support/samples.ts';
import type { LiveText } from '../../kits/live/liveText.ts';
import { AnswerChunks, doneEvent, errorEvent, type Sent } from './chunks.ts';

const at = new Date('2026-11-28T18:24:00Z');
const OWN = '01-kubernetes';

const live = (thinking: string, text: string, part: Partial<LiveText> = {}): LiveText => ({
  sessionId: 'session-1',
  executionId: OWN,
  iteration: 1,
  text,
  textStart: 0,
  thinking,
  thinkingStart: 0,
  verbatim: true,
  freshUntil: at,
  expireAt: at,
  ...part,
});
const thought = (content: string) => sampleEvent('llm_thinking', { executionId: OWN, iteration: 1, content });
const answer = (content: string) => sampleEvent('llm_response', { executionId: OWN, iteration: 1, content });

const identity = { id: 'chatcmpl-1', created: 7, model: 'inquest' };
const chunksFor = (form: Partial<ConstructorParameters<typeof AnswerChunks>[1]> = {}) =>
  new AnswerChunks(identity, { executionId: OWN, total: 3, asJson: false, withMetadata: false, ...form });

type Output = LiveText | ReturnType<typeof thought>;
const send = (chunks: AnswerChunks, outputs: readonly Output[]): Sent[] =>
  outputs.flatMap((one) => ('freshUntil' in one ? chunks.ofLive(one) : chunks.of(one)));

/** Names the texts and events of a stream, each by its words. */
const nameAll = (sent: readonly Sent[]): string[] =>
  sent.map(({ event, data }) => {
    const { content, choices } = data as { content?: string; choices: { delta: { content?: string } }[] };
    if (event !== undefined) return event === 'thinking' ? `(${content})` : event;
    return `${choices[0]?.delta.content}`;
  });

/** The thoughts and the pieces of text that a client gets, in order. */
const sentFor = (outputs: readonly Output[]): string[] => nameAll(send(chunksFor(), outputs));

describe('thoughts of an answer', () => {
  it.each<[string, Parameters<typeof sentFor>[0], string[]]>([
    [
      'come before the text that is streamed, once',
      [live('I look', ''), live('I look.', 'The disk'), thought('I look.'), answer('The disk is full.')],
      ['(I look.)', 'The disk', ' is full.'],
    ],
    [
      'are completed when they are stored',
      [live('I', 'The'), live('I look.', 'The disk'), thought('I look.'), answer('The disk')],
      ['(I)', 'The', ' disk', '( look.)'],
    ],
    [
      'that the model gave anew are sent as a whole',
      [live('I look.', 'The'), thought('I think.'), answer('The disk')],
      ['(I look.)', 'The', '(I think.)', ' disk'],
    ],
    [
      'between two texts come once each',
      [live('A', 'x'), thought('A'), thought('B'), answer('x')],
      ['(A)', 'x', '(B)'],
    ],
    [
      'are joined from the ends that a long output has',
      [live('abcd', ''), live('cdef', 'x', { thinkingStart: 2 }), thought('abcdef'), answer('x')],
      ['(abcdef)', 'x'],
    ],
    [
      'without streamed text are sent when they are stored',
      [live('A', ''), thought('A'), answer('x')],
      ['(A)', 'x'],
    ],
  ])('%s', (_, outputs, expected) => {
    expect(sentFor(outputs)).toEqual(expected);
  });
});

describe('the events of an answer', () => {
  const ASKED = '02-logs';
  const call = (args: string, executionId = OWN, iteration = 1) =>
    sampleEvent('llm_tool_call', {
      executionId,
      iteration,
      metadata: { toolName: 'logs.read', callId: 'call-1', arguments: args } as never,
    });
  const result = (isError: boolean, toolName = 'logs.read') =>
    sampleEvent('tool_result', {
      executionId: OWN,
      content: 'found',
      metadata: { toolName, callId: 'call-1', isError } as never,
    });
  const action = (actionType: string, payload?: string) =>
    sampleEvent('action', { executionId: OWN, metadata: { actionType, payload } as never });
  const asks = sampleEvent('task_assigned', {
    executionId: ASKED,
    content: 'Which pod?',
    metadata: { agentName: 'logs' } as never,
  });
  const final = (content: string, output?: string, executionId = OWN) =>
    sampleEvent('final_analysis', { executionId, content, metadata: { output } as never });
  const text = (
    content: string,
    role: object = { role: 'assistant' },
    finish_reason: string | null = null,
  ) => ({
    data: {
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 7,
      model: 'inquest',
      choices: [{ index: 0, delta: finish_reason === null ? { ...role, content } : {}, finish_reason }],
    },
  });
  const event = (name: string, data: object) => ({ event: name, data: { ...data, choices: [] } });
  const about = { tool_name: 'logs.read', tool_id: 'call-1' };
  const progress = (step: number, total_steps: number) =>
    event('progress', { step, total_steps, label: 'Calling logs.read', status: 'in_progress' });

  it.each<[string, Parameters<typeof chunksFor>[0], Output[], object[]]>([
    [
      'a call, with its arguments read from JSON, and the step after its iteration',
      { total: 5 },
      [call('{"pod":"a"}', OWN, 2)],
      [
        event('tool_call', { ...about, status: 'started' }),
        progress(3, 5),
        event('tool_call', { ...about, status: 'executing', arguments: { pod: 'a' } }),
      ],
    ],
    [
      'a call in the last iteration, whose step is the last before the end, with arguments that are no JSON',
      { total: 5 },
      [call('{"pod"', OWN, 9)],
      [
        event('tool_call', { ...about, status: 'started' }),
        progress(4, 5),
        event('tool_call', { ...about, status: 'executing', arguments: '{"pod"' }),
      ],
    ],
    [
      'a call of an agent that was asked, which is no step of the answer',
      {},
      [asks, call('{}', ASKED)],
      [
        event('tool_call', { ...about, agent_name: 'logs', status: 'started' }),
        event('tool_call', { ...about, agent_name: 'logs', status: 'executing', arguments: {} }),
      ],
    ],
    [
      'results',
      {},
      [result(false), result(true)],
      [
        event('tool_call', { ...about, status: 'completed', result: 'found' }),
        event('tool_call', { ...about, status: 'failed', result: 'found' }),
      ],
    ],
    [
      'an action before the completion of its call, and a failed one at once',
      {},
      [result(false, 'action'), action('note', 'a text'), result(true, 'action')],
      [
        event('action', { action_type: 'note', payload: 'a text' }),
        event('tool_call', { ...about, tool_name: 'action', status: 'completed', result: 'found' }),
        event('tool_call', { ...about, tool_name: 'action', status: 'failed', result: 'found' }),
      ],
    ],
    [
      'the completion of an action without an event before the next event',
      {},
      [result(false, 'action'), answer('It is the disk.')],
      [
        event('tool_call', { ...about, tool_name: 'action', status: 'completed', result: 'found' }),
        text('It is the disk.'),
      ],
    ],
    [
      'the fields of an observation, on request',
      { withMetadata: true },
      [action('observation', '{"a":1}'), action('note', '{"a":1}'), action('observation', 'a text')],
      [
        event('action', { action_type: 'observation', payload: { a: 1 } }),
        event('metadata', { a: 1 }),
        event('action', { action_type: 'note', payload: { a: 1 } }),
        event('action', { action_type: 'observation', payload: 'a text' }),
      ],
    ],
    [
      'an observation without the request, and an action without a payload',
      {},
      [action('observation', '{"a":1}'), action('note')],
      [
        event('action', { action_type: 'observation', payload: { a: 1 } }),
        event('action', { action_type: 'note' }),
      ],
    ],
    [
      'a structured answer as text',
      {},
      [final('whole', '{"answer":"It is the disk."}')],
      [text('It is the disk.')],
    ],
    ['a structured answer without a text', {}, [final('whole', '{"a":1}')], [text('whole')]],
    [
      'a structured answer as JSON',
      { asJson: true },
      [final('whole', '{"answer":"x"}')],
      [text('{"answer":"x"}')],
    ],
    [
      'a structured answer of an agent that was asked',
      {},
      [asks, final('whole', '{"answer":"x"}', ASKED), thought('I see.')],
      [
        event('tool_call', {
          tool_name: 'logs',
          tool_id: 'logs_structured_output',
          status: 'completed',
          arguments: { input_text: 'Which pod?' },
          result: { answer: 'x' },
        }),
        event('thinking', { content: 'I see.' }),
      ],
    ],
    ['nothing of an event that clients do not get', {}, [sampleEvent('notice')], []],
    ['one role in two texts', {}, [answer('A'), final('B')], [text('A'), text('\n\nB', {})]],
  ])('are %s', (_, form, outputs, expected) => {
    expect(send(chunksFor(form), outputs)).toEqual(expected);
  });

  it('end with the completion of an action, the last step and the reason', () => {
    const chunks = chunksFor({ total: 5 });
    send(chunks, [result(false, 'action')]);
    expect(chunks.end()).toEqual([
      event('tool_call', { ...about, tool_name: 'action', status: 'completed', result: 'found' }),
      event('progress', { step: 5, total_steps: 5, label: 'Done', status: 'completed' }),
      text('', {}, 'stop'),
      event('done', { reason: 'stop' }),
    ]);
  });

  it('of a failure have the form of OpenAI beside this one', () => {
    expect([errorEvent('it broke', true, 'MODEL_QUOTA'), doneEvent('error')]).toEqual([
      event('error', {
        code: 'stream_error',
        message: 'it broke',
        recoverable: true,
        details: { code: 'MODEL_QUOTA' },
        error: { message: 'it broke', type: 'server_error', param: null, code: 'MODEL_QUOTA' },
      }),
      event('done', { reason: 'error' }),
    ]);
  });
});

describe('texts of agents that run at the same time', () => {
  const other = (thinking: string, streamed: string) => live(thinking, streamed, { executionId: '03-b' });
  const first = (streamed: string) => live('', streamed, { executionId: '02-a' });
  const stored = (executionId: string, content: string) =>
    sampleEvent('llm_response', { executionId, iteration: 1, content });

  it.each<[string, Output[], string[], string[]]>([
    [
      'do not mix: the second waits for the end of the first',
      [first('A'), other('', 'B'), stored('03-b', 'B.'), stored('02-a', 'A.')],
      ['A', '.', 'B.'],
      [],
    ],
    [
      'that never end are withdrawn before the texts that wait, at the end',
      [first('A'), stored('03-b', 'B.')],
      ['A'],
      ['[The words above are withdrawn.]', 'B.'],
    ],
    [
      'that never end are withdrawn before the answer',
      [first('A'), stored('03-b', 'B.'), answer('C')],
      ['A', '[The words above are withdrawn.]', 'B.', 'C'],
      [],
    ],
  ])('%s', (_, outputs, expected, ending) => {
    const chunks = chunksFor();
    const name = (sent: readonly Sent[]) => nameAll(sent).map((one) => one.trim());
    expect(name(send(chunks, outputs))).toEqual(expected);
    expect(name(chunks.end())).toEqual([...ending, 'progress', 'undefined', 'done']);
  });
});
