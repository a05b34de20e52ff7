// Kubernetes Secrets in YAML: all below `data` and `stringData` of a Secret. Keys stay readable.

import { CHARACTERS_OF_STEP, moveValues, reportRanges, type Scan } from '../scan/scan.ts';
import { cutManifestLine, findLineLayouts, type LineLayout } from './lineLayout.ts';
import { isStringData, marksSecret, SECRET_FIELD, SECTION } from './secretObjects.ts';

/** A mapping of the document, which starts in the column `indent`. */
interface Mapping {
  /** Column of its keys, from 0. */
  indent: number;
  /** Whether its `kind` or `type` is that of a Secret. */
  isSecret: boolean;
  /** Whether it has a `kind`: it is no item of a list of Secrets then. */
  hasKind: boolean;
  /** Start and end of each value. */
  values: number[];
}

/** The `data:` whose values are being read. */
interface Section {
  /** The mapping that contains it. */
  mapping: Mapping;
  /** Column of its key. */
  indent: number;
  /** Column of its keys; undefined before the first. */
  keys?: number;
}

const KIND = 'kubernetes-secret';
const LINE = /^([ \t]*)((?:-[ \t]+)*)(?:(["']?)([\w./-]{1,253})\3[ \t]*:(?:[ \t]+(.*))?$)?/;
/** A longer line is no line of a manifest; its end is ignored. */
const MAX_LINE = 65_536;
const IN_STRING = /^.*["'`](?=(?:apiVersion|kind|data|stringData|items|metadata):)/;
const BLOCK = /^[|>][+-]?\d?[+-]?\s*(?:#.*)?$/;

const SECRET = new RegExp(SECRET_FIELD, 'g');

/** Finds the values of Secrets in YAML, also behind prefixes of lines and in diffs. */
export function* findYamlSecrets(scan: Scan): Generator<undefined, void> {
  SECRET.lastIndex = 0;
  if (!SECRET.test(scan.text)) return;
  for (const layout of findLineLayouts(scan.text, SECRET)) yield* findInLayout(scan, layout);
}

/** One pass over the lines: indentation decides which mapping a line belongs to. */
function* findInLayout(scan: Scan, layout: LineLayout): Generator<undefined, void> {
  const { text } = scan;
  const open: Mapping[] = [];
  let section: Section | undefined;
  const closeDeeperThan = (indent: number): void => {
    for (let top = open.at(-1); top !== undefined && top.indent > indent; top = open.at(-1)) {
      open.pop();
      if (top.isSecret) reportRanges(scan, top.values, KIND);
      else if (!top.hasKind) moveValues(scan, top, open.at(-1));
    }
  };
  let stepEnd = CHARACTERS_OF_STEP;
  for (let start = 0, next = 0; start <= text.length; start = next) {
    if (start >= stepEnd) {
      stepEnd = start + CHARACTERS_OF_STEP;
      yield undefined;
    }
    const newline = text.indexOf('\n', start);
    next = newline < 0 ? text.length + 1 : newline + 1;
    const written = text.slice(start, Math.min(next - 1, start + MAX_LINE)).trimEnd();
    scan.spend(written.length + 1);
    const own = cutManifestLine(written, layout);
    if (own === undefined) continue;
    const { content: whole } = own;
    // A manifest can start within a string of JSON, whose line breaks were decoded.
    const lead = IN_STRING.exec(whole)?.[0].length ?? 0;
    if (lead > 0) closeDeeperThan(-1);
    if (lead > 0) section = undefined;
    const line = whole.slice(lead);
    const lineEnd = start + own.lead + whole.length;
    const content = line.trimStart();
    if (content === '' || content.startsWith('#')) continue;
    const [, blanks = '', dashes = '', , key, rest = ''] = LINE.exec(line) ?? [];
    const indent = blanks.length + dashes.length;
    if (content === '---' || content === '...') {
      closeDeeperThan(-1);
      section = undefined;
    } else if (section !== undefined && blanks.length > section.indent) {
      section.keys ??= indent;
      // A key starts a value; other and deeper lines continue the last one.
      const isKey = key !== undefined && indent === section.keys;
      if (!isKey || !BLOCK.test(rest)) addValue(section.mapping, isKey ? rest : content, lineEnd);
    } else {
      section = undefined;
      closeDeeperThan(blanks.length);
      let mapping = open.at(-1);
      if (mapping === undefined || mapping.indent < indent) {
        mapping = { indent, isSecret: false, hasKind: false, values: [] };
        open.push(mapping);
      }
      if (key === undefined) continue;
      if (key === 'kind') mapping.hasKind = true;
      const keyEnd = lineEnd - whole.length + lead + indent + key.length;
      if (isStringData(key, text, keyEnd) || marksSecret(key, readYamlScalar(rest))) mapping.isSecret = true;
      if (!SECTION.test(key)) continue;
      if (rest.startsWith('{')) addFlow(mapping, flowAt(text, lineEnd - rest.length), lineEnd - rest.length);
      else section = { mapping, indent };
    }
  }
  closeDeeperThan(-1);
}

/** The value of a line without quotes and comment. */
const readYamlScalar = (rest: string): string => /^["']?([^"'\s]*)["']?(?:\s+#.*)?$/.exec(rest)?.[1] ?? '';

/** Adds a value that ends at `end`, without the quotes around it. */
function addValue(mapping: Mapping, value: string, end: number): void {
  const quoted = /^(["']).*\1$/.test(value) ? 1 : 0;
  mapping.values.push(end - value.length + quoted, end - quoted);
}

/** Longest flow mapping that is read. */
const MAX_FLOW = 65_536;
const FLOW_VALUE =
  /([\w./-]{1,253})["']?\s*:\s*(?:"((?:[^"\\]|\\.){0,8192})"|'([^']{0,8192})'|([^\s"',{}][^\n,{}]{0,8192}))/g;

/** A flow mapping that starts at `start`, up to its end, which can be on another line. */
function flowAt(text: string, start: number): string {
  const flow = text.slice(start, start + MAX_FLOW);
  const end = flow.indexOf('}');
  return end < 0 ? (flow.split('\n', 1)[0] ?? '') : flow.slice(0, end);
}

/** `{user: YQ==, password: Yg==}`. */
function addFlow(mapping: Pick<Mapping, 'values'>, flow: string, start: number): void {
  for (const { index, 0: whole, 2: double, 3: single, 4: plain } of flow.matchAll(FLOW_VALUE)) {
    const value = double ?? single ?? plain?.trimEnd() ?? '';
    const from = start + index + whole.lastIndexOf(value);
    mapping.values.push(from, from + value.length);
  }
}

/** A mapping in braces. */
interface Flow {
  /** Whether its `kind` or `type` is that of a Secret. */
  isSecret: boolean;
  /** Whether it has a `kind`: it is no item of a list of Secrets then. */
  hasKind: boolean;
  /** Where its `data` starts, if it is one. */
  dataAt: number | undefined;
  /** How many `data` it is part of. */
  depth: number;
  /** Start and end of each value. */
  values: number[];
}

const FLOW_SIGN = new RegExp(
  `[{}]|(?<=[{,]\\s{0,40})(?:${SECRET_FIELD}(?!\\s{0,20}\\{)|kind:|(?:data|stringData|binaryData):\\s{0,20}\\{)`,
  'g',
);
const FLOW_SECRET = new RegExp(`[{,]\\s{0,40}${SECRET_FIELD}`);
const MAX_DEPTH = 1000;
/** A Secret can stand in the data of another object; more levels are no manifest. */
const MAX_DATA = 3;

/** Finds values of Secrets in braces without quotes: `{kind: Secret, data: {user: YQ==}}`. */
export function* findFlowSecrets(scan: Scan): Generator<undefined, void> {
  const { text } = scan;
  if (!FLOW_SECRET.test(text)) return;
  scan.spend(text.length);
  const open: Flow[] = [];
  const close = (end: number): void => {
    const flow = open.pop();
    if (flow === undefined) return;
    if (flow.dataAt !== undefined) {
      scan.spend(end - flow.dataAt);
      addFlow(open.at(-1) ?? flow, text.slice(flow.dataAt, end), flow.dataAt);
    }
    if (flow.isSecret) reportRanges(scan, flow.values, KIND);
    else if (!flow.hasKind) moveValues(scan, flow, open.at(-1));
  };
  let stepEnd = CHARACTERS_OF_STEP;
  FLOW_SIGN.lastIndex = 0;
  for (let sign = FLOW_SIGN.exec(text); sign !== null; sign = FLOW_SIGN.exec(text)) {
    const top = open.at(-1);
    if (sign[0] === '}') close(sign.index);
    else if (sign[0].endsWith('{')) {
      const depth = (top?.depth ?? 0) + (sign[0] === '{' ? 0 : 1);
      const isData = sign[0] !== '{' && depth <= MAX_DATA;
      const dataAt = isData ? sign.index + sign[0].length : undefined;
      if (open.length < MAX_DEPTH) open.push({ isSecret: false, hasKind: false, dataAt, depth, values: [] });
      if (top !== undefined && sign[0].startsWith('stringData')) top.isSecret = true;
    } else if (top !== undefined) {
      top.hasKind ||= sign[0].startsWith('kind');
      top.isSecret ||= sign[0] !== 'kind:';
    }
    const next = FLOW_SIGN.lastIndex;
    if (next < stepEnd) continue;
    stepEnd = next + CHARACTERS_OF_STEP;
    yield undefined;
    FLOW_SIGN.lastIndex = next;
  }
  while (open.length > 0) close(text.length);
}
