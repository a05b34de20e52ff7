// Evidence of claims: values that stand verbatim in results, and links to their lines.

import type { Nodes } from 'mdast';
import { expect, it } from 'vitest';
import { shownEvent } from '../../dev/fixtures.ts';
import { makeEvents } from '../../fixtures/make.ts';
import { linkEvidence } from '../markdown/evidenceLinks.ts';
import { listNodeChildren, parseMarkdown, plainText } from '../markdown/parse.ts';
import { createEvidenceFinder } from './evidence.ts';

const LOG = [
  '2026-11-17T09:35:53.120Z cache entries=100452 rss=246.5',
  'exit code 137 of "quote cache" in 1.42.0',
  ...Array(9).fill('x 5000'),
];
const metadata = { callId: '1', toolName: 'kubernetes.get_logs', isError: false };
const events = makeEvents({ sessionId: 's', executionId: '01', begin: new Date() }, [
  { eventType: 'tool_result', content: LOG.join('\n'), metadata },
]).map(shownEvent);
const find = createEvidenceFinder(events);

it.each([
  ['100,452', 'get_logs, line 1'],
  ['09:35:53', 'get_logs, line 1'],
  ['35:53', 'no line'],
  ['1.42.0', 'get_logs, line 2'],
  ['quote cache', 'get_logs, line 2'],
  ['1.42', 'no line'],
  ['46.5', 'no line'],
  ['0045', 'no line'],
  ['5000', 'no line'],
  ['not there', 'no line'],
])('%s is found at %s: as a whole, and not where many lines have it', (value, where) => {
  expect(find(value)?.where ?? 'no line').toBe(where);
});

it('values of a text become links, each once, without the punctuation around them; commands and links stay', () => {
  const source =
    'At 09:35:53, "quote cache" had 100,452 entries (09:35:53). `1.42.0` [100452](https://a.example) `kubectl get 1.42.0`';
  const tree = parseMarkdown(source);
  linkEvidence(tree, find);
  const paragraph = tree.children[0];
  const children = paragraph?.type === 'paragraph' ? paragraph.children : [];
  const links = children.filter(({ type }) => type === 'evidenceLink');
  expect(links.map((link) => plainText(link))).toEqual(['09:35:53', 'quote cache', '100,452', '1.42.0']);
  expect(paragraph && plainText(paragraph)).toBe(
    'At 09:35:53, "quote cache" had 100,452 entries (09:35:53). 1.42.0 100452 kubectl get 1.42.0',
  );
  expect(links.map((link) => link.type === 'evidenceLink' && link.isCode)).toEqual([
    false,
    false,
    false,
    true,
  ]);
});

it('results that failed are no evidence, nor are other events', () => {
  const made = makeEvents({ sessionId: 's', executionId: '01', begin: new Date() }, [
    { eventType: 'tool_result', content: 'a 4711', metadata: { ...metadata, isError: true } },
    { eventType: 'llm_response', content: 'a 4711', metadata: {} },
  ]).map(shownEvent);
  expect(createEvidenceFinder(made)('4711')).toBeUndefined();
  const five = { eventType: 'tool_result' as const, content: Array(5).fill('x 4711').join('\n'), metadata };
  const found = makeEvents({ sessionId: 's', executionId: '01', begin: new Date() }, [five]).map(shownEvent);
  expect(createEvidenceFinder(found)('4711')?.where).toBe('get_logs, line 1');
});

/** What is linked of a text, with the text around it. */
function linkedIn(source: string, evidence: Parameters<typeof linkEvidence>[1]) {
  const tree = parseMarkdown(source);
  linkEvidence(tree, evidence);
  const parts: string[] = [];
  const walk = (node: Nodes): void => {
    if (node.type === 'evidenceLink') parts.push(`[${node.value}]`);
    else if ('value' in node) parts.push(node.value);
    listNodeChildren(node).forEach(walk);
  };
  walk(tree);
  return parts;
}
const place = { href: '#e-01.1', where: 'get_logs' };

it.each([
  ['of four characters', 'a 4711 b', ['a ', '[4711]', ' b']],
  ['of three characters is not looked for', 'a 471 b', ['a 471 b']],
  ['of 200 characters', `1${'x'.repeat(199)}`, [`[1${'x'.repeat(199)}]`]],
  ['of 201 characters is not looked for', `1${'x'.repeat(200)}`, [`1${'x'.repeat(200)}`]],
  ['in bold', '**4711** and 4711', ['[4711]', ' and 4711']],
  ['in a link stays', '[4711 **5000**](https://a.example)', ['4711 ', '5000']],
  ['in a sentence', '(4711).', ['(', '[4711]', ').']],
])('a value %s', (_, source, parts) => {
  expect(linkedIn(source, () => place)).toEqual(parts);
});

it('no more than 150 values are looked for', () => {
  const text = Array.from({ length: 151 }, (_, index) => `${1_000 + index}`).join(' ');
  const links = linkedIn(text, () => place).filter((part) => part.startsWith('['));
  expect([links.length, links.at(-1)]).toEqual([150, '[1149]']);
});

it.each([
  [['OOM', 'OOM Killed'], 'OOM Killed, OOM', ['[OOM Killed]', ', ', '[OOM]']],
  [['a.b'], 'axb a.b', ['axb ', '[a.b]']],
  [['12'], '123 012 12_ 12', ['123 012 12_ ', '[12]']],
  [[], 'a 4711', ['a 4711']],
])('known values %j are linked as whole words: %s', (values, source, parts) => {
  expect(linkedIn(source, new Map(values.map((value) => [value, place])))).toEqual(parts);
});
