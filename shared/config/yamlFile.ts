// A YAML file as a plain value that still knows where each of its parts stands.

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
import { errorMessage } from '../errors.ts';
import type { Fault } from './configError.ts';

export type YamlPath = readonly PropertyKey[];
type Position = { line: number; column: number };

export interface YamlFile {
  /** As the user would name it. */
  file: string;
  /** Plain objects, arrays and scalars; undefined when the text could not be parsed. */
  value: unknown;
  /** Syntax errors, duplicate keys, forbidden keys. */
  faults: Fault[];
  /** Where the value at `path`, or its key, begins; of what is not there, the nearest that is. */
  position(path: YamlPath, what: 'key' | 'value'): Position;
}

/** Aliases a person writes stay far below; a document that expands more of them is an attack. */
const MAX_ALIASES = 100;

/** Parses YAML 1.2. Never throws: what is wrong with the text is in `faults`. */
export function parseYaml(file: string, text: string): YamlFile {
  const lineCounter = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const faults: Fault[] = [];
  const fault = (offset: number, message: string): void => {
    faults.push({ file, position: at(offset), path: '', message });
  };

  try {
    const document = parseDocument(text, { lineCounter, prettyErrors: false });
    let readable = true;
    for (const { code, pos, message } of [...document.errors, ...document.warnings]) {
      if (code === 'DUPLICATE_KEY') {
        fault(pos[0], 'this key is there twice; keep one of them');
        continue;
      }
      readable = false;
      fault(pos[0], `not valid YAML: ${message}`);
      // One is enough: the parser reports it again for every level it was nested in.
      if (code === 'RESOURCE_EXHAUSTION') break;
    }
    readable = checkKeys(document, fault) && readable;
    const value: unknown = readable ? document.toJS({ maxAliasCount: MAX_ALIASES }) : undefined;
    return { file, value, faults, position: (path, what) => at(offsetOf(document, path, what)) };
  } catch (error) {
    // Excessive aliases and nesting the parser let through end here.
    fault(0, `not readable as YAML: ${errorMessage(error)}`);
    return { file, value: undefined, faults, position: () => at(0) };
  }
}

/** Refuses keys that are not text, and names such as `__proto__` that mean something to every object. */
function checkKeys(document: Document, fault: (offset: number, message: string) => void): boolean {
  let good = true;
  visit(document, {
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

function offsetOf(document: Document, path: YamlPath, what: 'key' | 'value'): number {
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
      // What stands below a block mapping or list is best found at its key.
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
