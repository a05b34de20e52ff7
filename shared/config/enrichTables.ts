// Reads the tables that enrich.yaml names in the folder enrich/: their size and number of rows are limited.

import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { rowKey } from '../alerts/enrich.ts';
import { isObject } from '../text/json.ts';
import { describeExpected } from '../text/suggest.ts';
import type { ConfigFile } from './configFile.ts';
import { parseCsv } from './csv.ts';
import { type EnrichFile, enrichFileSchema } from './enrichFile.ts';
import { validateFile } from './validate.ts';
import { type Fault, faultAt, parseYaml, type YamlFile } from './yamlFile.ts';

/** Bytes of a table: every process that opens sessions holds it in memory. */
const MAX_TABLE_BYTES = 2_000_000;
const MAX_ROWS = 20_000;
/** Faults of one table that are listed. */
const MAX_FAULTS = 10;

/** The folder of the tables, beside enrich.yaml. */
const ENRICH_FOLDER = 'enrich';

/** A lookup of enrich.yaml with its table. */
export interface Lookup {
  /** The file or the table, for people. */
  name: string;
  /** The labels that find a row. */
  by: readonly string[];
  /** The labels that a row can set. */
  set: readonly string[];
  /** Values by `rowKey`; undefined for a table in Firestore. */
  rows?: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** The table in Firestore; undefined for a file. */
  table?: string;
}

/** enrich.yaml with its tables. */
export const lookupsFile: ConfigFile<'enrich', Lookup[]> = {
  name: 'enrich',
  read(yaml, { folder }, faults) {
    const file = validateFile(yaml, enrichFileSchema, faults);
    return file && readLookups(folder, yaml, file, faults);
  },
};

/** A row of a file, with its place. */
interface Row {
  line: number;
  values: ReadonlyMap<string, string>;
}

/**
 * The lookups with their tables.
 * @param yaml enrich.yaml, for the places of faults.
 * @param faults receives the faults of the tables.
 */
function readLookups(folder: string, yaml: YamlFile, { lookups }: EnrichFile, faults: Fault[]): Lookup[] {
  return lookups.map(({ by, set, file, firestore }, index) => {
    if (file === undefined) return { name: `Firestore table ${firestore}`, by, set, table: firestore ?? '' };
    const own: Fault[] = [];
    const at = path.join(folder, ENRICH_FOLDER, file);
    const rows = parseTableRows(readLookupTable(at, own), at, { by, set }, own, (message, field) =>
      faults.push(faultAt(yaml, ['lookups', index, field], message)),
    );
    faults.push(...own.slice(0, MAX_FAULTS));
    const byKey = new Map(rows.map(({ key, values }) => [rowKey(key) ?? '', values]));
    return { name: `${ENRICH_FOLDER}/${file}`, by, set, rows: byKey };
  });
}

/** A row with the values that find it. */
interface KeyedRow {
  key: string[];
  values: Record<string, string>;
}

/** The rows of a file for a table in Firestore. @param faults receives the faults of the file. */
export function readRows(file: string, lookup: Pick<Lookup, 'by' | 'set'>, faults: Fault[]): KeyedRow[] {
  return parseTableRows(readLookupTable(file, faults), file, lookup, faults, (message) =>
    faults.push({ file, position: null, path: '', message }),
  );
}

/** @param wrong gets the faults of the whole table, with the field of enrich.yaml. */
function parseTableRows(
  table: Table,
  file: string,
  { by, set }: Pick<Lookup, 'by' | 'set'>,
  faults: Fault[],
  wrong: (message: string, field: 'by' | 'set' | 'file') => void,
): KeyedRow[] {
  if (table.missing !== undefined) wrong(table.missing, 'file');
  const known = table.rows.length === 0 ? undefined : table.columns;
  for (const [field, names] of [
    ['by', by],
    ['set', set],
  ] as const)
    for (const name of names)
      if (known !== undefined && !known.includes(name))
        wrong(`unknown column "${name}" of ${path.basename(file)}; ${describeExpected(name, known)}`, field);
  const seen = new Set<string>();
  return table.rows.flatMap(({ line, values }): KeyedRow[] => {
    const key = by.map((name) => values.get(name) ?? '');
    const id = rowKey(key);
    const fault = (message: string): KeyedRow[] => {
      faults.push({ file, position: { line, column: 1 }, path: '', message });
      return [];
    };
    if (id === undefined) return fault(`has no value for ${by.join(' and ')}, which find the row`);
    if (seen.has(id)) return fault('an earlier row has the same key; remove one of them');
    seen.add(id);
    return [{ key, values: selectTableValues(values, set) }];
  });
}

