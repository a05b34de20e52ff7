// An Action Input in YAML. Only what has a structure of its own is read here; flat `key: value` lines are pairs.

import { type Document, isCollection, isMap, isScalar, parseDocument, visit } from 'yaml';
import { asObject } from '../../text/json.ts';
import { scalarOf } from './scalars.ts';

/**
 * The mapping a YAML text holds, when it needs YAML: a list, a mapping or a block of lines as a value, or braces around
 * it (a Python dictionary reads as YAML). Undefined for everything else, also for YAML with references, which can
 * make a huge value of a small text.
 */
export function readYamlMapping(text: string): Record<string, unknown> | undefined {
  if (!/[\n[{]/.test(text)) return undefined;
  try {
    return readMapping(text);
  } catch {
    // Aliases, or nesting beyond the stack.
    return undefined;
  }
}

function readMapping(text: string): Record<string, unknown> | undefined {
  // The failsafe schema leaves all scalars text, so that values are the same in YAML and in pairs.
  const document: Document = parseDocument(text, {
    schema: 'failsafe',
    logLevel: 'error',
    prettyErrors: false,
    stringKeys: true,
    uniqueKeys: false,
  });
  if (document.errors.length > 0 || !isMap(document.contents)) return undefined;
  const { items, flow } = document.contents;
  if (flow !== true && !items.some(({ value }) => isStructured(value))) return undefined;

  visit(document, {
    Scalar(key, node) {
      if (key !== 'key' && node.type === 'PLAIN' && typeof node.value === 'string') {
        node.value = scalarOf(node.value);
      }
    },
  });
  return asObject(document.toJS({ maxAliasCount: 0 }));
}

function isStructured(value: unknown): boolean {
  if (isCollection(value)) return true;
  return isScalar(value) && (value.type === 'BLOCK_LITERAL' || value.type === 'BLOCK_FOLDED');
}
