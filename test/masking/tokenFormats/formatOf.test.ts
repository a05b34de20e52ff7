import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { formatsOf } from './formatOf.ts';
import { generatedModule } from './generatedModule.ts';

const NAME = String.raw`(?i)[\w.-]{0,50}?(?:acme)[\s'"]{0,3}(?:=|:)[\s]{0,5}`;
const END = String.raw`(?:['"\s;]|\\[nr]|$)`;

describe('the formats of a rule', () => {
  it.each([
    ['a head and an alphabet', String.raw`\b(acme_[a-z0-9]{32})${END}`, [[['acme_'], '[0-9a-z]{32,232}']]],
    [
      'several heads',
      'acme_(?:live|test)_[0-9a-f]{40}',
      [[['acme_live_', 'acme_test_'], '[0-9a-f]{40,240}']],
    ],
    ['a part in any case', 'ACME-(?i)[a-f]{40}', [[['ACME-'], '[A-Fa-f]{40,240}']]],
    ['a group in any case', 'acme-(?i:[a-f]{40})-(?-i:xy)', [[['acme-'], '[A-Fa-f]{40}-xy']]],
    [
      'two runs with a sign between, and an optional end',
      String.raw`acme\.[\w-]{22}\.[[:alnum:]]{20}(?:_x)?`,
      [
        [['acme.'], String.raw`[0-9A-Za-z_-]{22}\.[0-9A-Za-z]{20,220}`],
        [['acme.'], String.raw`[0-9A-Za-z_-]{22}\.[0-9A-Za-z]{20}_x`],
      ],
    ],
    ['an open end', 'acme_[a-z]{20,}', [[['acme_'], '[a-z]{20,600}']]],
    ['a head that a digest can start with', '4ac1[a-z0-9]{38}', [[['4ac1'], '[0-9a-z]{38}(?![0-9A-Za-z])']]],
    ['a name before the token', `${NAME}(acme-[a-f0-9]{32})${END}`, [[['acme-'], '[0-9A-Fa-f]{32,232}']]],
    ['neighbouring runs of one alphabet', 'acme_[a-z]{8}[a-z]{8}', [[['acme_'], '[a-z]{16,216}']]],
  ])('%s', (_, regex, expected) => {
    const formats = formatsOf({ id: 'acme-token', regex });
    if (typeof formats === 'string') throw new Error(formats);
    expect(formats.map(({ heads, tail }) => [heads, tail]).sort()).toEqual([...expected].sort());
    for (const { heads, tail } of formats) for (const head of heads) new RegExp(head + tail);
  });

  it.each([
    ['no head', `${NAME}([a-z0-9]{32})${END}`],
    ['a short head behind a name', `${NAME}(b_[a-z0-9]{44})${END}`],
    ['a word as its head', 'acme[a-z]{40}'],
    ['any character', 'acme_.{40}'],
    ['all that is no blank', String.raw`acme_[\S]{40}`],
    ['nothing of a file', undefined],
    ['too many alternatives', `acme_${'(?:a|b)'.repeat(10)}[a-z]{40}`],
  ])('there are none with %s', (_, regex) => {
    expect(formatsOf({ id: 'acme-token', regex })).toBeTypeOf('string');
  });
});

it('the module holds the formats in order, and the same for the same rules', () => {
  const { rules } = parse(`
    [[rules]]
    id = "zeta-token"
    regex = '''zeta_[a-z]{20}'''
    [[rules]]
    id = "1acme-key"
    regex = '''acme_[a-z]{20}'''
    [[rules]]
    id = "acme-id"
    regex = '''(?i)acme=([a-z]{20})'''
  `) as unknown as { rules: { id: string; regex: string }[] };
  const { source, formats, skipped } = generatedModule(rules);
  expect(generatedModule(rules).source).toBe(source);
  expect(source.indexOf('"key-1acme-key"')).toBeLessThan(source.indexOf('"zeta-token"'));
  expect([formats, skipped.map(({ id }) => id)]).toEqual([2, ['acme-id']]);
});
