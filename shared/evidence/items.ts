// The items of a result, each with its names and fields: objects of JSON, blocks by indentation and rows of
// tables. Read loosely, for marks beside statements: no verdict is decided by it.

import { isStateWord } from './stateWords.ts';

/** An object, block or row. */
export interface Item {
  /** In lower case. */
  names: Set<string>;
  /** Short values that do not name it, with the words of their keys and all of them as one. */
  fields: { words: readonly string[]; value: string; isState: boolean }[];
  /** The same for all elements of a list. */
  list: object;
  /** The item that it stands in. Absent at the top. */
  parent?: Item;
}

/** The items of a text. */
export interface Items {
  /** By their names, and by the words of their keys. */
  named: ReadonlyMap<string, ReadonlySet<Item>>;
  /** By `plainValue`, and by `formatStateKey`. */
  valued: ReadonlyMap<string, ReadonlySet<Item>>;
}

const MAX_DEPTH = 30;
/** The start of a key of rows in their block. */
const ROWS = 'rows ';
/** Words of a value that is a state and no message. */
const SHORT = 6;
/** A key whose value starts with a state. */
const IS_STATE = /^(?:active|\w*(?:state|status|health|phase)(?:str)?|conclusion|role)$/i;
/** A key whose value names its item. */
const IS_IDENTITY =
  /^(?!(?:node|host|secret|display)_?name$)(?:\w*(?:names?|id|identifier)_*|key|title|service|revision|node|member|check|unit|job|monitor|pod|instance|group|host|\w*email)$/i;
/** Keys of a name of a field and of its value. */
const STATED_FIELDS = [
  ['type', 'status'],
  ['property', 'value'],
];
/** A key that is the name of its block: `logs-2026.11.12`. */
const IS_NAME = /[-.]\w|\d/;
/** A cell that names its row: `app-2026.11`, `/dev/sda1`. */
const IS_NAME_CELL = /^[\p{L}/][^\s]*[-./_:\d]/u;
const WORD = /[\p{L}\p{N}_]+(?:[-.:@/][\p{L}\p{N}_]+)*/gu;

