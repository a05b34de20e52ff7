// Events as steps and iterations, addresses, numbers as text, times without work.

import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ModelCall, TimelineEvent } from '../../../shared/lists/apiTypes.ts';
import { STATUS_NAMES, statusShown } from '../parts/statusDisplay.ts';
import { compareAddress, parseStepAddress, shortId, stepId, withParameter } from './address.ts';
import {
  beganText,
  besideLocal,
  bytesText,
  costFact,
  costText,
  countText,
  dayName,
  dayText,
  dollarText,
  durationText,
  firstLines,
  hourName,
  localText,
  momentText,
  numberText,
  offsetText,
  priceText,
  timeTitle,
  titleText,
  utcText,
  withoutMarks,
} from './format.ts';
import {
  type CallEvent,
  chooseIterationHeading,
  contains,
  countSteps,
  findChildExecution,
  groupSteps,
  isFault,
  listStepEvents,
  parseArgumentPairs,
  splitHeading,
} from './steps.ts';
import { Timeline } from './timeline.ts';
import { longestIdle } from './waterfall.ts';

function event(
  number: number,
  eventType: string,
  metadata: object = {},
  part: Partial<TimelineEvent> = {},
): TimelineEvent {
  return {
    eventId: `a.${number}`,
    eventType,
    sessionId: 's',
    stageId: '01',
    executionId: 'a',
    sequenceNumber: number,
    iteration: 1,
    status: 'completed',
    content: `${number}`,
    createdAt: '2026-11-05T10:00:00.000Z',
    cut: false,
    lines: 1,
    bytes: 1,
    metadata,
    ...part,
  } as TimelineEvent;
}
const ANSWER = [
  event(1, 'llm_thinking'),
  event(2, 'llm_response'),
  event(3, 'llm_tool_call', { callId: 'x', toolName: 'k.one', arguments: '{}' }),
  event(4, 'tool_result', { callId: 'x' }),
  event(5, 'llm_tool_call', { callId: 'y', toolName: 'k.two', arguments: '{}' }),
  event(6, 'tool_result', { callId: 'y' }),
];

