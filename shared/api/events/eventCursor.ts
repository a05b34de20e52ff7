// Tracks which events of a timeline a reader has. Numbers of an execution can arrive late (results have
// reserved ones), so a cursor holds the highest number without a gap, and the numbers sent above it.

import { isObject, parseJson } from '../../text/json.ts';

/** The position of an event: its execution and its number there. */
type Place = { executionId: string; sequenceNumber: number };

/** The events of one execution that the reader has. */
interface Seen {
  /** All events with a `sequenceNumber` up to this one were sent. */
  upTo: number;
  /** Numbers of sent events above `upTo`. */
  above: Set<number>;
}

/** Maximum characters of a cursor. */
const MAX_CURSOR = 65_536;

/** The events that were sent. */
export class EventCursor {
  readonly #seen = new Map<string, Seen>();

  /** Whether an event was sent. */
  has({ executionId, sequenceNumber }: Place): boolean {
    const seen = this.#seen.get(executionId);
    return seen !== undefined && (sequenceNumber <= seen.upTo || seen.above.has(sequenceNumber));
  }

  /** Records an event as sent. False if it was recorded before. */
  take({ executionId, sequenceNumber }: Place): boolean {
    if (this.has({ executionId, sequenceNumber })) return false;
    const seen = this.#seen.get(executionId) ?? { upTo: 0, above: new Set() };
    this.#seen.set(executionId, seen);
    seen.above.add(sequenceNumber);
    while (seen.above.delete(seen.upTo + 1)) seen.upTo += 1;
    return true;
  }

  /** As text for `Last-Event-ID`. Opaque to readers. */
  toString(): string {
    const entries = [...this.#seen].map(([id, { upTo, above }]) => [id, [upTo, ...above]]);
    return Buffer.from(JSON.stringify(Object.fromEntries(entries))).toString('base64url');
  }

  /** The cursor of a text, which is empty for a reader without events; undefined for an invalid one. */
  static parse(text: string): EventCursor | undefined {
    if (text === '') return new EventCursor();
    if (text.length > MAX_CURSOR || !/^[\w-]*$/.test(text)) return undefined;
    const value = parseJson(Buffer.from(text, 'base64url').toString('utf8'));
    if (!isObject(value)) return undefined;
    const cursor = new EventCursor();
    for (const [id, numbers] of Object.entries(value)) {
      if (!Array.isArray(numbers) || !numbers.every((one) => Number.isSafeInteger(one) && one >= 0))
        return undefined;
      const [upTo = 0, ...above] = numbers as number[];
      cursor.#seen.set(id, { upTo, above: new Set(above) });
    }
    return cursor;
  }
}
