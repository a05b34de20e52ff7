// Events as steps and iterations, addresses, numbers as text, times without work.

import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { TimelineEvent } from '../../../shared/lists/apiTypes.ts';
import { STATUS_NAMES, statusShown } from '../parts/statusDisplay.ts';
import { parseStepAddress, stepId } from './address.ts';
import {
  bytesText,
  costText,
  dayName,
  dollarText,
  durationText,
  localText,
  numberText,
  offsetText,
  titleText,
  utcText,
  withoutMarks,
} from './format.ts';
import { chooseIterationHeading, groupSteps, listStepEvents, splitHeading } from './steps.ts';
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
  });
  it('fold three errors of a code, and no fewer', () => {
    const errors = [1, 2, 3].map((number) => event(number, 'error', { code: 'MODEL_UNAVAILABLE' }));
    expect(groupSteps(errors).map(({ kind }) => kind)).toEqual(['repeated']);
    expect(groupSteps(errors.slice(1)).map(({ kind }) => kind)).toEqual(['event', 'event']);
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
    expect(parseStepAddress('#analysis')).toBeUndefined();
    expect(parseStepAddress('#%E0%A4%A')).toBeUndefined();
  });
});

describe('numbers as text', () => {
  it('has offsets that are never negative', () => {
    expect([-5, 0, 3_140, 75_000, 3_725_000].map(offsetText)).toEqual([
      '+0.0',
      '+0.0',
      '+3.1',
      '+1:15',
      '+1:02:05',
    ]);
  });
  it('has durations in two units at most', () => {
    expect([12, 3_240, 59_900, 90_000, 2_400_000, 3_725_000, 200_000_000].map(durationText)).toEqual([
      '12 ms',
      '3.2 s',
      '59 s',
      '1 min 30 s',
      '40 min',
      '1 h 2 min',
      '2 d 7 h',
    ]);
  });
  it('never shows a price that is not known as 0', () => {
    expect(costText({ usd: 0, unpricedCalls: 3 })).toBe('unknown');
    expect(costText({ usd: 0.02, unpricedCalls: 1 })).toBe('at least $0.020');
    expect(costText({ usd: null, unpricedCalls: null })).toBe('unknown');
    expect([0, 1.239, 0.0213, 0.00012].map(dollarText)).toEqual(['$0', '$1.24', '$0.021', '$0.00012']);
  });
  it('has sizes', () => {
    expect([999, 1_100, 38_000, 2_100_000].map(bytesText)).toEqual(['999 B', '1.1 kB', '38.0 kB', '2.1 MB']);
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
  ])('is the first sentence, and no words stand twice: %j', (text, heading, rest) => {
    expect(splitHeading(text)).toEqual({ heading, rest });
  });

  it.each([
    '**Root cause** is here. More.',
    '_Root_ cause. More.',
    '- an item. More.',
    '1. an item. More.',
    `${'x'.repeat(300)}. More.`,
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
  it('name how far the reader is from UTC', () => {
    const zone = process.env.TZ;
    onTestFinished(() => {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    });
    const texts = ['Asia/Kolkata', 'America/New_York', 'UTC'].map((name) => {
      process.env.TZ = name;
      return localText('2026-11-17T23:36:00.000Z');
    });
    expect(texts).toEqual([
      '18 Nov 2026, 05:06:00 UTC+5:30',
      '17 Nov 2026, 18:36:00 UTC-5',
      '17 Nov 2026, 23:36:00 UTC+0',
    ]);
  });
});
