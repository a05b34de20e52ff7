import { expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { parseYaml } from './yamlFile.ts';

it.each([
  'a: [b\n',
  'a: {b: c\n',
  'a: "b\n',
  "a: 'b\n",
  'a:\n\tb: c\n',
  'a: !env B\n',
  'a: 1\n---\nb: 2\n',
  'a: b: c\n',
  'a: @b\n',
  'a: %b\n',
  'a: "\\q"\n',
  'a: [b c: d\n',
  'a: ]\n',
  'a: &x &y b\n',
  'a: !!int b\n',
  'a\nb: c\n',
  'a: b\n  c: d\n',
  'a:\n  - b\n c: d\n',
  'a: *\n',
  'a: &x *y\n',
  'a: [b, , c]\n',
  '%b\na: c\n',
  'a: |x\n  b\n',
  '- a\nb: c\n',
  'a: "b"c\n',
  `${'a'.repeat(1_100)}: b\n`,
  `a: ${'['.repeat(50_000)}`,
])('the fault of %j has no words of the parser', (text) => {
  const { errors, warnings } = parseDocument(text, { prettyErrors: false });
  const { faults } = parseYaml('a.yaml', text);
  expect(faults).not.toEqual([]);
  for (const { message } of [...errors, ...warnings])
    expect(faults.map((fault) => fault.message).join('\n')).not.toContain(message);
});

it.each<[string, string[], unknown]>([
  ['a: *b\n', ['1:4 no "&b" is before this alias; put a text that starts with "*" in quotes'], undefined],
  ['b: &b 1\na: *b\n', [], { a: 1, b: 1 }],
  ['[a]: 1\n', ['1:1 a key must be plain text'], undefined],
  ['? \n: 1\n', ['1:3 a key must be plain text'], undefined],
  ['a: 1\nconstructor: 1\n', ['2:1 "constructor" cannot be used as a key'], undefined],
  ['a: 1\na: 2\n', ['2:1 this key is there twice; keep one of them'], { a: 2 }],
])('the faults of %j have their place', (text, faults, value) => {
  const found = parseYaml('a.yaml', text);
  const lines = found.faults.map(
    ({ position, message }) => `${position?.line}:${position?.column} ${message}`,
  );
  expect(lines).toEqual(faults);
  expect(found.value).toEqual(value);
});

it('a key without a value in braces is the rest of a text that a comma cuts', () => {
  const cuts = (text: string) =>
    parseYaml('a.yaml', text).cuts.map(({ position, message }) => [
      position?.line,
      position?.column,
      message,
    ]);
  expect(cuts('a:\n  {text: full, and hot}\n')).toEqual([
    [2, 16, expect.stringContaining('"and hot" has no value: within { } a comma ends the text of "text"')],
  ]);
  expect(cuts('a: {and, text: full}\n')).toEqual([]);
  expect(cuts('text: full\nand:\n')).toEqual([]);
});

it('the fault of too many references has no words of the parser', () => {
  const levels = Array.from(
    { length: 12 },
    (_, n) => `l${n + 1}: &l${n + 1} [${`*l${n}, `.repeat(9)}*l${n}]`,
  );
  const [fault] = parseYaml('a.yaml', `l0: &l0 [x, x]\n${levels.join('\n')}\n`).faults;
  expect(fault?.message).toMatch(/^not readable as YAML: it has too many references/);
});
