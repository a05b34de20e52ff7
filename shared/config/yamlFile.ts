// Parses a YAML file into a plain value, and finds the line and column of each part of it.

import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml';
import type { ErrorCode } from '../core/errors.ts';
import { quoteText } from '../text/cut.ts';
import { describeYamlError } from './yamlFaults.ts';

/** One error in the configuration. */
export interface Fault {
  /** Path of the file or folder with the error, as messages show it. */
  file: string;
  /** From 1; null when the fault has no place inside the file. */
  position: { line: number; column: number } | null;
  /** Path of the value, `agents.investigator.tools[0]`; empty at the top. */
  path: string;
  /** The error and its remedy, as a clause that follows the place. */
  message: string;
  /** Default `CONFIG_INVALID`. */
  code?: Extract<ErrorCode, 'CONFIG_INVALID' | 'CONFIG_UNKNOWN_STRATEGY'>;
}

/** Keys and indices that lead to a value. */
export type YamlPath = readonly PropertyKey[];
type Position = { line: number; column: number };

/** A parsed YAML file. */
export interface YamlFile {
  /** Its path, as messages show it. */
  file: string;
  /** The content of the file, as it was read. */
  text: string;
  /** Plain objects, lists and scalars; undefined when the text is not valid YAML. */
  value: unknown;
  /** Syntax errors, duplicate keys, forbidden keys. */
  faults: Fault[];
  /** Texts that a comma ends: the rest of each is a key without a value, at its place. */
  cuts: Fault[];
  /** Start of the value at `path` or of its key; for a path that does not exist, the nearest parent. */
  position(path: YamlPath, what: 'key' | 'value'): Position;
}

/** Far more than people write; a document that expands more aliases is an attack. */
const MAX_ALIASES = 100;
/** Longest text that a fault quotes, in characters. */
const MAX_QUOTE = 60;

/** A fault at `path` of a file. @param what whether it is at the key or at the value. Default: the value. */
export function faultAt(
  yaml: YamlFile,
  path: YamlPath,
  message: string,
  what: 'key' | 'value' = 'value',
): Fault {
  return { file: yaml.file, position: yaml.position(path, what), path: pathText(path), message };
}

/** `chains.investigate.stages[0].name`. */
function pathText(path: YamlPath): string {
  return path
    .map((segment, index) =>
      typeof segment === 'number' ? `[${segment}]` : `${index === 0 ? '' : '.'}${String(segment)}`,
    )
    .join('');
}

/** Parses YAML 1.2. Never throws; `faults` lists the errors. */
export function parseYaml(file: string, text: string): YamlFile {
  const lineCounter = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const faults: Fault[] = [];
  const cuts: Fault[] = [];
  const fault = (offset: number, message: string): void => {
    faults.push({ file, position: at(offset), path: '', message });
  };

  try {
    const document = parseDocument(text, { lineCounter, prettyErrors: false });
    let readable = true;
    for (const { code, pos } of [...document.errors, ...document.warnings]) {
      if (code === 'DUPLICATE_KEY') {
        fault(pos[0], 'this key is there twice; keep one of them');
        continue;
      }
      readable = false;
      fault(pos[0], describeYamlError(text, code, pos[0]));
      // The parser reports it again for every level of nesting; one fault is enough.
      if (code === 'RESOURCE_EXHAUSTION') break;
    }
    readable = checkKeys(document, fault) && readable;
    cuts.push(
      ...cutTexts(document).map(({ offset, message }) => ({ file, position: at(offset), path: '', message })),
    );
    const value: unknown = readable ? document.toJS({ maxAliasCount: MAX_ALIASES }) : undefined;
    return {
      file,
      text,
      value,
      faults,
      cuts,
      position: (path, what) => at(findYamlOffset(document, path, what)),
    };
  } catch {
    fault(0, 'not readable as YAML: it has too many references ("*name"), or is nested too deep');
    return { file, text, value: undefined, faults, cuts, position: () => at(0) };
  }
}

/** Keys of a mapping in braces without value or colon: the rest of a text that a comma cuts. */
function cutTexts(document: Document): { offset: number; message: string }[] {
  const cuts: { offset: number; message: string }[] = [];
  visit(document, {
    Map(_, map) {
      if (!map.flow) return;
      let before: string | undefined;
      for (const { key, value } of map.items) {
        if (value !== null) before = String(key);
        else if (before !== undefined && isScalar(key)) {
          const message = `"${quoteFound(String(key.value))}" has no value: within { } a comma ends the text of "${quoteFound(before)}"; put that text in quotes`;
          cuts.push({ offset: key.range?.[0] ?? 0, message });
        }
      }
    },
  });
  return cuts;
}

const quoteFound = (text: string): string => quoteText(text, MAX_QUOTE);

/** Refuses keys that are not text, and names such as `__proto__`. Returns whether all are good. */
function checkKeys(document: Document, fault: (offset: number, message: string) => void): boolean {
  let good = true;
  visit(document, {
    Alias(_, alias) {
      if (alias.source === '' || alias.resolve(document) !== undefined) return;
      fault(
        alias.range?.[0] ?? 0,
        `no "&${quoteFound(alias.source)}" is before this alias; put a text that starts with "*" in quotes`,
      );
      good = false;
    },
    Pair(_, { key }) {
      const offset = (key as Node | null)?.range?.[0] ?? 0;
      if (!isScalar(key) || key.value === null || typeof key.value === 'object') {
        fault(offset, 'a key must be plain text');
        good = false;
      } else if (String(key.value) in Object.prototype) {
        fault(offset, `"${String(key.value)}" cannot be used as a key`);
        good = false;
      }
    },
  });
  return good;
}

function findYamlOffset(document: Document, path: YamlPath, what: 'key' | 'value'): number {
  const resolve = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node);
  let current: unknown = resolve(document.contents);
  let offset = document.contents?.range?.[0] ?? 0;
  for (const [depth, segment] of path.entries()) {
    if (isMap(current)) {
      const pair = current.items.findLast(
        ({ key }) => isScalar(key) && String(key.value) === String(segment),
      );
      if (pair === undefined) return offset;
      const value = pair.value as Node | null;
      const last = depth === path.length - 1;
      const keyOffset = (pair.key as Node).range?.[0] ?? offset;
      // The place of a mapping or list is its key: its value can start on a later line.
      const node = last && what === 'value' && isScalar(value) ? value : undefined;
      offset = node?.range?.[0] ?? keyOffset;
      current = resolve(value);
    } else if (isSeq(current) && typeof segment === 'number') {
      const item = current.items[segment] as Node | undefined;
      if (item === undefined) return offset;
      offset = item.range?.[0] ?? offset;
      current = resolve(item);
    } else {
      return offset;
    }
  }
  return offset;
}