/** `permission 'a.b' denied`, `https://etcd-a:2379 is healthy`. */
const STATED =
  /(?<![^\s"'`(])([^\s"'`(){}[\],;=|]{3,})["'`)]? (?:(?:is|are|has|been) )*((?:not )?)["'`]?(\p{L}+)/gu;

/** The names in a text, in lower case: each as it is written behind its parts. */
export const namesIn = (text: string): string[] =>
  (text.toLowerCase().match(WORD) ?? []).flatMap((word) => {
    const last = word.slice(word.lastIndexOf('/') + 1);
    const [host = ''] = last.split('.', 1);
    return [
      ...new Set([word, last, ...(host.includes('-') ? [host] : []), ...last.split(/[:@]/)]),
    ].toReversed();
  });

/** `SchedulingDisabled` is `scheduling`, `disabled` and `schedulingdisabled`. */
export function splitCamelWords(text: string): string[] {
  const words = text.replace(/([\p{Ll}\d])(?=\p{Lu}\p{Ll})/gu, '$1 ').toLowerCase();
  return [...words.split(/[^\p{L}\p{N}]+/u), joined(text)];
}

/** A word without case, digits and signs. */
export const joined = (text: string): string => text.toLowerCase().replace(/[^\p{L}]/gu, '');

/** A value as it is compared: `1,204 ms` and `1204` are one, and a time is that of its day. */
export const plainValue = (text: string): string =>
  /\d\d:\d\d:\d\d/.exec(text)?.[0] ?? /^\d[\d.,]*/.exec(text)?.[0].replaceAll(',', '') ?? text.toLowerCase();

/** The first word of a state as the key of its items. */
export const formatStateKey = (text: string): string => `state ${text.toLowerCase().split(' ', 1)[0]}`;

/** Reads the items of a text. */
export function readItems(text: string): Items {
  const [named, valued] = [new Map<string, Set<Item>>(), new Map<string, Set<Item>>()];
  const keys = new Map<string, readonly string[]>();
  const add = (list: object, parent?: Item): Item => ({
    names: new Set(),
    fields: [],
    list,
    ...(parent && { parent }),
  });
  const put = (map: Map<string, Set<Item>>, key: string, item: Item): void => {
    map.set(key, map.get(key)?.add(item) ?? new Set([item]));
  };
  const setName = (item: Item, name: string): void => {
    for (const word of namesIn(name)) {
      item.names.add(word);
      put(named, word, item);
    }
  };
  const setField = (item: Item, key: string, value: string): void => {
    const isState = IS_STATE.test(key);
    if (value.split(' ', SHORT + 1).length > SHORT && !isState) return;
    put(valued, plainValue(value), item);
    if (IS_IDENTITY.test(key)) return;
    if (isState) put(valued, formatStateKey(value), item);
    const words = keys.get(key) ?? splitCamelWords(key);
    keys.set(key, words);
    item.fields.push({ words, value: value.split(' ', SHORT).join(' '), isState });
    for (const word of words) put(named, word, item);
  };
  const walk = (value: unknown, key: string, item: Item, depth: number): void => {
    if (depth > MAX_DEPTH || value === null || value === undefined) return;
    if (Array.isArray(value)) walkList(value, key, item, depth + 1);
    else if (typeof value === 'object') walkObject(value, item, depth + 1);
    else {
      if (IS_IDENTITY.test(key)) setName(item, String(value));
      setField(item, key, String(value));
    }
  };
  const walkObject = (value: object, item: Item, depth: number): void => {
    const { metric, value: sample } = value as { metric?: { __name__?: string }; value?: unknown };
    if (Array.isArray(sample)) setField(item, metric?.__name__ ?? '', String(sample[1]));
    for (const [key, part] of listObjectEntries(value)) {
      const isBlock = typeof part === 'object' && !Array.isArray(part) && IS_NAME.test(key);
      const block = isBlock ? add(value, item) : item;
      if (isBlock) setName(block, key);
      walk(part, key, block, depth);
    }
  };
  const walkList = (list: unknown[], key: string, item: Item, depth: number): void => {
    const isSamples = list.every((one) => Array.isArray(one) && one.length === 2);
    for (const sample of isSamples ? (list as unknown[][]) : [])
      put(valued, plainValue(String(sample[1])), item);
    for (const part of isSamples ? [] : list) {
      const own = typeof part === 'object' ? add(list, item) : item;
      const entries = own === item ? [] : listObjectEntries(part as object);
      const isRow = key.startsWith(ROWS);
      for (const names of STATED_FIELDS) {
        const [field, state] = names.map((name) => entries.find(([one]) => one.toLowerCase() === name)?.[1]);
        // A condition states a field of the object that it is of, a row one of its own.
        if (typeof field === 'string' && typeof state === 'string')
          setField(isRow ? own : item, field, state);
      }
      if (isRow)
        for (const [at, [, cell]] of entries.entries())
          if (at < 2 || IS_NAME_CELL.test(String(cell))) setName(own, String(cell));
      walk(part, key, own, depth);
    }
  };
  for (const part of parseJsonTexts(text) ?? [readBlock(listTableLines(text), 0)]) walk(part, '', add({}), 0);
  for (const [, name = '', not, state = ''] of text.matchAll(STATED)) {
    if (!IS_NAME.test(name) || !isStateWord(state.toLowerCase())) continue;
    const item = add({});
    setName(item, name);
    setField(item, 'state', `${not}${state}`);
  }
  return { named, valued };
}

const listObjectEntries = (value: object): [string, unknown][] =>
  value instanceof Map ? [...value] : Object.entries(value ?? {});

/** Texts of JSON: the end of a text, or one a line. */
function parseJsonTexts(text: string): unknown[] | undefined {
  const parse = (part: string): unknown => {
    try {
      return JSON.parse(part);
    } catch {
      return undefined;
    }
  };
  const start = text.search(/^\s*[[{]/m);
  const parts = start < 0 ? [] : [parse(text.slice(start)) ?? text.split('\n').map(parse)].flat();
  return parts.some((one) => typeof one === 'object') ? parts : undefined;
}

interface Line {
  indent: number;
  text: string;
  /** Whether a blank line stands before it, which ends a table. */
  isApart?: boolean;
}

/** The lines that are not blank and no rule of a table. */
const listTableLines = (text: string): Line[] => {
  const lines = text.split('\n');
  return lines.flatMap((line, at) =>
    /^[-+=|\s]*$/.test(line)
      ? []
      : [{ indent: line.search(/\S/), text: line.trimEnd(), isApart: lines[at - 1]?.trim() === '' }],
  );
};

/** `key: value`, `key=value`, `key = value`, `cluster::key::value`, or two columns. */
const PAIR =
  /^\s*["']?([\p{L}_][^:=\t]{0,70}?|[^\s:]\S*?)["']?(?:\s*:\s+|\s+=\s+|:$|::(?=[^:]+$)|(?<=^\s*\w+)[:=]|\s{2,}(?=\S+$))(.*)$/u;
const ITEM = /^(\s*)- /;

/** The pairs of lines with their values, deeper blocks and rows; a list for lines that start with a dash. */
function readBlock(lines: readonly Line[], depth: number): unknown {
  let pairs = new Map<string, unknown>();
  const list: unknown[] = [];
  let firstKey: string | undefined;
  for (let at = 0; at < lines.length && depth < MAX_DEPTH; ) {
    const { indent, text } = lines[at] as Line;
    const rows = rowsAt(lines, at);
    const [, key, value = ''] = PAIR.exec(text) ?? [];
    const isItem = ITEM.test(text);
    // YAML does not indent a list below its key.
    const isBelow = (one: Line): boolean =>
      (one.indent > indent && (isItem || value === '')) ||
      (one.indent === indent && !isItem && value === '' && ITEM.test(one.text));
    let end = at + 1 + rows.length;
    while (rows.length === 0 && end < lines.length && isBelow(lines[end] as Line)) end++;
    const below = lines.slice(at + 1, end);
    const first = { indent: indent + 2, text: text.replace(ITEM, '$1  ') };
    if (rows.length > 0) pairs.set(`${ROWS}${at}`, rows);
    else if (isItem)
      list.push(PAIR.test(first.text) ? readBlock([first, ...below], depth + 1) : first.text.trim());
    else if (value !== '') {
      // The key of the first value, again, starts the next record.
      if (key === firstKey) {
        list.push(pairs);
        pairs = new Map();
      }
      firstKey ??= key;
      pairs.set(pairs.has(key ?? '') ? `${key} ${at}` : (key ?? ''), value.replace(/^["']|["']$/g, ''));
    } else if (below.length > 0) pairs.set(key ?? text.trim(), readBlock(below, depth + 1));
    at = end;
  }
  return list.length === 0 ? pairs : pairs.size === 0 ? list : [...list, pairs];
}

const HEAD = /^--$|^[#A-Za-z%][\w%()/ .#-]*$/;

/** Cells between two or more spaces, and words. */
const [WIDE, WORDS] = [/[^\s●]+(?: [^\s●]+)*/g, /[^\s●]+/g];

/** The rows of a table whose head is a line. */
function rowsAt(lines: readonly Line[], at: number): Map<string, string>[] {
  const head = lines[at]?.text.replace(/^(\s*)# /, '$1') ?? '';
  const sign = [/\|/, /\t/, /,(?! )/].find((one) => head.split(one).length > 2);
  if (sign === undefined && !/\S {2,}\S/.test(head)) return [];
  const splits =
    sign === undefined
      ? [WIDE, WORDS].map((cell) => (text: string) => findTableColumns(text, cell))
      : [(text: string) => splitCellsBySign(text, sign)];
  const [names = [], words = names] = splits.map((split) => split(head));
  if (names.length < 2 || words.length < 3 || !names.every(({ text }) => HEAD.test(text))) return [];
  const rows: Map<string, string>[] = [];
  for (const { text, isApart } of lines.slice(at + 1)) {
    if (isApart) break;
    const wide = names.length < 3 ? [] : fitTableRow(names, splits[0]?.(text) ?? []);
    const row =
      wide.length > 0 || sign !== undefined ? wide : fitTableRow(words, findTableColumns(text, WORDS), true);
    if (row.length < 2) break;
    rows.push(new Map(row));
  }
  return rows;
}

interface Column {
  text: string;
  start: number;
  end: number;
}

const findTableColumns = (line: string, cell: RegExp): Column[] =>
  [...line.matchAll(cell)].map(({ index, 0: text }) => ({ text, start: index, end: index + text.length }));

/** The cells between signs, which have no place. */
const splitCellsBySign = (line: string, sign: RegExp): Column[] =>
  line
    .replace(/^\s*\||\|$/g, '')
    .split(sign)
    .map((cell) => ({ text: cell.trim(), start: -1, end: -1 }));

/** The cells of a row by its head: one each, or by their places if some are missing; else none. */
function fitTableRow(
  names: readonly Column[],
  cells: readonly Column[],
  canHaveMore = false,
): (readonly [string, string])[] {
  if (cells.length === names.length || (canHaveMore && cells.length > names.length))
    return names.map(({ text }, index) => [text, cells[index]?.text ?? ''] as const);
  const below = cells.map(({ text, start, end }) => {
    const above = names.find((name) => name.start < end && start < name.end);
    return above === undefined ? undefined : ([above.text, text] as const);
  });
  // A line without a digit is the head of the next table.
  const isRow = cells.length < names.length && cells.some(({ text }) => /\d/.test(text));
  return isRow && below.every((cell) => cell !== undefined) ? below : [];
}
