import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { create } from '../../shared/contract/store.ts';
import { paths, timelineEventType } from '../../shared/schema/documents.ts';
import { createMemoryStore } from '../../shared/store/memory/memoryStore.ts';
import { sampleEvent } from '../../test/support/samples.ts';
import { addShapes, PINS, parsePins, pinOf, shapeOf } from '../../test/support/shapes.ts';
import { hypothesisEvent, nextTimelineEventType } from './hypothesisEvent.ts';

const older = sampleEvent('llm_response');
const event = { ...older, ...hypothesisEvent('The heap grows.', 'medium', [7, 3, 7]) };
const path = paths.event(event.sessionId, event.executionId, event.sequenceNumber);

/** A store with the event in it, as the newer code wrote it. */
async function stored() {
  const store = createMemoryStore();
  expect(await store.commit([create(path, nextTimelineEventType, event)])).toMatchObject({ ok: true });
  return store;
}

describe('an event of a new type', () => {
  it('is stored and read back', async () => {
    const store = await stored();
    const read = await store.get(path, nextTimelineEventType);
    expect(read?.value).toEqual(event);
    expect(read?.value).toMatchObject({
      content: 'The heap grows. (confidence: medium)',
      metadata: { confidence: 'medium', evidence: [3, 7] },
    });
  });

  it('is refused by older code, which tries again once it is replaced', async () => {
    const store = await stored();
    await expect(store.get(path, timelineEventType)).rejects.toMatchObject({ code: 'SCHEMA_TOO_NEW' });
  });

  it('is refused with fields it does not have', () => {
    const surplus = { ...event, metadata: { ...event.metadata, author: 'x' } };
    expect(() => nextTimelineEventType.encode(surplus)).toThrow('metadata');
  });
});

describe('the new version', () => {
  it('reads events of the version before', () => {
    expect(nextTimelineEventType.decode(timelineEventType.encode(older), path)).toEqual(older);
  });

  it('gets a pin of its own, and leaves the others as they are', () => {
    const pins = parsePins(readFileSync(PINS, 'utf8'));
    const next = shapeOf(nextTimelineEventType.schema);
    const { name, version } = timelineEventType;
    expect(() => addShapes(pins, { [pinOf(name, version)]: next })).toThrow('raise its version');
    expect(Object.keys(addShapes(pins, { [pinOf(name, version + 1)]: next }))).toHaveLength(
      Object.keys(pins).length + 1,
    );
  });
});
