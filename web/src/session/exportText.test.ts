import { expect, it } from 'vitest';
import { shownEvent, shownSession } from '../../dev/fixtures.ts';
import { newestOf } from '../../dev/loadFixtures.ts';
import { makeEvents } from '../../fixtures/make.ts';
import { writeSessionMarkdown } from './exportText.ts';

it('an export as markdown states problem and status, fences untrusted text, and marks contents that are cut', () => {
  const view = shownSession(newestOf('crashloop'));
  const content = '```\n# not a heading';
  const place = { sessionId: view.sessionId, executionId: '01', begin: new Date(view.createdAt) };
  const [whole] = makeEvents(place, [{ eventType: 'tool_result', content }]).map(shownEvent);
  if (whole === undefined) throw new Error('no event was made');
  const text = writeSessionMarkdown(view, [whole, { ...whole, cut: true, bytes: 20_000 }], []);
  expect(text).toContain(`\n\n\`\`\`\`\n${content}\n\`\`\`\``);
  expect(text).toMatch(/^- Problem: Firing since 17 Nov 2026, .* UTC\n- Status: Completed$/m);
  expect(text.match(/cut: only the start of .*$/gm)).toEqual(['cut: only the start of 20.0 kB']);
  expect(text.match(/^### .*$/gm)).toEqual(Array(2).fill(`### 01.${whole.sequenceNumber} tool\\_result`));
  expect(text).toMatch(/^- Ended: \d+ \w+ 2026, .* UTC$/m);
  expect(text).not.toContain('could not be checked');
  expect(text.endsWith('\n\n')).toBe(true);
});

it('an export as markdown has only what there is, and escapes what others wrote', () => {
  const view = shownSession(newestOf('crashloop'));
  const failure = { code: 'MODEL_CREDENTIALS' as const, message: 'no *key*\n# at all' };
  const nothing = { problem: null, endedAt: null, finalAnalysis: null, title: null, alert: null, failure };
  const text = writeSessionMarkdown({ ...view, ...nothing } as typeof view, [], []);
  expect(text).toMatch(/^- MODEL_CREDENTIALS: no \\\*key\\\* \\# at all$/m);
  expect(text).toContain('\n\nNone.\n\n## Steps\n\n');
  expect(text).not.toMatch(/^- (Problem|Ended)/m);
  expect(text.startsWith(`# ${view.sessionId}\n\n- Session: `)).toBe(true);
  expect(writeSessionMarkdown({ ...view, failure: null }, [], [])).not.toContain('MODEL_CREDENTIALS');
  const named = { ...view, title: null } as typeof view;
  expect(writeSessionMarkdown(named, [], []).startsWith(`# ${view.alert?.title}`)).toBe(true);
  const plainly = { ...view, finalAnalysis: 'a `b`' } as typeof view;
  expect(writeSessionMarkdown(plainly, [], [])).toContain('\n\n```\na `b`\n```\n\n');
});

it('an export as markdown marks the values of the analysis that no result has, or that could not be checked', () => {
  const view = shownSession(newestOf('crashloop'));
  const text = writeSessionMarkdown(
    { ...view, finalAnalysis: 'From 95 MiB to 246 MiB.' },
    [],
    [
      { state: 'absent', end: 11 },
      { state: 'held', end: 4 },
      { state: 'unchecked', end: 22 },
    ],
  );
  expect(text).toContain('From 95 MiB [in no result] to 246 MiB [could not be checked].');
});

it('an export as markdown states that a script wrote the analysis', () => {
  const view = shownSession(newestOf('crashloop'));
  const executionId = '01-investigation';
  const heading = (caveats: typeof view.caveats) =>
    /^## Analysis .*$/m.exec(writeSessionMarkdown({ ...view, caveats }, [], []))?.[0];
  expect(heading([])).toBe('## Analysis (written by a model)');
  expect(heading([{ executionId, code: 'SCRIPTED' }])).toBe('## Analysis (written by a script)');
});
