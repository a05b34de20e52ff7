import { describe, expect, it } from 'vitest';
import { sampleExecution, sampleMessage } from '../../../../test/support/samples.ts';
import type { ConversationMessage } from '../../contract/llm.ts';
import { createConversationCache } from './conversationCache.ts';

const execution = sampleExecution();
const other = sampleExecution({ executionId: '01-other' });

function message(textContent = 'hello'): ConversationMessage {
  return { role: 'user', blocks: [{ blockType: 'text', textContent }] };
}

/** Messages 1 to `count`, of some 8 kB each as the cache counts. */
const messages = (count: number) =>
  new Map(Array.from({ length: count }, (_, index) => [index + 1, message('x'.repeat(4_000))]));

const written = (sequenceNumber: number) => ({ message: sampleMessage({ sequenceNumber }), pieces: [] });
const numbersOf = (cache: ReturnType<typeof createConversationCache>, of = execution) => [
  ...cache.get(of).keys(),
];

describe('the messages that a process keeps', () => {
  it('are those that were read, frozen, and those that were written after them', () => {
    const cache = createConversationCache();
    expect(cache.has(execution)).toBe(false);
    cache.keep(execution, messages(2));
    cache.append(execution, [written(4)]);
    expect(numbersOf(cache)).toEqual([1, 2, 4]);
    for (const kept of cache.get(execution).values()) {
      expect(Object.isFrozen(kept) && Object.isFrozen(kept.blocks) && Object.isFrozen(kept.blocks[0])).toBe(
        true,
      );
    }
  });

  it('do not start with a written message: earlier messages are not known', () => {
    const cache = createConversationCache();
    cache.append(execution, [written(3)]);
    expect(cache.has(execution)).toBe(false);
  });

  it('stay unchanged when one is read again', () => {
    const cache = createConversationCache();
    const first = message();
    cache.keep(execution, new Map([[1, first]]));
    cache.keep(execution, new Map([[1, message()]]));
    expect(cache.get(execution).get(1)).toBe(first);
  });

  it('are not those of an earlier execution with the same id', () => {
    const cache = createConversationCache();
    cache.keep({ ...execution, createdAt: new Date(0) }, messages(2));
    expect(cache.has(execution)).toBe(true);
    expect(numbersOf(cache)).toEqual([]);
    expect(cache.has(execution)).toBe(false);
  });

  it('are no part of a later execution with the same id that is written to', () => {
    const cache = createConversationCache();
    cache.keep({ ...execution, createdAt: new Date(0) }, messages(2));
    cache.append(execution, [written(3)]);
    expect(cache.has(execution)).toBe(false);
  });

  it('are forgotten one execution at a time', () => {
    const cache = createConversationCache();
    cache.keep(execution, messages(1));
    cache.keep(other, messages(1));
    cache.drop(execution);
    expect([cache.has(execution), cache.has(other)]).toEqual([false, true]);
  });
});

describe('beyond its bytes a cache forgets', () => {
  it('the execution that was used least recently', () => {
    const cache = createConversationCache(40_000);
    const third = sampleExecution({ executionId: '01-third' });
    cache.keep(execution, messages(2));
    cache.keep(other, messages(2));
    cache.get(execution);
    cache.keep(third, messages(2));
    expect([execution, other, third].map(cache.has)).toEqual([true, false, true]);
  });

  it('an execution that is larger than the limit, and no other', () => {
    const cache = createConversationCache(20_000);
    cache.keep(other, messages(1));
    cache.keep(execution, messages(3));
    expect([cache.has(execution), cache.has(other)]).toEqual([false, true]);
  });

  it('an execution that has become larger', () => {
    const cache = createConversationCache(18_000);
    cache.keep(execution, messages(2));
    for (let number = 3; cache.has(execution) && number < 100; number++)
      cache.append(execution, [written(number)]);
    expect(cache.has(execution)).toBe(false);
    cache.keep(execution, messages(2));
    expect(numbersOf(cache)).toEqual([1, 2]);
  });
});
