import { describe, expect, it } from 'vitest';
import { maskFields, parseFieldPath, parseWritablePath, valueAt, withValueAt } from './fieldPath.ts';
import { integer, map } from './value.ts';

describe('a field path', () => {
  it.each([
    ['a', ['a']],
    ['a.b_1', ['a', 'b_1']],
    ['`a.b`.c', ['a.b', 'c']],
    ['a.`x&y`', ['a', 'x&y']],
    ['`bak\\`tik`', ['bak`tik']],
    ['`back\\\\slash`', ['back\\slash']],
    ['`größe`', ['größe']],
  ])('%s is read', (text, path) => {
    expect(parseFieldPath(text)).toEqual(path);
  });

  it.each(['', 'a..b', '.a', 'a.', '1a', 'a-b', '`a', '``', 'a`b`', undefined])('%s is refused', (text) => {
    expect(() => parseFieldPath(text)).toThrow(expect.objectContaining({ code: 3 }));
  });

  it('that is written has no reserved name', () => {
    expect(() => parseWritablePath('a.__b__')).toThrow('reserved');
  });
});

describe('fields', () => {
  const fields = { a: map({ x: integer(1), y: integer(2) }), b: integer(3) };

  it('are read by paths; only their own names count', () => {
    expect(valueAt(fields, ['a', 'x'])).toEqual(integer(1));
    expect(valueAt(fields, ['b', 'x'])).toBeUndefined();
    expect(valueAt(fields, ['constructor'])).toBeUndefined();
  });

  it('are set and deleted in copies', () => {
    const before = structuredClone(fields);
    expect(withValueAt(fields, ['a', 'x'], undefined)).toEqual({ a: map({ y: integer(2) }), b: integer(3) });
    expect(withValueAt(fields, ['b', 'c'], integer(4))).toEqual({ ...fields, b: map({ c: integer(4) }) });
    expect(withValueAt(fields, ['n', 'm'], undefined)).toEqual(fields);
    expect(fields).toEqual(before);
  });

  it('are masked', () => {
    expect(maskFields(fields, [['a', 'y'], ['none']])).toEqual({ a: map({ y: integer(2) }) });
  });
});
