// Loads a script, and reports each fault with its place: `model.yaml:4:18 models: …`.

import { readFile } from 'node:fs/promises';
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import type * as z from 'zod';
import { type ParsedScript, type Script, scriptSchema } from './script.ts';

/** More than people write; a document that expands more aliases is an attack. */
const MAX_ALIASES = 100;

/** A script that cannot be used. The message has one line for each fault, with its place. */
export class ScriptError extends Error {
  override name = 'ScriptError';
}

/**
 * A checked script from a YAML or JSON file, or from an object.
 * @throws ScriptError with every fault: `file:line:column field: expected value`.
 */
export async function loadScript(script: Script | string): Promise<ParsedScript> {
  if (typeof script !== 'string') return checkScript(script, (issue) => `script ${describeIssue(issue)}`);
  let text: string;
  try {
    text = await readFile(script, 'utf8');
  } catch (error) {
    throw new ScriptError(`${script} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  return parseScript(text, script);
}

/** A script from its text. `file` names it in messages. Throws like `loadScript`. */
export function parseScript(text: string, file: string): ParsedScript {
  const lineCounter = new LineCounter();
  const place = (offset: number): string => {
    const { line, col } = lineCounter.linePos(offset);
    return `${file}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const [fault] = [...document.errors, ...document.warnings];
  if (fault !== undefined) throw new ScriptError(`${place(fault.pos[0])} not valid YAML: ${fault.message}`);
  return checkScript(readValue(document, file), (issue, key) => {
    const path = key === undefined ? issue.path : [...issue.path, key];
    return `${place(findOffset(document, path, key !== undefined))} ${describeIssue(issue, key)}`;
  });
}

function readValue(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    throw new ScriptError(`${file} not valid YAML: ${error instanceof Error ? error.message : error}`);
  }
}

/** @param describe a fault as one line. @param describe.key the unknown key that the fault is about. */
function checkScript(
  value: unknown,
  describe: (issue: z.core.$ZodIssue, key?: string) => string,
): ParsedScript {
  const read = scriptSchema.safeParse(value, { jitless: true });
  if (read.success) return read.data;
  const lines = read.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => describe(issue, key)) : [describe(issue)],
  );
  throw new ScriptError(lines.join('\n'));
}

/** `conversations[0].turns[0].tools: unknown key; expected one of …`. */
function describeIssue(issue: z.core.$ZodIssue, key?: string): string {
  const path = key === undefined ? issue.path : [...issue.path, key];
  const name = path
    .map((segment) => (typeof segment === 'number' ? `[${segment}]` : `.${String(segment)}`))
    .join('')
    .replace(/^\./, '');
  const index = issue.code === 'unrecognized_keys' && key !== undefined ? issue.keys.indexOf(key) : -1;
  const message =
    index === -1
      ? issue.message.replace(/^Invalid input: /, '')
      : `unknown key; ${issue.message.split('\n')[index]}`;
  return name === '' ? message : `${name}: ${message}`;
}

/** The start of a value, or of its key; of the closest parent when it does not exist. */
function findOffset(document: Document, path: readonly PropertyKey[], isKey: boolean): number {
  for (let length = path.length; length > 0; length--) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    if (isKey && length === path.length && isMap(parent)) {
      const pair = parent.items.find(({ key }) => isScalar(key) && String(key.value) === path.at(-1));
      if (isNode(pair?.key)) return pair.key.range?.[0] ?? 0;
    }
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node)) return node.range?.[0] ?? 0;
  }
  return document.contents?.range?.[0] ?? 0;
}
