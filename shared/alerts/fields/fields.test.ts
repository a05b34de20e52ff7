import { describe, expect, it } from 'vitest';
import { firstText, joinTexts, keepUsableLinks, labelsOfTags, runbookIn, runbookInText } from './fields.ts';

describe('labels of tags', () => {
  it.each([
    ['the first of several tags with one name', ['env:prod', 'env:test'], { env: 'prod' }],
    ['the first of several tags without a name', ['blue', 'green'], { tag: 'blue' }],
    ['pairs', [['env', 'prod']], { env: 'prod' }],
    ['a text with commas', 'env:prod, service:checkout', { env: 'prod', service: 'checkout' }],
    ['everything after the first colon', ['url:https://a.example:80'], { url: 'https://a.example:80' }],
    ['no blanks around names and values', ['  env : prod '], { env: 'prod' }],
    ['values of several lines', ['log:a\nb'], { log: 'a\nb' }],
    ['no blank tags and no other values', ['', ' ', 1, null, { a: 1 }], {}],
    ['a tag without a name before the colon', [':prod'], { tag: ':prod' }],
  ])('have %s', (_, tags, labels) => {
    expect(labelsOfTags(tags)).toEqual(labels);
  });

  it.each([undefined, null, 7, {}])('of %j are none', (tags) => {
    expect(labelsOfTags(tags)).toEqual({});
  });
});

it('the first text is that of the first key with one that is not blank', () => {
  expect(firstText({ a: ' ', b: 0, c: 'text' }, 'a', 'b', 'c')).toBe('0');
  expect(firstText({ a: Number.NaN, b: true, c: [] }, 'a', 'b', 'c')).toBeUndefined();
  expect(firstText({}, 'constructor')).toBeUndefined();
});

it('a runbook is a web link, of the first mapping that has one', () => {
  expect(runbookIn([{ runbook: 'see the wiki' }, { playbook_url: ' https://b.example' }])).toBe(
    ' https://b.example',
  );
  expect(runbookInText('Runbook: https://a.example/x). More')).toBe('https://a.example/x');
  expect(runbookInText(undefined)).toBeUndefined();
});

it('texts are joined without repetitions, and links have an address', () => {
  expect(joinTexts('a', undefined, 'a', 'b')).toBe('a: b');
  expect(joinTexts(undefined)).toBeUndefined();
  expect(keepUsableLinks(['A', 'https://a.example'], ['B', undefined])).toEqual([
    { title: 'A', url: 'https://a.example' },
  ]);
});
