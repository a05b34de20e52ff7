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

it('the summary for a chat has only what there is', () => {
  const view = shownSession(newestOf('crashloop'));
  const bare = {
    ...{ title: null, alert: null, problem: null, durationMs: null, verdict: null },
    ...{ executiveSummary: null, finalAnalysis: 'x'.repeat(601) },
  };
  const lines = (changes: object) =>
    summaryText({ ...view, ...bare, ...changes } as typeof view, '/').split('\n');
  expect(lines({})).toEqual([
    `Completed: ${view.sessionId}`,
    expect.stringMatching(/^started \d+ \w+ 2026, [\d:]+ UTC$/),
    '',
    'x'.repeat(600),
    '',
    'Written by a model; check it: /',
  ]);
  const failure = { code: 'X', message: 'why\nnot' };
  const full = lines({ alert: view.alert, durationMs: 60_000, failure, verdict: { sentence: 'Confirmed.' } });
  expect(full[0]).toBe(`Completed: ${view.alert?.title}`);
  expect(full[1]).toMatch(/ · severity .* · started .* · took 1 min$/);
  expect(full.slice(2, 4)).toEqual(['X: why not', 'Confirmed.']);
});
