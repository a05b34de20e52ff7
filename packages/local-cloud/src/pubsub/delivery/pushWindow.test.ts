import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPushWindow } from './pushWindow.ts';

describe('the push window', () => {
  it('starts with three', () => {
    const window = createPushWindow();
    expect(window.capacity()).toBe(3);
    window.start('a');
    expect(window.capacity()).toBe(2);
  });

  it('doubles when all are acked', () => {
    const window = createPushWindow();
    for (const key of ['a', 'b', 'c']) window.start(key);
    for (const key of ['a', 'b', 'c']) window.end(key, 'acked');
    expect(window.capacity()).toBe(6);
  });

  it('halves with each failure, to no less than one', () => {
    const window = createPushWindow();
    for (let count = 0; count < 10; count++) {
      window.start('a');
      window.end('a', 'failed');
    }
    expect(window.capacity()).toBe(1);
  });

  it('does not count slow answers', () => {
    const window = createPushWindow();
    for (const key of ['a', 'b', 'c']) window.start(key);
    expect(window.capacity()).toBe(0);
    for (const key of ['a', 'b', 'c']) window.markSlow(key);
    expect(window.capacity()).toBe(3);
  });

  it.each([
    [1000, undefined],
    [3000, 3000],
  ])('has no more than %i under way', (most, option) => {
    const window = createPushWindow(option);
    for (let count = 1; count < most; count++) {
      window.start(`${count}`);
      window.markSlow(`${count}`);
    }
    expect(window.capacity()).toBe(1);
    window.start('last');
    window.markSlow('last');
    expect(window.capacity()).toBe(0);
  });

  it('always has room when all that is under way is slow, whatever failed', () => {
    void fc.assert(
      fc.property(fc.array(fc.constantFrom('begin', 'acked', 'failed'), { maxLength: 100 }), (steps) => {
        const window = createPushWindow();
        const keys: string[] = [];
        for (const [index, step] of steps.entries()) {
          const oldest = step === 'begin' ? undefined : keys.shift();
          if (step !== 'begin' && oldest !== undefined) window.end(oldest, step);
          if (step === 'begin' && window.capacity() > 0) {
            window.start(`${index}`);
            keys.push(`${index}`);
          }
        }
        for (const key of keys) window.markSlow(key);
        expect(window.capacity()).toBeGreaterThan(0);
      }),
    );
  });
});
