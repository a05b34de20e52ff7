// Parses CSV (RFC 4180): one record a line; quoted fields can contain commas, quotes and line breaks. Pure.

/** A record with the line on which it starts, from 1. */
interface CsvRecord {
  line: number;
  fields: string[];
}

type CsvReading = { ok: true; records: CsvRecord[] } | { ok: false; line: number; message: string };

/** A field and its end: a comma, the end of a line or of the text. Quotes in a quoted one are doubled. */
const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|\r|$)/y;

/** Parses a text. Lines without any character are skipped. */
export function parseCsv(text: string): CsvReading {
  const source = text.replace(/^\ufeff/, '');
  const records: CsvRecord[] = [];
  let line = 1;
  let record: CsvRecord = { line, fields: [] };
  for (let position = 0; position < source.length || record.fields.length > 0; ) {
    FIELD.lastIndex = position;
    const match = FIELD.exec(source);
    if (match === null) return { ok: false, line, message: faultAt(source, position) };
    const [whole, quoted, plain = '', end = ''] = match;
    record.fields.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
    line += whole.match(/\r?\n|\r/g)?.length ?? 0;
    position += whole.length;
    if (end === ',') continue;
    if (record.fields.length > 1 || record.fields[0] !== '') records.push(record);
    record = { line, fields: [] };
  }
  return { ok: true, records };
}

function faultAt(source: string, position: number): string {
  const isOpen = source[position] === '"' && !/^"(?:[^"]|"")*"/.test(source.slice(position));
  if (isOpen) return 'a field starts with a quote and has no end; close it with "';
  return 'a quote inside of a field; put the whole field in quotes, and write each quote in it twice';
}
