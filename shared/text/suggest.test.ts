import { describe, expect, it } from 'vitest';
import { closestTo, describeExpected } from './suggest.ts';

describe('closestTo', () => {
  it.each([
    ['stratgy', 'strategy'],
    ['Strategy', 'strategy'],
    ['modle', 'model'],
    ['max_iterations', 'maxIterations'],
  ])('takes %s for %s', (found, expected) => {
    expect(closestTo(found, ['description', 'strategy', 'model', 'maxIterations'])).toBe(expected);
  });

  it('suggests nothing for a name that is not close to any', () => {
    expect(closestTo('colour', ['strategy', 'model'])).toBeUndefined();
    expect(closestTo('x'.repeat(10_000), ['strategy'])).toBeUndefined();
  });
});

describe('describeExpected', () => {
  it('names the known values, and the closest', () => {
    expect(describeExpected('flahs', ['flash', 'deep'])).toBe(
      'expected one of flash, deep; did you mean "flash"?',
    );
    expect(describeExpected('x', ['flash', 'deep'])).toBe('expected one of flash, deep');
    expect(describeExpected('x', [])).toBe('none is defined');
  });
});