describe('steps', () => {
  it('are the same in whatever order events come, each call with its result', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(ANSWER, { minLength: ANSWER.length }), (events) => {
        expect(groupSteps(events)).toEqual(groupSteps(ANSWER));
      }),
    );
    expect(
      groupSteps(ANSWER).map((step) => listStepEvents(step).map(({ sequenceNumber }) => sequenceNumber)),
    ).toEqual([[1], [2], [3, 4], [5, 6]]);
  });
  it('hold every event once, whatever is missing', () => {
    fc.assert(
      fc.property(fc.subarray(ANSWER), (events) => {
        const held = groupSteps(events).flatMap((step) => listStepEvents(step).map(({ eventId }) => eventId));
        expect(held.toSorted()).toEqual(events.map(({ eventId }) => eventId).toSorted());
      }),
    );
  });
  it('are headed by the answer, else by the thought, else by tools', () => {
    expect(chooseIterationHeading(ANSWER)).toBe('2');
    expect(chooseIterationHeading(ANSWER.filter(({ eventType }) => eventType !== 'llm_response'))).toBe('1');
    expect(chooseIterationHeading(ANSWER.slice(2))).toBe('one, two');
    const empty = event(2, 'llm_response', {}, { content: ' ' });
    expect(chooseIterationHeading(ANSWER.with(1, empty))).toBe('one, two');
    expect(chooseIterationHeading([event(1, 'task_assigned'), event(2, 'final_analysis')])).toBe(
      'Final analysis',
    );
    expect(chooseIterationHeading([event(1, 'task_assigned'), event(2, 'error')])).toBe('2');
    expect(chooseIterationHeading([event(2, 'error'), event(1, 'task_assigned')])).toBe('2');
    expect(chooseIterationHeading([event(1, 'task_assigned')])).toBe('1');
    expect(chooseIterationHeading([])).toBe('');
  });
  it('fold three errors of a code, and no fewer', () => {
    const errors = [1, 2, 3].map((number) => event(number, 'error', { code: 'MODEL_UNAVAILABLE' }));
    expect(groupSteps(errors).map(({ kind }) => kind)).toEqual(['repeated']);
    expect(groupSteps(errors.slice(1)).map(({ kind }) => kind)).toEqual(['event', 'event']);
    const others = [4, 5, 6].map((number) => event(number, 'error', { code: 'TOOL_FAILED' }));
    const steps = groupSteps([...errors, ...others, event(7, 'llm_response')]);
    expect(steps.map(({ kind, key }) => `${kind} ${key}`)).toEqual([
      'repeated a.1',
      'repeated a.4',
      'event a.7',
    ]);
    expect(steps.slice(0, 2).map((step) => listStepEvents(step).length)).toEqual([3, 3]);
    expect(steps.map(isFault)).toEqual([true, true, false]);
  });
  it('have a summary beside the result, and a second result of a call as a step of its own', () => {
    const call = event(1, 'mcp_tool_call', { callId: 'x', toolName: 'k.one', arguments: '{}' });
    const events = [
      call,
      event(2, 'tool_result', { callId: 'x' }),
      event(3, 'mcp_tool_summary', { callId: 'x' }),
      event(4, 'tool_result', { callId: 'x' }),
      event(5, 'tool_result', { callId: 'unknown' }),
    ];
    const numbers = groupSteps(events).map((step) =>
      listStepEvents(step).map(({ sequenceNumber }) => sequenceNumber),
    );
    expect(numbers).toEqual([[1, 2, 3], [4], [5]]);
    expect(groupSteps(events)).toBe(groupSteps(events));
  });
  it.each([
    ['an error', event(1, 'error', { code: 'X' }), true],
    ['a failed call', event(1, 'tool_result', { callId: 'x', isError: true }), true],
    ['a call whose effect is not known', event(1, 'tool_result', { callId: 'x', outcome: 'unknown' }), true],
    ['a result', event(1, 'tool_result', { callId: 'x', isError: false, outcome: 'done' }), false],
    ['any other event', event(1, 'llm_response', { isError: true, outcome: 'unknown' }), false],
  ])('are faults or not: %s', (_, one, isFaulty) => {
    expect(groupSteps([one]).map(isFault)).toEqual([isFaulty]);
  });
  it('are counted by kind', () => {
    const events = [...ANSWER, event(7, 'final_analysis'), event(8, 'error', { code: 'X' })];
    const counts = { all: 6, tools: 2, thinking: 1, says: 2, errors: 1 };
    expect(countSteps(groupSteps(events))).toEqual(counts);
    expect(countSteps(groupSteps(events))).toBe(countSteps(groupSteps(events)));
    const failing = event(4, 'tool_result', { callId: 'x', isError: true });
    expect(countSteps(groupSteps(ANSWER.with(3, failing)))).toEqual({ ...counts, all: 4, says: 1 });
  });
  it('contain the words of their events, of their kinds and of their data', () => {
    const [step] = groupSteps([
      event(1, 'llm_tool_call', { callId: 'x', toolName: 'k.Get_Logs', arguments: '{}' }),
      event(2, 'tool_result', { callId: 'x' }, { content: 'OOMKilled' }),
    ]);
    const held = ['oomkilled', 'get_logs', 'tool_result', 'oomkilled2'].map(
      (text) => step && contains(step, text),
    );
    expect(held).toEqual([true, true, true, false]);
  });
  it('name the execution that a call created', () => {
    const call = (eventType: string) =>
      event(1, eventType, { callId: 'x', toolName: 'a', childExecutionId: '01-b~1' }) as CallEvent;
    expect(findChildExecution(call('llm_tool_call'))).toBe('01-b~1');
    expect(findChildExecution(call('mcp_tool_call'))).toBeUndefined();
  });
  it.each([
    [
      '{"a":"x","b":{"c":1},"d":null}',
      [
        ['a', 'x'],
        ['b', '{\n "c": 1\n}'],
        ['d', 'null'],
      ],
    ],
    ['[1]', [['', '[1]']]],
    ['null', [['', 'null']]],
    ['"a"', [['', '"a"']]],
    ['5', [['', '5']]],
    ['{"a":', [['', '{"a":']]],
    ['', []],
  ])('have arguments in pairs, or as they came: %s', (text, pairs) => {
    expect(parseArgumentPairs(text)).toEqual(pairs);
  });
});

