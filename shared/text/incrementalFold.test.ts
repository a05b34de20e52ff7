import { expect, it } from 'vitest';
import { incrementalFold } from './incrementalFold.ts';

it('reads the items of a growing list once, and a list with another start, end or key again', () => {
  const seen: string[] = [];
  const join = incrementalFold(
    () => ({ text: '' }),
    (result, { name }: { name: string }, separator: string) => {
      seen.push(name);
      result.text += `${separator}${name}`;
    },
  );
  const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ name })) as [
    { name: string },
    { name: string },
    { name: string },
  ];
  const read = (items: { name: string }[], separator: string) => {
    seen.length = 0;
    return [join(items, separator).text, seen.join('')];
  };
  expect(read([], '-')).toEqual(['', '']);
  expect(read([a, b], '-')).toEqual(['-a-b', 'ab']);
  expect(read([a, b, c], '-')).toEqual(['-a-b-c', 'c']);
  expect(read([a, b, c], '+')).toEqual(['+a+b+c', 'abc']);
  expect(read([a, b], '+')).toEqual(['+a+b', 'ab']);
  expect(read([a, c], '+')).toEqual(['+a+c', 'ac']);
  expect(read([{ ...a }, c], '+')).toEqual(['+a+c', 'ac']);
});
