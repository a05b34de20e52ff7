import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPushWindow, SLOW_AFTER_MS } from './pushWindow.ts';

describe('the push window', () => {
  it('begins with three', () => {
    const window = createPushWindow();
    expect(window.room(0)).toBe(3);
    window.begin('a', 0);
    expect(window.room(0)).toBe(2);
  });

  it('doubles when all are acked', () => {
    const window = createPushWindow();
    for (const key of ['a', 'b', 'c']) window.begin(key, 0);
    for (const key of ['a', 'b', 'c']) window.end(key, 'acked');
    expect(window.room(0)).toBe(6);
  });

  it('halves with each failure, to no less than one', () => {
    const window = createPushWindow();
    for (let count = 0; count < 10; count++) {
      window.begin('a', 0);
      window.end('a', 'failed');
    }
    expect(window.room(0)).toBe(1);
  });

  it('does not count what is slow', () => {
    const window = createPushWindow();
    for (const key of ['a', 'b', 'c']) window.begin(key, 0);
    expect(window.room(SLOW_AFTER_MS - 1)).toBe(0);
    expect(window.room(SLOW_AFTER_MS)).toBe(3);
  });

  it('has no more than a thousand under way', () => {
    const window = createPushWindow();
    for (let count = 0; count < 999; count++) window.begin(`${count}`, 0);
    expect(window.room(SLOW_AFTER_MS)).toBe(1);
    window.begin('last', SLOW_AFTER_MS);
    expect(window.room(2 * SLOW_AFTER_MS)).toBe(0);
  });

  it('always has room after a second, whatever failed', () => {
    void fc.assert(
      fc.property(fc.array(fc.constantFrom('begin', 'acked', 'failed'), { maxLength: 100 }), (steps) => {
        const window = createPushWindow();
        const keys: string[] = [];
        for (const [index, step] of steps.entries()) {
          const oldest = step === 'begin' ? undefined : keys.shift();
          if (step !== 'begin' && oldest !== undefined) window.end(oldest, step);
          if (step === 'begin' && window.room(0) > 0) {
            window.begin(`${index}`, 0);
            keys.push(`${index}`);
          }
        }
        expect(window.room(SLOW_AFTER_MS)).toBeGreaterThan(0);
      }),
    );
  });
});