describe('a timeline', () => {
  it('is the same in whatever pieces and how often events come', () => {
    const all = [1, 2, 3].flatMap((iteration) =>
      ANSWER.map((one) => ({
        ...one,
        iteration,
        sequenceNumber: one.sequenceNumber + 10 * iteration,
        eventId: `a.${one.sequenceNumber + 10 * iteration}`,
      })),
    );
    const shape = (timeline: Timeline) =>
      timeline
        .iterationsOf('a')
        .value.map(({ key, events }) => [key, events.value.map(({ eventId }) => eventId)]);
    const whole = new Timeline();
    whole.add(all);
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: all.length }), fc.nat(all.length), (events, at) => {
        const timeline = new Timeline();
        timeline.add(events.slice(0, at));
        timeline.add(events);
        expect(shape(timeline)).toEqual(shape(whole));
        expect(timeline.size.value).toBe(all.length);
      }),
    );
  });
  it('takes the whole text in the place of the live text, and nothing else twice', () => {
    const timeline = new Timeline();
    timeline.add([event(1, 'llm_response', {}, { status: 'streaming', content: 'a' })]);
    expect(timeline.add([event(1, 'llm_response', {}, { content: 'all' })])).toBe(0);
    timeline.add([event(1, 'llm_response', {}, { content: 'again' })]);
    expect(timeline.get('a.1')?.content).toBe('all');
  });
  it('groups events that do not know their iteration by their time', () => {
    const timeline = new Timeline();
    const old = (number: number, createdAt: string) =>
      event(number, 'llm_thinking', {}, { iteration: null, createdAt });
    timeline.add([
      old(1, '2026-11-05T10:00:00Z'),
      old(2, '2026-11-05T10:00:00Z'),
      old(3, '2026-11-05T10:00:09Z'),
    ]);
    expect(timeline.iterationsOf('a').value.map(({ events }) => events.value.length)).toEqual([2, 1]);
  });
  it('has iterations in the order of their numbers, as they are opened', () => {
    const timeline = new Timeline();
    timeline.opens = ({ number }) => number !== 1;
    timeline.add([event(9, 'llm_response', {}, { iteration: 2 })]);
    timeline.add([event(1, 'llm_response', {}, { iteration: 1 })]);
    const iterations = timeline.iterationsOf('a').value;
    expect(iterations.map(({ key, isOpen, isNear }) => [key, isOpen.value, isNear.value])).toEqual([
      ['a/1', false, false],
      ['a/2', true, false],
    ]);
    expect(timeline.iterationsOf('a')).toBe(timeline.iterationsOf('a'));
    expect(timeline.iterationsOf('b').value).toEqual([]);
    expect(timeline.executionIds()).toEqual(['a']);
    expect(timeline.peekAll().map(({ key }) => key)).toEqual(['a/1', 'a/2']);
  });
  it('takes more of a text that was cut, and never less', () => {
    const timeline = new Timeline();
    const part = (content: string, cut = true) => event(1, 'tool_result', { callId: 'x' }, { content, cut });
    for (const one of [part('abc'), part('ab'), part('abcd'), part('abc'), part('abcde', false), part('all')])
      timeline.add([one]);
    expect(timeline.add([event(2, 'llm_response')])).toBe(1);
    timeline.remove(['a.2']);
    expect(timeline.get('a.1')?.content).toBe('abcde');
    expect(timeline.resultOf(event(1, 'tool_result', { callId: 'x' }) as CallEvent)?.content).toBe('abcde');
    expect(timeline.resultOf(event(1, 'tool_result', { callId: 'y' }) as CallEvent)).toBeUndefined();
    expect(timeline.iterationsOf('a').value.map(({ events }) => events.value.length)).toEqual([1]);
  });
  it('knows whether only the start of some result was read', () => {
    const timeline = new Timeline();
    const result = (number: number, content: string, cut: boolean) =>
      event(number, 'tool_result', { callId: `${number}` }, { content, cut });
    timeline.add([result(1, 'ab', false), result(2, 'abcd', true)]);
    expect([3, 4].map((bytes) => timeline.hasResultStarts(bytes))).toEqual([false, true]);
    expect(new Timeline().hasResultStarts(9)).toBe(false);
  });
  it('finds calls of the same tool with the same arguments by the same agent', () => {
    const timeline = new Timeline();
    const call = (number: number, toolName: string, given: string, executionId = 'a') =>
      event(number, 'llm_tool_call', { callId: `${number}`, toolName, arguments: given }, { executionId });
    const first = call(1, 'k.one', '{}') as CallEvent;
    const others = [call(2, 'k.one', '{"a":1}'), call(3, 'k.two', '{}'), call(5, 'k.one', '{}', 'b')].map(
      (one) => ({ ...one, eventId: `other ${one.sequenceNumber}` }),
    );
    timeline.add([first, ...others, call(4, 'k.one', '{}'), event(6, 'llm_response')]);
    expect(timeline.callsLike(first).map(({ eventId }) => eventId)).toEqual(['a.1', 'a.4']);
    expect(timeline.callsLike(call(7, 'k.none', '{}') as CallEvent)).toEqual([]);
  });
  it('removes events, and iterations without any', () => {
    const timeline = new Timeline();
    timeline.add([event(1, 'llm_thinking'), event(2, 'llm_response')]);
    timeline.add([event(3, 'llm_response', {}, { iteration: 2 })]);
    timeline.remove(['a.1', 'unknown']);
    const shape = () =>
      timeline
        .iterationsOf('a')
        .value.map(({ key, events }) => [key, ...events.value.map(({ eventId }) => eventId)]);
    expect([timeline.size.value, timeline.get('a.1'), shape()]).toEqual([
      2,
      undefined,
      [
        ['a/1', 'a.2'],
        ['a/2', 'a.3'],
      ],
    ]);
    timeline.remove(['a.2']);
    expect([timeline.size.value, shape()]).toEqual([1, [['a/2', 'a.3']]]);
  });
  it('has the calls of models at their iterations, without those of summaries', () => {
    const timeline = new Timeline();
    const call = (iteration: number, interactionId: string, kind = 'iteration') =>
      ({ executionId: 'a', iteration, interactionId, kind }) as ModelCall;
    timeline.add([event(1, 'llm_response')]);
    timeline.setModelCalls([call(1, 'i1'), call(2, 'i2'), call(1, 's', 'summarization')]);
    const [first] = timeline.iterationsOf('a').value;
    const known = first?.call.value;
    timeline.setModelCalls([call(1, 'i1')]);
    expect(first?.call.value).toBe(known);
    timeline.add([event(2, 'llm_response', {}, { iteration: 2 })]);
    timeline.add([event(3, 'llm_response', {}, { iteration: 3 })]);
    expect(timeline.iterationsOf('a').value.map((one) => one.call.value?.interactionId)).toEqual([
      'i1',
      'i2',
      undefined,
    ]);
    timeline.setModelCalls([call(1, 'again')]);
    expect([first?.call.value?.interactionId, timeline.callsRead.value]).toEqual(['again', 2]);
    expect([timeline.modelCallOf('a', null), timeline.modelCallOf('b', 1)]).toEqual([undefined, undefined]);
  });
  it('lists events by time and id, and finds the latest one and the place of one', () => {
    const timeline = new Timeline();
    const at = (number: number, second: number, executionId = 'a') =>
      event(
        number,
        'llm_response',
        {},
        { createdAt: `2026-11-05T10:00:0${second}Z`, executionId, eventId: `${executionId}.${number}` },
      );
    timeline.add([at(2, 1), at(1, 1), at(3, 0), at(1, 2, 'b')]);
    expect(timeline.all().map(({ eventId }) => eventId)).toEqual(['a.3', 'a.1', 'a.2', 'b.1']);
    timeline.add([
      event(8, 'mcp_tool_call', { callId: 'x', toolName: 'k' }),
      event(9, 'tool_result', { callId: 'x' }),
    ]);
    expect(timeline.placeOf('a', 9)?.step.key).toBe('a.8');
    timeline.remove(['a.8', 'a.9']);
    expect(timeline.latestOf(({ executionId }) => executionId === 'a')?.eventId).toBe('a.2');
    expect(timeline.latestOf(() => true)?.eventId).toBe('b.1');
    expect(timeline.latestOf(() => false)).toBeUndefined();
    const place = timeline.placeOf('a', 3);
    expect([place?.iteration.key, place?.step.key]).toEqual(['a/1', 'a.3']);
    expect([timeline.placeOf('a', 4), timeline.placeOf('c', 1)]).toEqual([undefined, undefined]);
  });
  it('draws only a part of more than 600 events', () => {
    const timeline = new Timeline();
    timeline.add(Array.from({ length: 600 }, (_, index) => event(index + 1, 'llm_response')));
    expect(timeline.isLong.value).toBe(false);
    timeline.add([event(601, 'llm_response')]);
    expect(timeline.isLong.value).toBe(true);
  });
});

