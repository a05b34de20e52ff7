// Kubernetes Secrets in YAML: everything below `data` and `stringData` of a mapping whose kind is Secret. Keys stay readable.

import type { Scan } from '../scan.ts';

/** A mapping of the document, which begins in the column `indent`. */
interface Mapping {
  indent: number;
  isSecret: boolean;
  values: { start: number; end: number }[];
}

/** The `data:` whose values are being read. */
interface Section {
  mapping: Mapping;
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

/** Finds the values of Secrets in YAML, in one pass over the lines: indentation says which mapping a line belongs to. */
export function findYamlSecrets(scan: Scan): void {
  const { text } = scan;
  if (!/kind["']?[ \t]{0,4}:[ \t]{0,4}["']?Secret/.test(text)) return;
  const open: Mapping[] = [];
  let section: Section | undefined;
  const closeDeeperThan = (indent: number): void => {
    for (let top = open.at(-1); top !== undefined && top.indent > indent; top = open.at(-1)) {
      open.pop();
      if (top.isSecret) for (const { start, end } of top.values) scan.found(start, end, KIND);
    }
  };
  for (let start = 0, next = 0; start <= text.length; start = next) {
    const newline = text.indexOf('\n', start);
    next = newline < 0 ? text.length + 1 : newline + 1;
    const whole = text.slice(start, Math.min(next - 1, start + MAX_LINE)).trimEnd();
    // A manifest may begin within a string of JSON, whose line breaks were decoded.
    const lead = IN_STRING.exec(whole)?.[0].length ?? 0;
    if (lead > 0) closeDeeperThan(-1);
    if (lead > 0) section = undefined;
    const line = whole.slice(lead);
    const lineEnd = start + whole.length;
    scan.spend(whole.length + 1);
    const content = line.trimStart();
    if (content === '' || content.startsWith('#')) continue;
    const [, blanks = '', dashes = '', , key, rest = ''] = LINE.exec(line) ?? [];
    const indent = blanks.length + dashes.length;
    if (content === '---' || content === '...') {
      closeDeeperThan(-1);
      section = undefined;
    } else if (section !== undefined && blanks.length > section.indent) {
      section.keys ??= indent;
      // A key begins a value; other and deeper lines go on with the last one.
      const isKey = key !== undefined && indent === section.keys;
      if (!isKey || !BLOCK.test(rest)) addValue(section.mapping, isKey ? rest : content, lineEnd);
    } else {
      section = undefined;
      closeDeeperThan(blanks.length);
      let mapping = open.at(-1);
      if (mapping === undefined || mapping.indent < indent) {
        mapping = { indent, isSecret: false, values: [] };
        open.push(mapping);
      }
      if (key === 'kind' && /^["']?Secret["']?(?:\s+#.*)?$/.test(rest)) mapping.isSecret = true;
      if (key === undefined || !/^(?:data|stringData|binaryData)$/.test(key)) continue;
      if (rest.startsWith('{')) addFlow(mapping, rest, lineEnd - rest.length);
      else section = { mapping, indent };
    }
  }
  closeDeeperThan(-1);
}

/** Adds a value that ends at `end`, without the quotes around it. */
function addValue(mapping: Mapping, value: string, end: number): void {
  const quoted = /^(["']).*\1$/.test(value) ? 1 : 0;
  mapping.values.push({ start: end - value.length + quoted, end: end - quoted });
}

/** `{user: YQ==, password: Yg==}`. */
function addFlow(mapping: Mapping, flow: string, start: number): void {
  for (const { index, 0: whole, 1: value = '' } of flow.matchAll(/:\s*["']?([^\s"',{}]+)/g)) {
    const end = start + index + whole.length;
    mapping.values.push({ start: end - value.length, end });
  }
}
