// What readers of events and sessions get.

import { describe, expect, it } from 'vitest';
import {
  SAMPLE_TIME,
  sampleAlert,
  sampleAlertPart,
  sampleEvent,
  sampleLiveText,
  sampleSession,
  sampleVerdict,
} from '../../../test/support/samples.ts';
import { withPart } from '../../core/schema/parts.ts';
import { verdictPart } from '../../evidence/schema/verdict.ts';
import { EventCursor } from './eventCursor.ts';
import { eventJson, resultBytesSchema } from './eventJson.ts';
import { liveJson, toSessionHead, toStreamState } from './eventStream.ts';
import { LatestOutput } from './followLive.ts';

describe('an event', () => {
  it('has its content, and how much of it there is', () => {
    const event = sampleEvent('llm_response', { content: 'ä\nb', metadata: { masked: 2 } });
    const counts = { cut: false, lines: 2, bytes: 4, masked: 2, truncated: false };
    expect(eventJson('e', event)).toEqual({ ...event, eventId: 'e', ...counts });
  });

  it.each([
    ['tool_result', 8_000, undefined, 8_000, false],
    ['tool_result', 8_001, undefined, 8_000, true],
    ['tool_result', 11, 10, 10, true],
    ['tool_result', 10, 10, 10, false],
    ['tool_result', 10, 0, 0, true],
    ['llm_response', 100_000, 10, 100_000, false],
    ['llm_response', 100_001, 10, 100_000, true],
  ] as const)('%s of %i bytes for a reader of %j has %i', (type, bytes, wanted, shown, cut) => {
    const json = eventJson('e', sampleEvent(type, { content: 'x'.repeat(bytes) }), wanted);
    expect(json).toMatchObject({ cut, bytes, masked: 0 });
    expect(json.content.length).toBeLessThanOrEqual(shown);
    expect(json.content.length).toBeGreaterThan(shown - 20);
  });

  it('states whether its stored content is a part', () => {
    const result = (truncated: boolean) =>
      sampleEvent('tool_result', {
        metadata: { toolName: 'a', callId: 'b', isError: false, truncated },
      } as object);
    expect([true, false].map((one) => eventJson('e', result(one)).truncated)).toEqual([true, false]);
  });

  it.each([
    [undefined, 8_000],
    ['0', 0],
    ['8000', 8_000],
    ['8001', undefined],
    ['-1', undefined],
    ['1.5', undefined],
  ])('of %j bytes of a result is one of %j', (text, bytes) => {
    expect(resultBytesSchema.safeParse(text).data).toBe(bytes);
  });
});

describe('a cursor', () => {
  const place = (sequenceNumber: number, executionId = 'a') => ({ executionId, sequenceNumber });

  it('knows each event once, in any order, also from its text', () => {
    const cursor = new EventCursor();
    expect([1, 3, 1, 2, 3, 5].map((number) => cursor.take(place(number)))).toEqual([
      ...[true, true, false, true, false, true],
    ]);
    for (const known of [cursor, EventCursor.parse(cursor.toString())])
      expect([1, 2, 3, 4, 5, 6].map((number) => known?.has(place(number)))).toEqual([
        ...[true, true, true, false, true, false],
      ]);
    expect(cursor.has(place(1, 'b'))).toBe(false);
    expect(JSON.parse(Buffer.from(cursor.toString(), 'base64url').toString())).toEqual({ a: [3, 5] });
  });

  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  it.each([
    ['', true],
    [encode({ a: [3] }), true],
    [encode({ a: [] }), true],
    [encode({ a: [-1] }), false],
    [encode({ a: [1.5] }), false],
    [encode({ a: ['1'] }), false],
    [encode({ a: 3 }), false],
    [encode([1]), false],
    ['a b', false],
    ['bm8', false],
    [encode({ a: [3], ['x'.repeat(60_000)]: [1] }), false],
  ])('%# is read: %s', (text, isRead) => {
    expect(EventCursor.parse(text) !== undefined).toBe(isRead);
  });
});

describe('the output of a model', () => {
  const live = (text: string, executionId = 'a') => sampleLiveText({ executionId, text, textStart: 3 });

  it('is the latest for a slow reader, and ends once', () => {
    const outputs = new LatestOutput();
    const [one, two] = [
      { live: live('one'), ended: false },
      { live: live('two'), ended: false },
    ];
    expect([outputs.take(one), outputs.take(two)]).toEqual([true, false]);
    expect(outputs.read('a')).toEqual([two]);
    expect(outputs.take(one)).toBe(true);
    outputs.take({ live: live('b', 'b'), ended: true });
    expect(outputs.ends().map(({ live: { executionId }, ended }) => [executionId, ended])).toEqual([
      ['a', true],
      ['b', true],
    ]);
    expect(outputs.read('b')).toMatchObject([{ ended: true }]);
    expect(outputs.read('b')).toEqual([]);
    expect(outputs.ends()).toHaveLength(1);
  });

  it('has no text when it has ended', () => {
    const change = {
      live: sampleLiveText({ text: 'a', textStart: 3, thinking: 'b', thinkingStart: 4 }),
      ended: false,
    };
    const { executionId, iteration } = change.live;
    const place = { executionId, iteration };
    expect(liveJson(change)).toEqual({
      ...{ ...place, text: 'a', textStart: 3, thinking: 'b', thinkingStart: 4, ended: false },
    });
    expect(liveJson({ ...change, ended: true })).toEqual({
      ...{ ...place, text: '', textStart: 0, thinking: '', thinkingStart: 0, ended: true },
    });
  });
});

describe('a session in a stream', () => {
  it('has its state', () => {
    const until = new Date(SAMPLE_TIME.getTime() + 60_000);
    const session = sampleSession({
      ...withPart(verdictPart, sampleAlertPart(sampleAlert()), sampleVerdict('likely')),
      openStage: { stageId: '02-fix', deadline: until, cancelling: false },
      deferral: { reason: 'settling', startedAt: null, until },
    });
    const { steering, status, sessionId } = session;
    expect(toStreamState(session)).toEqual({
      ...{ sessionId, status, currentStageId: '02-fix', paused: steering.paused, deferredUntil: until },
      ...{ executiveSummary: null, verdict: 'likely', failure: null },
    });
    const bare = sampleSession({ currentStageId: '01-a' });
    expect(toStreamState(bare)).toMatchObject({ currentStageId: '01-a', deferredUntil: null, verdict: null });
  });

  it('has its title and its alert in a list', () => {
    const { title, severity, source } = sampleAlert();
    const session = sampleSession({ endedAt: SAMPLE_TIME });
    const own = { kind: 'investigation', chain: 'default', createdAt: SAMPLE_TIME, endedAt: SAMPLE_TIME };
    expect(toSessionHead(session)).toEqual({ ...own, title, severity, source });
    const asked = { ...session, title: 'Mine', ...sampleAlertPart(null) };
    expect(toSessionHead({ ...asked, parts: {} })).toEqual({
      ...own,
      title: 'Mine',
      severity: null,
      source: null,
    });
    expect(toSessionHead({ ...asked, title: null, parts: {} }).title).toBeNull();
  });
});