describe('addresses of steps', () => {
  it('are read as they are written', () => {
    const ids = fc.stringMatching(/^[a-z0-9][a-z0-9~-]{0,20}$/);
    fc.assert(
      fc.property(ids, fc.integer({ min: 1, max: 99_999 }), (executionId, sequenceNumber) => {
        expect(parseStepAddress(`#${stepId({ executionId, sequenceNumber })}`)).toEqual({
          executionId,
          sequenceNumber,
        });
      }),
    );
    expect(parseStepAddress('#e-01-lead~1.2:L18-L12')?.lines).toEqual({ from: 12, to: 18 });
    expect(parseStepAddress('#e-01-lead.2:L9')?.lines).toEqual({ from: 9, to: 9 });
    expect(parseStepAddress('#e-01-lead%7E1.2')?.executionId).toBe('01-lead~1');
    expect(parseStepAddress('#analysis')).toBeUndefined();
    expect(parseStepAddress('#%E0%A4%A')).toBeUndefined();
  });
  it('keep the rest of an address when a parameter is set', () => {
    expect(withParameter('https://a.example/s/1?b=2#e-a.1', 'fold', 'all')).toBe('/s/1?b=2&fold=all#e-a.1');
    expect(withParameter('https://a.example/s/1?b=2&fold=all', 'fold', '')).toBe('/s/1?b=2');
    expect(compareAddress('a', 'b c')).toBe('/compare?a=a&b=b+c');
    expect(shortId('2026-11-17-x2kqp')).toBe('x2kqp');
  });
});

