import { describe, expect, it } from 'vitest';
import { SAMPLE_METADATA } from '../../../../test/support/samples.ts';
import type { EventDraft } from '../../schema/timelineEvent.ts';
import { fitEvent, fitEvents, MAX_EVENT_BYTES } from './fitEvent.ts';

const response = (content: string): EventDraft => ({ eventType: 'llm_response', content, metadata: {} });
const bytesOf = ({ content, metadata }: EventDraft) =>
  Buffer.byteLength(content) + Buffer.byteLength(JSON.stringify(metadata));

describe('an event', () => {
  it('of ordinary size stays as it is', () => {
    const call: EventDraft = {
      eventType: 'llm_tool_call',
      content: 'k8s.logs()',
      metadata: SAMPLE_METADATA.llm_tool_call,
    };
    expect(fitEvent(call)).toEqual(call);
  });

  it('with a large content is cut and states so', () => {
    const { content } = fitEvent(response('x'.repeat(MAX_EVENT_BYTES + 1)));
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(MAX_EVENT_BYTES);
    expect(content).toContain('bytes left out');
  });

  it('with a large content loses offsets of citations that were cut, and moves those behind the cut', () => {
    const content = `head ${'x'.repeat(2 * MAX_EVENT_BYTES)} tail`;
    const cite = (startIndex: number, endIndex: number) => ({
      type: 'url_citation' as const,
      startIndex,
      endIndex,
    });
    const middle = MAX_EVENT_BYTES;
    const citations = [cite(0, 4), cite(middle, middle + 20), cite(content.length - 4, content.length)];
    const fitted = fitEvent<EventDraft>({ eventType: 'final_analysis', content, metadata: { citations } });
    const [first, second, last] = (fitted.metadata as { citations: Partial<(typeof citations)[number]>[] })
      .citations;
    expect(fitted.content.slice(first?.startIndex, first?.endIndex)).toBe('head');
    expect(second).not.toHaveProperty('startIndex');
    expect(fitted.content.slice(last?.startIndex, last?.endIndex)).toBe('tail');
  });

  it('with large arguments keeps a JSON text that names the missing part', () => {
    const metadata = {
      ...SAMPLE_METADATA.llm_tool_call,
      arguments: JSON.stringify({ text: '"'.repeat(900_000) }),
    };
    const fitted = fitEvent<EventDraft>({ eventType: 'llm_tool_call', content: 'k8s.logs()', metadata });
    expect(bytesOf(fitted)).toBeLessThan(MAX_EVENT_BYTES);
    expect(fitted.metadata).toMatchObject({ toolName: metadata.toolName, callId: metadata.callId });
    expect(JSON.parse((fitted.metadata as typeof metadata).arguments)).toMatch(/^\{"text":.*bytes left out/s);
  });
});

describe('the metadata of an event', () => {
  const fitted = (metadata: object) => {
    const draft = { eventType: 'final_analysis', content: 'Done.', metadata } as EventDraft;
    const { content, metadata: cut } = fitEvent(draft, 1_000);
    return { content, metadata: cut as Record<string, unknown> };
  };
  const sources = Array.from({ length: 50 }, (_, index) => ({ uri: `https://a.example/${index}` }));
  const size = (count: number) => JSON.stringify(sources.slice(0, count)).length;

  it('that is too large keeps the first items of its lists, and says so', () => {
    const { content, metadata } = fitted({ code: 'x', sources });
    const kept = (metadata.sources as unknown[]).length;
    expect(metadata).toEqual({ code: 'x', sources: sources.slice(0, kept) });
    expect([size(kept) <= 501, size(kept + 1) > 500]).toEqual([true, true]);
    expect(content).toBe('Done.\n[Sources and citations are too many to be kept whole.]');
  });

  it('that is too large has no structured answer, and its other values as they are', () => {
    const output = JSON.stringify({ text: 'x'.repeat(2_000) });
    const nested = { text: 'y'.repeat(2_000) };
    const { content, metadata } = fitted({ output, nested, truncated: true });
    expect(metadata).toEqual({ output: undefined, nested, truncated: true });
    expect(content).toBe('Done.');
  });

  it('keeps each list that fits its share', () => {
    const few = sources.slice(0, 3);
    const { metadata } = fitted({ few, text: 'z'.repeat(2_000) });
    expect(metadata.few).toEqual(few);
    expect(JSON.parse(String(metadata.text))).toContain('bytes left out');
  });
});

describe('the events of one commit', () => {
  it('stay as they are when they fit together, whatever the share of one', () => {
    const events = [response('x'.repeat(900)), response('y'), response('z')];
    expect(fitEvents(events, 1_000)).toEqual(events);
  });

  it('lose only from the largest part', () => {
    const [small, large, other] = fitEvents(
      [response('x'.repeat(100)), response('y'.repeat(5_000)), response('z'.repeat(5_000))],
      4_000,
    );
    expect(small?.content).toBe('x'.repeat(100));
    for (const event of [large, other]) expect(event?.content).toContain('of 5000 bytes left out');
    expect([small, large, other].reduce((sum, event) => sum + (event ? bytesOf(event) : 0), 0)).toBeLessThan(
      4_000,
    );
  });
});
