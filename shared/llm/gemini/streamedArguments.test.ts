import { describe, expect, it } from 'vitest';
import { applyPartialArgs, parseJsonPath } from './streamedArguments.ts';

describe('parseJsonPath', () => {
  it.each([
    ['$.a', ['a']],
    ['$.a[0].b', ['a', 0, 'b']],
    ["$['a b'].c", ['a b', 'c']],
    ['$["it\\"s"][12]', ['it"s', 12]],
  ])('%s', (path, steps) => {
    expect(parseJsonPath(path)).toEqual(steps);
  });

  it.each(['', 'a', '$', '$[0]', '$.', '$.a[', '$..a', '$.a[99999999]', '$.__proto__.x', 7, null])(
    'refuses %j',
    (path) => {
      expect(parseJsonPath(path)).toBeNull();
    },
  );
});

describe('applyPartialArgs', () => {
  const build = (...pieces: object[]) => {
    const args: Record<string, unknown> = {};
    const placed = pieces.every((piece) => applyPartialArgs(args, [piece]));
    return { args, placed };
  };

  it('appends text and sets other values', () => {
    const { args } = build(
      { jsonPath: '$.q', stringValue: 'up', willContinue: true },
      { jsonPath: '$.q', stringValue: '{}' },
      { jsonPath: '$.limit', numberValue: 5 },
      { jsonPath: '$.on', boolValue: false },
      { jsonPath: '$.none', nullValue: 'NULL_VALUE' },
    );
    expect(args).toEqual({ q: 'up{}', limit: 5, on: false, none: null });
  });

  it('fills gaps in lists with null', () => {
    expect(build({ jsonPath: '$.a[2]', stringValue: 'x' }).args).toEqual({ a: [null, null, 'x'] });
  });

  it('does not mistake inherited properties for values', () => {
    expect(build({ jsonPath: '$.constructor.name', stringValue: 'x' }).args).toEqual({
      constructor: { name: 'x' },
    });
  });

  it('refuses a path through a value that is no container', () => {
    expect(build({ jsonPath: '$.a', numberValue: 1 }, { jsonPath: '$.a.b', numberValue: 2 }).placed).toBe(
      false,
    );
  });

  it('refuses a name in a list', () => {
    expect(build({ jsonPath: '$.a[0]', numberValue: 1 }, { jsonPath: '$.a.b', numberValue: 2 }).placed).toBe(
      false,
    );
  });
});
