import { expect, it } from 'vitest';
import { shownSession } from '../../dev/fixtures.ts';
import { newestOf } from '../../dev/loadFixtures.ts';
import { summaryText } from './summaryText.ts';

it('the summary for a chat names problem, status, title, place and finding, without mentions and links of markup', () => {
  const view = shownSession(newestOf('crashloop'));
  const hostile = { ...view, executiveSummary: 'Ask @channel or <!here>.', title: 'one\ntwo' };
  const text = summaryText(hostile, 'https://inquest.example/s/1');
  const [first = '', second = ''] = text.split('\n');
  expect(first).toBe('Firing since 17 Nov 2026, 09:36:42 UTC · Completed: one two');
  expect(second).toContain('shop');
  expect(text).not.toMatch(/@channel|<!here/);
  expect(text).toContain('https://inquest.example/s/1');
  const links = '[a](https://b.example) [a]: https://b.example <https://b.example|a> [a|https://b.example]';
  const withLinks = summaryText({ ...view, executiveSummary: links }, '/');
  expect(withLinks).not.toMatch(/\]\(|\]:|<https|\|https/);
  expect(withLinks.replaceAll('\u200b', '')).toContain(links);
  expect(summaryText({ ...view, executiveSummary: null, finalAnalysis: null }, '/')).toContain(
    'No analysis.',
  );
});
