// Checks a YAML file against a zod schema and reports every fault with its place, in words for the author of the file.

import type * as z from 'zod';
import { isObject } from '../text/json.ts';
import { quoteText } from '../text/quote.ts';
import { type Fault, maskQuoted } from './configError.ts';
import { expectedOneOf } from './suggest.ts';
import { faultAt, type YamlFile, type YamlPath } from './yamlFile.ts';

/** Longest value that is quoted in a fault, in characters. */
const MAX_QUOTE = 60;

/**
 * The parsed value; undefined when there are faults, which are added to `faults`. Also undefined for a file that is not
 * valid YAML, whose faults were reported when it was parsed.
 */
export function validateFile<S extends z.ZodType>(
  yaml: YamlFile,
  schema: S,
  faults: Fault[],
): z.output<S> | undefined {
  if (yaml.value === undefined) return undefined;
  const result = schema.safeParse(yaml.value);
  if (result.success) return result.data;
  const found = result.error.issues.flatMap((issue) => faultsOf(yaml, issue));
  faults.push(...found.sort(inFileOrder));
  return undefined;
}

function inFileOrder(a: Fault, b: Fault): number {
  const [from, to] = [a.position, b.position];
  return from === null || to === null ? 0 : from.line - to.line || from.column - to.column;
}

function isSame(a: Fault['position'], b: Fault['position']): boolean {
  return a !== null && b !== null && a.line === b.line && a.column === b.column;
}

function faultsOf(yaml: YamlFile, issue: z.core.$ZodIssue): Fault[] {
  if (issue.code === 'unrecognized_keys') {
    const expectations = issue.message.split('\n');
    return issue.keys.map((key, index) => {
      const path = [...issue.path, key];
      const fault = faultAt(yaml, path, `unknown key; ${expectations[index]}`, 'key');
      const cut = yaml.cuts.find(({ position }) => isSame(position, fault.position));
      return cut === undefined ? fault : { ...fault, message: cut.message };
    });
  }
  const what = issue.code === 'invalid_key' ? 'key' : 'value';
  const found = valueAt(yaml.value, issue.path);
  const fault = faultAt(yaml, issue.path, describeIssue(issue, found) + notationHint(issue, found), what);
  const unknownStrategy = issue.code === 'invalid_value' && issue.path.at(-1) === 'strategy';
  if (unknownStrategy) fault.code = 'CONFIG_UNKNOWN_STRATEGY';
  return [fault];
}

/** How to write a list or a text where a mapping is expected, for places where people mistake them. */
function notationHint(issue: z.core.$ZodIssue, found: unknown): string {
  if (issue.code !== 'invalid_type' || !['object', 'record'].includes(issue.expected)) return '';
  const [top, second] = issue.path;
  if (top === 'chains' && issue.path.length === 2 && Array.isArray(found))
    return '; put this list under a key "stages"';
  if (Array.isArray(found)) return found.every(isObject) ? '; write its keys without "- "' : '';
  const isTool = top === 'json_schema_extra' && second === 'tools' && typeof found === 'string';
  return isTool ? `; write { name: ${quoteText(maskQuoted(found), MAX_QUOTE)} }` : '';
}

function describeIssue(issue: z.core.$ZodIssue, found: unknown): string {
  switch (issue.code) {
    case 'invalid_type': {
      const expected = TYPE_WORDS[issue.expected] ?? issue.expected;
      if (found === undefined) return `is missing; expected ${expected}`;
      if (issue.expected === 'int' && typeof found === 'number') return 'must be a whole number';
      const quotes = issue.expected === 'string' && typeof found !== 'object' ? '; put it in quotes' : '';
      return `must be ${expected}, not ${typeWord(found)}${quotes}`;
    }
    case 'invalid_value':
      return unknownValue(found, issue.values.map(String));
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options)
        ? unknownValue(found, issue.options.map(String))
        : issue.message;
    case 'invalid_key':
      return issue.issues[0]?.message ?? issue.message;
    case 'too_small':
      if (issue.origin === 'string') return 'must not be empty';
      if (issue.origin === 'array') return `must hold at least ${issue.minimum}`;
      return `must be ${issue.inclusive === false ? 'above' : 'at least'} ${issue.minimum}`;
    case 'too_big':
      if (issue.origin === 'string') return `must be at most ${issue.maximum} characters long`;
      if (issue.origin === 'array') return `must hold at most ${issue.maximum}`;
      return `must be at most ${issue.maximum}`;
    default:
      return issue.message;
  }
}

function unknownValue(found: unknown, known: string[]): string {
  if (found === undefined) return `is missing; ${expectedOneOf('', known)}`;
  if (typeof found !== 'string') return `must be text, not ${typeWord(found)}; ${expectedOneOf('', known)}`;
  return `unknown value "${quoteText(maskQuoted(found), MAX_QUOTE)}"; ${expectedOneOf(found, known)}`;
}

const TYPE_WORDS: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
};

function typeWord(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'boolean') return String(value);
  return TYPE_WORDS[typeof value] ?? typeof value;
}

function valueAt(value: unknown, path: YamlPath): unknown {
  let current = value;
  for (const segment of path) {
    if (current === null || typeof current !== 'object' || !Object.hasOwn(current, segment)) return undefined;
    current = (current as Record<PropertyKey, unknown>)[segment];
  }
  return current;
}
