// Checks a YAML file against a zod schema and tells every fault with its place, in words for the person who wrote it.

import type * as z from 'zod';
import type { Fault } from './configError.ts';
import { expectedOneOf } from './suggest.ts';
import type { YamlFile, YamlPath } from './yamlFile.ts';

/**
 * The parsed value, or undefined when there are faults. Faults are added to `faults`.
 * An unparsable file (its faults are told already) is undefined too.
 */
export function validate<S extends z.ZodType>(
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

function faultsOf(yaml: YamlFile, issue: z.core.$ZodIssue): Fault[] {
  const { file } = yaml;
  if (issue.code === 'unrecognized_keys') {
    const expectations = issue.message.split('\n');
    return issue.keys.map((key, index) => {
      const path = [...issue.path, key];
      const message = `unknown key; ${expectations[index]}`;
      return { file, position: yaml.position(path, 'key'), path: pathText(path), message };
    });
  }
  const what = issue.code === 'invalid_key' ? 'key' : 'value';
  const found = valueAt(yaml.value, issue.path);
  const fault: Fault = {
    file,
    position: yaml.position(issue.path, what),
    path: pathText(issue.path),
    message: describe(issue, found),
  };
  const unknownStrategy = issue.code === 'invalid_value' && issue.path.at(-1) === 'strategy';
  if (unknownStrategy) fault.code = 'CONFIG_UNKNOWN_STRATEGY';
  return [fault];
}

function describe(issue: z.core.$ZodIssue, found: unknown): string {
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
  return `unknown value "${found.slice(0, 60)}"; ${expectedOneOf(found, known)}`;
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

function pathText(path: YamlPath): string {
  return path
    .map((segment, index) =>
      typeof segment === 'number' ? `[${segment}]` : `${index === 0 ? '' : '.'}${String(segment)}`,
    )
    .join('');
}