describe('numbers as text', () => {
  it('has offsets that are never negative', () => {
    const offsets = [-5, 0, 3_140, 59_999, 60_000, 75_000, 3_599_999, 3_600_000, 3_725_000];
    expect(offsets.map(offsetText).join(' ')).toBe(
      '+0.0 +0.0 +3.1 +59.9 +1:00 +1:15 +59:59 +1:00:00 +1:02:05',
    );
  });
  it.each([
    [-1, '0 ms'],
    [12.4, '12 ms'],
    [999, '999 ms'],
    [1_000, '1.0 s'],
    [3_240, '3.2 s'],
    [9_999, '9.9 s'],
    [10_000, '10 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [90_000, '1 min 30 s'],
    [2_400_000, '40 min'],
    [2_405_000, '40 min 5 s'],
    [3_600_000, '1 h'],
    [3_725_000, '1 h 2 min'],
    [172_799_999, '47 h 59 min'],
    [172_800_000, '2 d'],
    [200_000_000, '2 d 7 h'],
  ])('has durations in two units at most: %f ms', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
  it('has counts with their nouns', () => {
    expect([countText(1, 'agent'), countText(1_200, 'agent'), countText(2, 'entry', 'entries')]).toEqual([
      '1 agent',
      '1,200 agents',
      '2 entries',
    ]);
  });
  it('never shows a price that is not known as 0', () => {
    expect(costText({ usd: 0, unpricedCalls: 3 })).toBe('unknown');
    expect(costText({ usd: 0.02, unpricedCalls: 1 })).toBe('at least $0.020');
    expect(costText({ usd: null, unpricedCalls: null })).toBe('unknown');
    expect(costText({ usd: 0.02, unpricedCalls: null })).toBe('unknown');
    expect(costText({ usd: null, unpricedCalls: 0 })).toBe('unknown');
    expect(costText({ usd: 0, unpricedCalls: 0 })).toBe('$0');
    expect([0, 1.239, 0.1, 0.0996, 0.0213, 0.00012, 1e-10].map(dollarText).join(' ')).toBe(
      '$0 $1.24 $0.10 $0.100 $0.021 $0.00012 $0.00000000',
    );
    const unknown = { usd: null, unpricedCalls: null };
    const known = { usd: 0.5, unpricedCalls: 0 };
    expect(priceText({ cost: unknown, models: [] })).toBe('none yet');
    expect(priceText({ cost: unknown, models: ['m'] })).toBe('unknown for this model');
    expect(priceText({ cost: known, models: ['m'] })).toBe('$0.50');
    expect([unknown, known].map(costFact)).toEqual(['cost unknown', '$0.50']);
  });
  it('has sizes', () => {
    const sizes = [999, 1_000, 1_100, 99_949, 99_950, 999_949, 999_950, 2_100_000];
    expect(sizes.map(bytesText).join(', ')).toBe(
      '999 B, 1.0 kB, 1.1 kB, 99.9 kB, 100 kB, 1000 kB, 1.0 MB, 2.1 MB',
    );
  });
  it('has the start of a text', () => {
    expect(titleText(`a\n\tb${'x'.repeat(77)}`)).toBe(`a b${'x'.repeat(77)}`);
    expect(titleText(` ${'x'.repeat(81)}`)).toBe(`${'x'.repeat(79)}…`);
    expect(['a  b\nc ', 'abcdef', 'abc def'].map((text) => firstLines(text, 5))).toEqual([
      'a b c',
      'abcd…',
      'abc…',
    ]);
  });
  it('has titles without control characters, at most 80 characters long', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(titleText(text)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        expect(titleText(text).length).toBeLessThanOrEqual(80);
      }),
    );
  });
});

