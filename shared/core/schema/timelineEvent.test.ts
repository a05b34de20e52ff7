import { describe, expect, it } from 'vitest';
import { SAMPLE_METADATA, sampleEvent } from '../../../test/support/samples.ts';
import { timelineEventType } from '../../lists/documents.ts';
import { EVENT_STATUSES, EVENT_TYPES, timelineEventSchema } from './timelineEvent.ts';

it('the event types are these', () => {
  expect(EVENT_TYPES).toEqual([
    'llm_thinking',
    'llm_response',
    'llm_tool_call',
    'tool_result',
    'mcp_tool_call',
    'mcp_tool_summary',
    'error',
    'user_question',
    'user_guidance',
    'notice',
    'action',
    'task_assigned',
    'executive_summary',
    'final_analysis',
    'code_execution',
    'google_search_result',
    'url_context_result',
  ]);
});

it('the statuses are these', () => {
  expect(EVENT_STATUSES).toEqual(['completed', 'failed', 'cancelled', 'timed_out']);
});

it('the union knows every event type', () => {
  const known = timelineEventSchema.options.map((option) => option.shape.eventType.value);
  expect(known).toEqual(EVENT_TYPES);
});

/** Where an event is invalid, as dotted paths. */
function faults(event: unknown): string[] {
  const result = timelineEventSchema.safeParse(event);
  return result.success ? [] : result.error.issues.map((issue) => issue.path.join('.'));
}

/** Types whose metadata is empty: theirs fits only each other. */
const BARE = ['llm_response', 'executive_summary'];

describe.each(EVENT_TYPES)('%s', (eventType) => {
  it('is valid with its own metadata', () => {
    expect(faults(sampleEvent(eventType))).toEqual([]);
  });

  it('is refused with the metadata of another type', () => {
    const others = EVENT_TYPES.filter(
      (other) => other !== eventType && !(BARE.includes(other) && BARE.includes(eventType)),
    );
    for (const other of others) {
      const wrong = faults({ ...sampleEvent(eventType), metadata: SAMPLE_METADATA[other] });
      expect(wrong.length, `with the metadata of ${other}`).toBeGreaterThan(0);
      expect(wrong.every((path) => path.startsWith('metadata'))).toBe(true);
    }
  });

  it('is refused with a metadata field too many', () => {
    const metadata = { ...SAMPLE_METADATA[eventType], surplus: 1 };
    expect(faults({ ...sampleEvent(eventType), metadata })).toEqual(['metadata']);
  });

  it('is refused without content: every event has words a person reads', () => {
    expect(faults({ ...sampleEvent(eventType), content: '' })).toEqual(['content']);
  });
});

it.each([0, -1, 1.5])('refuses sequence number %d', (sequenceNumber) => {
  expect(faults({ ...sampleEvent('llm_response'), sequenceNumber })).toEqual(['sequenceNumber']);
});

it.each(
  (['code_execution', 'google_search_result', 'url_context_result'] as const).flatMap((type) =>
    [timelineEventType.oldest, timelineEventType.version].flatMap((version) =>
      (['gemini', 'google'] as const).map((source) => ({ type, version, source })),
    ),
  ),
)('reads a stored $type of version $version with its source $source', ({ type, version, source }) => {
  const metadata = { ...SAMPLE_METADATA[type], source };
  const stored = { ...sampleEvent(type), metadata, schemaVersion: version };
  expect(timelineEventType.decode(stored, 'timeline/1')).toEqual({ ...sampleEvent(type), metadata });
});

it('refuses an event type it does not know', () => {
  expect(faults({ ...sampleEvent('llm_response'), eventType: 'guess' })).toEqual(['eventType']);
});
