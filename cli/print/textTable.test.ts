import fc from 'fast-check';
import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { type SessionRow, sessionRowSchema } from '../../shared/kits/views/sessionRow.ts';
import { durationText } from '../../shared/text/amounts.ts';
import { formatSessionTable } from './sessionTable.ts';
import { cutToColumns, measureColumns, onOneLine, wrapLabelled, wrapText } from './textTable.ts';

const HIDDEN = /[\p{Cc}\p{Cf}]/u;
const plain = pc.createColors(false);
const NOW = new Date('2026-11-22T19:00:00Z');

const EMPTY = Object.fromEntries(Object.keys(sessionRowSchema.shape).map((name) => [name, null]));
const row = (overrides: Partial<SessionRow> = {}): SessionRow => ({
  ...(EMPTY as unknown as SessionRow),
  sessionId: '2026-11-22-checkout-slow-p99-3f2a1c',
  title: 'Checkout slow: p99',
  problem: { status: 'firing', at: new Date('2026-11-22T18:24:00Z'), repeats: 14 },
  status: 'completed',
  chain: 'shop',
  durationMs: 125_000,
  cost: { usd: 0.0123, unpricedCalls: 0 },
  caveats: [],
  kind: 'investigation',
  ...overrides,
});

describe('columns', () => {
  it.each([
    ['abc', 3],
    ['é', 1],
    ['支付', 4],
    ['🚨!', 3],
  ])('of %s are %i', (text, columns) => {
    expect(measureColumns(text)).toBe(columns);
  });

  it('are never more than there are, whatever is cut or wrapped, and nothing is lost in wrapping', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 80 }),
        fc.integer({ min: 20, max: 60 }),
        (text, columns) => {
          const line = onOneLine(text);
          expect(measureColumns(cutToColumns(line, columns))).toBeLessThanOrEqual(columns);
          const wrapped = wrapText(line, columns);
          for (const one of wrapped) expect(measureColumns(one)).toBeLessThanOrEqual(columns);
          expect(wrapped.join('').replace(/\s/g, '')).toBe(line.replace(/\s/g, ''));
        },
      ),
    );
  });
});

it('a line of a whole log is wrapped as fast as its lines would be', () => {
  // In time that grows with the square of the line this would take many minutes.
  const lines = wrapText('x'.repeat(1_000_000), 100);
  expect(lines).toEqual(Array(10_000).fill('x'.repeat(100)));
});

/** The cells of one row, by their heads. */
function cellsByHead(overrides: Partial<SessionRow> = {}): Record<string, string> {
  const lines = formatSessionTable([row(overrides)], undefined, plain, NOW);
  const [heads = [], cells = []] = lines.map((line) => line.split(/ {2,}/));
  expect(lines).toHaveLength(2);
  expect(cells).toHaveLength(heads.length);
  return Object.fromEntries(heads.map((head, index) => [head, cells[index] ?? '']));
}

describe('the table of sessions', () => {
  it('has title and session on one line where there is room, and on two where there is none', () => {
    expect(cellsByHead()).toMatchObject({
      SESSION: '2026-11-22-checkout-slow-p99-3f2a1c',
      PROBLEM: 'Firing since 18:24 UTC',
      STATUS: 'completed',
      TIME: '2:05 min',
      COST: '$0.0123',
      CHAIN: 'shop',
      ALERT: 'Checkout slow: p99',
    });
    const narrow = formatSessionTable(
      [row(), row({ sessionId: 'x'.repeat(110), title: '支'.repeat(90) })],
      80,
      plain,
      NOW,
    );
    expect(narrow).toHaveLength(5);
    expect(narrow[2]).toBe('    Checkout slow: p99');
    for (const line of narrow) expect(measureColumns(line)).toBeLessThanOrEqual(80);
  });

  it('has title, state and a short id in 60 columns', () => {
    const other = row({
      sessionId: '2026-11-22-checkout-slow-p99-4f',
      title: '支'.repeat(90),
      problem: null,
    });
    expect(
      formatSessionTable([row(), other, row({ sessionId: '2026-11-22-disk-full-1a2b' })], 60, plain, NOW),
    ).toEqual([
      'ALERT              STATE      ID',
      'Checkout slow: p…  Firing     2026-11-22-checkout-slow-p99-3',
      '支支支支支支支支…  completed  2026-11-22-checkout-slow-p99-4',
      'Checkout slow: p…  Firing     2026-11-22-disk-',
    ]);
  });

  it('shows values that are not stored, and a sum without all prices as the least', () => {
    const unknown = {
      title: null,
      problem: null,
      status: null,
      chain: null,
      durationMs: null,
      cost: { usd: null, unpricedCalls: null },
    };
    expect(cellsByHead(unknown)).toMatchObject({
      PROBLEM: '-',
      STATUS: '?',
      TIME: '-',
      COST: '?',
      CHAIN: '-',
      ALERT: 'no alert',
    });
    const costCell = (usd: number, unpricedCalls: number | null) =>
      cellsByHead({ cost: { usd, unpricedCalls } }).COST;
    expect(costCell(0.5, 2)).toBe('$0.5000+');
    expect([costCell(0, 2), costCell(0, null)]).toEqual(['?', '?']);
    expect(costCell(0.00001, 0)).not.toContain('$0.0000');
  });

  it('shows the severity of an alert, and how often it was reported', () => {
    const titleOf = (overrides: Partial<SessionRow>) => cellsByHead(overrides).ALERT;
    const once = { firing: 1, resolved: 0, acknowledged: 0, joined: 0 };
    expect(titleOf({ severity: 'critical', reports: once })).toBe('Checkout slow: p99 (critical)');
    expect(titleOf({ severity: 'critical', reports: { ...once, firing: 14, resolved: 3 } })).toBe(
      'Checkout slow: p99 (critical; 14 times, 3 times resolved)',
    );
    expect(titleOf({ reports: { ...once, firing: 0, resolved: 1, acknowledged: 1 } })).toBe(
      'Checkout slow: p99 (0 times, once resolved, once acknowledged)',
    );
    expect(titleOf({ reports: { ...once, joined: 2 } })).toBe('Checkout slow: p99 (2 other alerts joined)');
  });

  it('gives the terminal no orders', () => {
    const hostile = 'a\u001b[2J\u009b1A\u202e\nb';
    const lines = formatSessionTable(
      [row({ title: hostile, status: hostile, chain: hostile })],
      80,
      plain,
      NOW,
    );
    for (const line of lines) expect(line).not.toMatch(HIDDEN);
  });

  it.each([
    [400, '0 s'],
    [59_499, '59 s'],
    [60_000, '1:00 min'],
    [3_725_000, '1:02 h'],
  ])('writes %i ms as %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});

it('a long line is broken between words, below the text behind its label', () => {
  expect(wrapLabelled('  fix      It has the identity of a problem.', 32)).toEqual([
    '  fix      It has the identity',
    '           of a problem.',
  ]);
  expect(wrapLabelled('short', 24)).toEqual(['short']);
  expect(wrapLabelled('a long line without a width', undefined)).toEqual(['a long line without a width']);
});
