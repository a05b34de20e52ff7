// Reads the tables that kubectl prints: cells stand in fixed columns under their head.

import { type Cell, splitColumnCells, splitHeadColumns } from './columns.ts';
import { findFieldKind, NAME, type Source } from './fieldList.ts';
import type { ReadResult, StateField, StateRecord } from './record.ts';

const HEAD = /^(?:[A-Z][A-Z0-9-]*(?:\([a-z%]+\))?(?: +|$))+$/;

/** Whether a text is a table: its first line has only words in capitals. */
export const isTable = (text: string): boolean =>
  HEAD.test(firstLine(text)) && firstLine(text).includes('NAME');

const firstLine = (text: string): string => /^[^\n]*/.exec(text)?.[0] ?? '';

const IDENTITY = new Set(['NAMESPACE', 'APIVERSION', 'KIND', 'POD', 'NAME', 'NODE']);

/** The records of a table. A row whose cells do not stand under their columns is not read. */
export function readTable(text: string, isCut: boolean, source: Source): ReadResult {
  const head = firstLine(text);
  const columns = splitHeadColumns(head);
  const names = columns.map(({ name }) => name);
  if (new Set(names).size !== names.length) return { records: [], isWhole: false };
  const records: StateRecord[] = [];
  let isWhole = true;
  const lines = text.slice(head.length + 1).split('\n');
  let start = head.length + 1;
  // A line that ends with the text of a cut answer can lack its end.
  for (const line of isCut ? lines.slice(0, -1) : lines) {
    const cells = splitColumnCells(line, start, columns);
    start += line.length + 1;
    if (line.trim() === '') continue;
    const found = cells === undefined ? undefined : readTableRecords(cells, source);
    isWhole &&= found !== undefined;
    records.push(...(found ?? []));
  }
  return { records, isWhole };
}

function readTableRecords(
  cells: ReadonlyMap<string, Cell>,
  { result, list, target }: Source,
): StateRecord[] | undefined {
  const cell = (name: string): string | undefined => cells.get(name)?.text || undefined;
  const kind = cell('KIND') ?? target.kind ?? '';
  const apiVersion = cell('APIVERSION') ?? target.apiVersion ?? soleVersion(list.kinds, kind);
  const listed = findFieldKind(list, `${apiVersion}/${kind}`);
  // `top` names the pod, and then its container.
  const name = cells.has('POD') ? cell('POD') : cell('NAME');
  const container = cells.has('POD') ? cell('NAME') : undefined;
  // The sum below a table has no name.
  if (name === undefined && cell('NAMESPACE') === undefined) return [];
  const namespace = cell('NAMESPACE') ?? target.namespace;
  const areNames = [name, namespace, container].every((one) => one === undefined || NAME.test(one));
  if (name === undefined || !areNames || apiVersion === undefined || listed === undefined) return undefined;
  // A tab in a cell moves the cells behind it: nothing behind a column that others can write is read.
  const isKnown = (column: string) => IDENTITY.has(column) || Object.hasOwn(listed.columns, column);
  const columns = [...cells.keys()];
  const free = columns.findIndex((column) => !isKnown(column));
  const known = columns.slice(0, free === -1 ? columns.length : free);
  const node = known.includes('NODE') ? cell('NODE') : undefined;
  const identity = {
    ...(target.cluster !== undefined && { cluster: target.cluster }),
    ...(namespace !== undefined && { namespace }),
    name,
    owners: [],
    ...(node !== undefined && NAME.test(node) && { node }),
  };
  const fields = new Map<string, StateField>();
  for (const column of known)
    for (const [path, form] of Object.entries(listed.columns[column] ?? {})) {
      const field = readCell(cells.get(column), form);
      if (field !== undefined) fields.set(path, field);
    }
  const own = { result, kind, apiVersion, identity };
  if (container === undefined) return [{ ...own, fields }];
  return [{ ...own, container, of: { ...own, fields: new Map() }, fields }];
}

function soleVersion(kinds: object, kind: string): string | undefined {
  const keys = Object.keys(kinds).filter((key) => key.endsWith(`/${kind}`));
  return keys.length === 1 ? keys[0]?.slice(0, -kind.length - 1) : undefined;
}

function readCell(
  cell: Cell | undefined,
  form: RegExp | Readonly<Record<string, string>>,
): StateField | undefined {
  if (cell === undefined) return undefined;
  const { text, start } = cell;
  if (!(form instanceof RegExp)) {
    const value = Object.hasOwn(form, text) ? form[text] : undefined;
    return value === undefined ? undefined : { value, start, end: start + text.length };
  }
  const { indices } = form.exec(text) ?? {};
  const [from, to] = indices?.[1] ?? indices?.[0] ?? [];
  if (from === undefined || to === undefined) return undefined;
  const value = text.slice(from, to);
  return { value: /^\d+$/.test(value) ? Number(value) : value, start: start + from, end: start + to };
}
