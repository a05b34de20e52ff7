import { describe, expect, it } from 'vitest';
import { createAgentCache } from './agentCache.ts';

function cacheAt(start = 0) {
  let time = start;
  const cache = createAgentCache<string>({ now: () => time });
  const advance = (ms: number) => {
    time += ms;
  };
  return { cache, advance };
}

describe('the cache of agents', () => {
  it('is fresh for 300 s, and then for another 300 s if the agent did not change', () => {
    const { cache, advance } = cacheAt();
    cache.keep('a', 'v1', 'one');
    advance(299_999);
    expect(cache.fresh('a')?.value).toBe('one');
    advance(1);
    expect(cache.fresh('a')).toBeUndefined();
    expect(cache.ofVersion('a', 'v2')).toBeUndefined();
    expect(cache.ofVersion('a', 'v1')?.value).toBe('one');
    expect(cache.fresh('a')?.value).toBe('one');
  });

  it('holds 100 agents; the oldest goes first', () => {
    const { cache } = cacheAt();
    for (let index = 0; index < 101; index++) cache.keep(`a${index}`, 'v', String(index));
    expect(cache.fresh('a0')).toBeUndefined();
    expect(cache.fresh('a1')?.value).toBe('1');
    expect(cache.clear()).toBe(100);
  });

  it('keeps names apart that start with the same characters, however long they are', () => {
    const { cache } = cacheAt();
    const names = ['user-1234-other', 'user-123x', `${'a'.repeat(60)}1`, `${'a'.repeat(60)}2`];
    for (const name of names) cache.keep(name, 'v', name);
    expect(names.map((name) => cache.fresh(name)?.value)).toEqual(names);
  });

  it('removes entries by name, and reports their number', () => {
    const { cache } = cacheAt();
    cache.keep('a', 'v', '1');
    cache.keep('b', 'v', '2');
    expect(cache.clear('a')).toBe(1);
    expect(cache.clear('a')).toBe(0);
    expect(cache.fresh('b')?.value).toBe('2');
    expect(cache.clear()).toBe(1);
  });
});