function selectTableValues(
  values: ReadonlyMap<string, string>,
  set: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    set.flatMap((name) => {
      const value = values.get(name)?.trim() ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  );
}

interface Table {
  columns: string[];
  rows: Row[];
  /** Why there is no table: a clause. */
  missing?: string;
}

const NONE: Table = { columns: [], rows: [] };

function readLookupTable(file: string, faults: Fault[]): Table {
  const name = path.basename(file);
  let text: string;
  try {
    const { size } = statSync(file);
    if (size > MAX_TABLE_BYTES)
      return {
        ...NONE,
        missing: `${name} has ${size} bytes; at most ${MAX_TABLE_BYTES} are read: store it in Firestore (inquest put-enrichment)`,
      };
    text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    if (error instanceof TypeError)
      return { ...NONE, missing: `${name} is not UTF-8 text; save it as UTF-8` };
    return { ...NONE, missing: `${ENRICH_FOLDER}/${name} cannot be read; create it beside enrich.yaml` };
  }
  const table = name.endsWith('.csv') ? readCsvTable(file, text, faults) : readYamlTable(file, text, faults);
  if (table.rows.length <= MAX_ROWS) return table;
  return {
    ...NONE,
    missing: `${name} has ${table.rows.length} rows; at most ${MAX_ROWS} are read: store it in Firestore (inquest put-enrichment)`,
  };
}

function readCsvTable(file: string, text: string, faults: Fault[]): Table {
  const reading = parseCsv(text);
  const fault = (line: number, message: string) =>
    faults.push({ file, position: { line, column: 1 }, path: '', message });
  if (!reading.ok) {
    fault(reading.line, reading.message);
    return NONE;
  }
  const [header, ...records] = reading.records;
  if (header === undefined) {
    fault(1, 'is empty; its first line has the names of the columns');
    return NONE;
  }
  const rows = records.flatMap(({ line, fields }): Row[] => {
    if (fields.length === header.fields.length)
      return [{ line, values: new Map(fields.map((value, index) => [header.fields[index] ?? '', value])) }];
    fault(
      line,
      `has ${fields.length} fields, and the first line ${header.fields.length}; quote a field with a comma`,
    );
    return [];
  });
  return { columns: header.fields, rows };
}

function readYamlTable(file: string, text: string, faults: Fault[]): Table {
  const yaml = parseYaml(file, text);
  faults.push(...yaml.faults);
  if (yaml.value === undefined) return NONE;
  if (!Array.isArray(yaml.value)) {
    faults.push(faultAt(yaml, [], 'must be a list of rows: - { service: checkout, owner: payments }'));
    return NONE;
  }
  const columns = new Set<string>();
  const rows = yaml.value.flatMap((row: unknown, index): Row[] => {
    const entries = isObject(row) ? Object.entries(row) : [];
    const wrong = entries.find(([, value]) => typeof value === 'object' && value !== null);
    if (entries.length === 0 || wrong !== undefined) {
      const message = 'must be a mapping of column to text: { service: checkout, owner: payments }';
      faults.push(faultAt(yaml, wrong === undefined ? [index] : [index, wrong[0]], message));
      return [];
    }
    for (const [name] of entries) columns.add(name);
    const values = new Map(entries.map(([name, value]) => [name, String(value ?? '')]));
    return [{ line: yaml.position([index], 'key').line, values }];
  });
  return { columns: [...columns], rows };
}
