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

it('the fault of too many references has no words of the parser', () => {
  const levels = Array.from(
    { length: 12 },
    (_, n) => `l${n + 1}: &l${n + 1} [${`*l${n}, `.repeat(9)}*l${n}]`,
  );
  const [fault] = parseYaml('a.yaml', `l0: &l0 [x, x]\n${levels.join('\n')}\n`).faults;
  expect(fault?.message).toMatch(/^not readable as YAML: it has too many references/);
});