describe('statuses', () => {
  it('each have a word, and no two of them a glyph', () => {
    // One that runs and one that is active are the same to a reader.
    const shown = STATUS_NAMES.filter((name) => name !== 'active').map(statusShown);
    expect(new Set(shown.map(({ icon }) => icon)).size).toBe(shown.length);
    expect(shown.every(({ word }) => word !== '')).toBe(true);
    expect(statusShown('a_new_one').word).toBe('a new one');
  });
});

describe('time without work', () => {
  it('is offered to be squeezed from 30 % on', () => {
    const span = (from: number, to: number) =>
      ({
        key: `${from}`,
        executionId: 'a',
        kind: 'model',
        label: '',
        from,
        to,
        isFault: false,
        event: undefined,
        iteration: undefined,
      }) as const;
    expect(longestIdle([span(0, 10), span(90, 100)], 100)).toEqual({ from: 10, to: 90 });
    expect(longestIdle([span(0, 40), span(60, 100)], 100)).toBeUndefined();
  });
});

describe('the heading of an iteration', () => {
  it.each([
    ['I look at the pods. Then at the logs.', 'I look at the pods.', 'Then at the logs.'],
    ['I look at the pods', 'I look at the pods', ''],
    ['Version 1.42.0 is new. It grows.', 'Version 1.42.0 is new.', 'It grows.'],
    ['1.42.0 raised the limit. It grows.', '1.42.0 raised the limit.', 'It grows.'],
    ['First line\n\n- an item', 'First line', '- an item'],
    ['MAX_ENTRIES was raised. It grows.', 'MAX_ENTRIES was raised.', 'It grows.'],
    [` ${'x'.repeat(219)}. More. `, `${'x'.repeat(219)}.`, 'More.'],
  ])('is the first sentence, and no words stand twice: %j', (text, heading, rest) => {
    expect(splitHeading(text)).toEqual({ heading, rest });
  });

  it.each([
    '**Root cause** is here. More.',
    '_Root_ cause. More.',
    '- an item. More.',
    '1. an item. More.',
    `${'x'.repeat(220)}. More.`,
    '> a quote. More.',
    '2) an item. More.',
    '',
  ])('is not split from %j', (text) => {
    expect(splitHeading(text)).toBeUndefined();
  });
});

describe('streamed text', () => {
  it.each([
    ['**Root cause** (confidence: high): it', 'Root cause (confidence: high): it'],
    ['## Evidence\n**Logs', 'Evidence\nLogs'],
    ['ends in **', 'ends in '],
    ['it is **not**, `x` is', 'it is not, x is'],
    ['2**3 and a * b and C# #1', '2**3 and a * b and C# #1'],
  ])('has no marks of markdown: %j', (text, shown) => {
    expect(withoutMarks(text)).toBe(shown);
  });
});

