import { describe, expect, it } from 'vitest';
import { earliestDate, latestDate } from './dates.ts';
import { firstText, joinTexts, keepUsableLinks, labelsOfTags, runbookIn, runbookInText } from './fields.ts';
import { countStatuses, statusInTitle, statusOfGroup, statusOfPhrase } from './status.ts';

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
  expect(runbookIn([{ runbook: 'http://a.example' }])).toBe('http://a.example');
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

it('the earliest and the latest of dates are of those that are known', () => {
  const [first, last] = [new Date(1), new Date(2)];
  expect([earliestDate([null, last, first, null]), latestDate([null, first, last, null])]).toEqual([
    first,
    last,
  ]);
  expect([earliestDate([null]), latestDate([])]).toEqual([null, null]);
});

it.each([
  ['ALERT_STATE_UP', 'resolved'],
  ['alert-created', 'firing'],
  ['uptimeCheckFailedNotification', 'firing'],
  ['incident.resolved', 'resolved'],
  ['__resolved__', 'resolved'],
  ['not resolved', 'unknown'],
  ['state no longer failing', 'unknown'],
  ['was_not_acknowledged_yet_resolved', 'unknown'],
  ['casino resolved', 'resolved'],
  ['load.test', 'unknown'],
  ['load_test', 'unknown'],
  ['test', 'test'],
  ['event', 'unknown'],
  [`${'x'.repeat(50)} resolved`, 'resolved'],
  [`${'x'.repeat(52)} resolved`, 'unknown'],
  [undefined, 'unknown'],
])('an event with the name %j is %s', (phrase, status) => {
  expect(statusOfPhrase(phrase)).toBe(status);
});

it.each([
  ['[Recovered] CPU is high', 'resolved'],
  ['[P2] [No data] CPU', 'firing'],
  ['RESOLVED: CPU is high', 'resolved'],
  ['Shop is back up', 'resolved'],
  ['Hosts have been resolved', 'resolved'],
  ['Shop is now down', 'firing'],
  ['Device db-7 recovered from Disk', 'resolved'],
  ['The device db-7 recovered from Disk', 'unknown'],
  ['CPU is high', 'unknown'],
  [`${'x'.repeat(190)} is down`, 'firing'],
  [`${'x'.repeat(200)} is down`, 'unknown'],
  [undefined, 'unknown'],
])('the title %j states %s', (title, status) => {
  expect(statusInTitle(title)).toBe(status);
});

it.each([
  ['resolved', ['firing', 'resolved'], 0, 'firing', '1 firing, 1 resolved'],
  ['firing', ['resolved'], 0, 'firing', undefined],
  ['resolved', ['resolved', 'resolved'], 0, 'resolved', '2 resolved'],
  ['resolved', ['resolved'], 2, 'unknown', '1 resolved, 2 not shown'],
  ['resolved', [], 0, 'resolved', undefined],
  ['unknown', ['test', 'test'], 0, 'test', '2 of a test'],
  ['unknown', ['test', 'resolved'], 0, 'unknown', '1 resolved, 1 of a test'],
  ['unknown', ['acknowledged', 'resolved'], 0, 'acknowledged', '1 acknowledged, 1 resolved'],
  ['unknown', ['acknowledged', 'unknown'], 0, 'unknown', '1 acknowledged, 1 of unknown status'],
] as const)('a group that is %s with %j and %i hidden is %s', (declared, entries, hidden, status, counts) => {
  expect(statusOfGroup(declared, entries, hidden)).toBe(status);
  expect(countStatuses(entries, hidden)).toBe(counts);
});
