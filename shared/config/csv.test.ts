import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCsv } from './csv.ts';

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

describe('CSV', () => {
  it('gives back all fields that were written in quotes', () => {
    const table = fc.array(fc.array(fc.string(), { minLength: 2, maxLength: 4 }), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(table, (rows) => {
        const text = rows.map((row) => row.map(quoted).join(',')).join('\r\n');
        const reading = parseCsv(text);
        expect(reading.ok && reading.records.map(({ fields }) => fields)).toEqual(rows);
      }),
    );
  });

  it('counts lines, skips empty ones, and trims fields without quotes', () => {
    expect(parseCsv('\ufeffa, b\n\n"x\ny",2\nlast,\n')).toEqual({
      ok: true,
      records: [
        { line: 1, fields: ['a', 'b'] },
        { line: 3, fields: ['x\ny', '2'] },
        { line: 5, fields: ['last', ''] },
      ],
    });
  });

  it.each([
    ['a,b\n"x,y\n', 2, 'has no end'],
    ['a,b\nx"y,z\n', 2, 'a quote inside of a field'],
    ['a,b\n"x"y,z\n', 2, 'a quote inside of a field'],
  ])('names the line and the fix of %j', (text, line, message) => {
    expect(parseCsv(text)).toMatchObject({ ok: false, line, message: expect.stringContaining(message) });
  });

  it('is read in time linear in its length, whatever it holds', () => {
    const reading = parseCsv(`a,b\n${'"'.repeat(200_001)}`);
    expect(reading.ok).toBe(false);
  });
});
