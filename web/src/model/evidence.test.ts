// Evidence of claims: values that stand verbatim in results, and links to their lines.

import { expect, it } from 'vitest';
import { shownEvent } from '../../dev/fixtures.ts';
import { makeEvents } from '../../fixtures/make.ts';
import { linkEvidence } from '../markdown/evidenceLinks.ts';
import { parseMarkdown, plainText } from '../markdown/parse.ts';
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
});