describe('times and numbers', () => {
  const times = fc.date({ min: new Date('1971-01-01'), max: new Date('2090-01-01'), noInvalidDate: true });
  it('are those of Intl', () => {
    const number = new Intl.NumberFormat('en');
    fc.assert(
      fc.property(fc.oneof(fc.maxSafeNat(), fc.double({ min: 0, max: 1e6, noNaN: true })), (value) => {
        expect(numberText(value)).toBe(number.format(value));
      }),
    );
    const style = { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' } as const;
    const utc = new Intl.DateTimeFormat('en-GB', style);
    const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'short', timeZone: 'UTC' });
    fc.assert(
      fc.property(times, (time) => {
        const iso = time.toISOString();
        expect(utcText(iso)).toBe(`${utc.format(time).replace('Sept', 'Sep')} UTC`);
        expect(dayName(iso.slice(0, 10))).toContain(weekday.format(time));
      }),
    );
  });
  /** What is read in India, in New York and at UTC. */
  const inZones = (read: () => string): string[] => {
    const zone = process.env.TZ;
    onTestFinished(() => {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    });
    return ['Asia/Kolkata', 'America/New_York', 'UTC'].map((name) => {
      process.env.TZ = name;
      return read();
    });
  };
  const LATE = '2026-11-17T23:36:00.000Z';
  const at = (iso: string) => Date.parse(iso);
  it.each([
    [
      'how far the reader is from UTC',
      () => localText(LATE),
      ['18 Nov 2026, 05:06:00 UTC+5:30', '17 Nov 2026, 18:36:00 UTC-5', '17 Nov 2026, 23:36:00 UTC+0'],
    ],
    [
      'day and minute, and UTC where the reader is elsewhere',
      () => dayText(LATE),
      ['18 Nov 05:06 (17 Nov 23:36 UTC)', '17 Nov 18:36 (23:36 UTC)', '17 Nov 23:36 UTC'],
    ],
    [
      'the time of a day that began',
      () => beganText(LATE, at(LATE) + 24 * 3_600_000 - 1),
      ['05:06', '18:36', '23:36'],
    ],
    [
      'the day of an earlier time',
      () => beganText(LATE, at(LATE) + 24 * 3_600_000),
      ['18 Nov, 05:06', '17 Nov, 18:36', '17 Nov, 23:36'],
    ],
    [
      'a moment of the same day',
      () => momentText(LATE, at('2026-11-17T20:00:00Z')),
      ['05:06', '18:36', '23:36'],
    ],
    [
      'a moment of the day before',
      () => momentText(LATE, at('2026-11-18T20:00:00Z')),
      ['18 Nov 05:06', '17 Nov 18:36', '17 Nov 23:36'],
    ],
    [
      'a moment of another year',
      () => momentText(LATE, at('2027-11-17T23:36:00Z')),
      ['18 Nov 2026 05:06', '17 Nov 2026 18:36', '17 Nov 2026 23:36'],
    ],
    [
      'UTC beside a local time from an hour on',
      () => besideLocal(LATE, at(LATE) + 3_600_000),
      ['23:36 UTC', '23:36 UTC', ''],
    ],
    ['nothing beside a recent time', () => besideLocal(LATE, at(LATE) + 3_599_999), ['', '', '']],
  ])('name %s', (_, read, texts) => {
    expect(inZones(read)).toEqual(texts);
  });
  it('name a recent start by its age', () => {
    const ages = [0, 59_999, 60_000, 3_599_999].map((age) => beganText(LATE, at(LATE) + age));
    expect(ages).toEqual(['now', 'now', '1 min ago', '59 min ago']);
    expect(timeTitle(LATE)).toContain('17 Nov 2026, 23:36:00 UTC · ');
  });
  it('name days and hours, and leave other texts', () => {
    expect([hourName('2026-11-20T10'), hourName('2026-11-20'), dayName('later')]).toEqual([
      'Fri, 20 Nov 10:00',
      'Fri, 20 Nov',
      'later',
    ]);
  });
});
