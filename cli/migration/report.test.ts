import { describe, expect, it } from 'vitest';
import type { Tally } from './migrate.ts';
import { progressPrinter, summaryLines } from './report.ts';

const tallyOf = (overrides: Partial<Tally> = {}): Tally => ({
  collection: 'messages',
  version: 3,
  total: 0,
  migrated: 0,
  inWork: 0,
  changed: 0,
  failed: 0,
  failures: [],
  complete: false,
  ...overrides,
});

/** What is written while these are shown. */
function progress(isTerminal: boolean, tallies: Partial<Tally>[]): string {
  let text = '';
  const printer = progressPrinter((more) => (text += more), isTerminal);
  for (const tally of tallies) printer.show(tallyOf(tally));
  printer.end();
  return text;
}

describe('progress', () => {
  it('is one line a collection on a terminal, rewritten', () => {
    const shown = progress(true, [
      { total: 80 },
      { total: 80, migrated: 50 },
      { total: 80, migrated: 79, failed: 1 },
      { total: 80, migrated: 79, failed: 1, complete: true },
      { collection: 'parts', version: 2, complete: true },
    ]);
    expect(shown.split('\n')).toEqual([
      [
        '\r\u001b[2Kmessages: 0 of 80',
        '\r\u001b[2Kmessages: 50 of 80',
        '\r\u001b[2Kmessages: 80 of 80',
        '\r\u001b[2Kmessages: 80 of 80',
      ].join(''),
      '\r\u001b[2Kparts: nothing older than version 2',
      '',
    ]);
  });

  it('leaves the line it was stopped in', () => {
    expect(progress(true, [{ total: 80, migrated: 50 }])).toBe('\r\u001b[2Kmessages: 50 of 80\n');
  });

  it('is plain lines on a pipe, one for each tenth', () => {
    const done = Array.from({ length: 41 }, (_, index) => ({ total: 1000, migrated: 25 * index }));
    const text = progress(false, [...done, { total: 1000, migrated: 1000, complete: true }]);
    const tenths = [100, 200, 300, 400, 500, 600, 700, 800, 900, 1000];
    expect(text.split('\n')).toEqual([...tenths.map((count) => `messages: ${count} of 1000`), '']);
  });

  it('counts documents that were added meanwhile', () => {
    const tally = { total: 2, migrated: 3 };
    expect(progress(false, [tally, { ...tally, complete: true }])).toBe('messages: 3 of 3\n');
  });

  it('is shown when there is nothing to do', () => {
    const text = progress(false, [{}, { complete: true }]);
    expect(text).toBe('messages: nothing older than version 3\n');
  });
});

describe('the summary', () => {
  it('is a table of all collections', () => {
    const lines = summaryLines(
      [
        tallyOf({ collection: 'sessions', total: 3, migrated: 3, complete: true }),
        tallyOf({ total: 1200, migrated: 1200, complete: true }),
      ],
      false,
    );
    expect(lines).toEqual([
      '          migrated  left  failed',
      'sessions         3     0       0',
      'messages      1200     0       0',
    ]);
  });

  it('of a dry run shows the changes it would make', () => {
    const [heads] = summaryLines([tallyOf({ complete: true })], true);
    expect(heads).toBe('          would migrate  left  failed');
  });

  it('shows the remaining documents, and that the next run continues with them', () => {
    const lines = summaryLines(
      [
        tallyOf({ collection: 'executions', total: 9, inWork: 2, migrated: 4, changed: 1, complete: true }),
        tallyOf({ total: 100, migrated: 60, failed: 0 }),
      ],
      false,
    );
    expect(lines.slice(1)).toEqual([
      'executions         4     3       0',
      'messages          60    40       0',
      'left: 2 in work, 1 changed meanwhile, 40 not reached; the next run continues with them',
    ]);
  });

  it('names each document that failed once, and the number of the others', () => {
    const failures = [
      { path: 'messages/a', reason: 'messages/a is not a valid message: role: \u001b[2J' },
      { path: 'messages/b', reason: 'too large' },
    ];
    const lines = summaryLines([tallyOf({ total: 9, failed: 9, failures, complete: true })], false);
    expect(lines.slice(2)).toEqual([
      'failed: messages/a is not a valid message: role: �[2J',
      'failed: messages/b: too large',
      'failed: 7 more in messages',
    ]);
  });
});
