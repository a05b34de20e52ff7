// Describes the issues that zod finds in a value, in plain words for the author of the value. Pure.

import type * as z from 'zod';
import { quoteText } from './cut.ts';
import { describeExpected } from './suggest.ts';

/** Removes secrets from a text. */
type Mask = (text: string) => string;

/** Longest value that is quoted, in characters. */
const MAX_QUOTE = 60;

/** A value as a fault quotes it: without secrets and not too long. */
export function quoteFound(found: string, mask: Mask): string {
  return quoteText(mask(found), MAX_QUOTE);
}

/**
 * An issue in words, without its place: the fault, and where it helps the remedy.
 * @param found the value there; undefined where it is missing.
 * @param mask removes secrets from a value before it is quoted. Default: it is quoted as it is.
 */
export function describeIssue(issue: z.core.$ZodIssue, found: unknown, mask: Mask = (text) => text): string {
  switch (issue.code) {
    case 'invalid_type': {
      const expected = TYPE_WORDS[issue.expected] ?? issue.expected;
      if (found === undefined) return `is missing; expected ${expected}`;
      if (issue.expected === 'int' && typeof found === 'number') return 'must be a whole number';
      const quotes = issue.expected === 'string' && typeof found !== 'object' ? '; put it in quotes' : '';
      return `must be ${expected}, not ${typeWord(found)}${quotes}`;
    }
    case 'invalid_value':
      return unknownValue(found, issue.values.map(String), mask);
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options)
        ? unknownValue(found, issue.options.map(String), mask)
        : (noneOfTypes(issue.errors, found) ?? ownWords(issue) ?? eachBranch(issue.errors, found, mask));
    case 'invalid_key':
      return issue.issues[0] === undefined ? UNFIT : describeIssue(issue.issues[0], '', mask);
    case 'invalid_format':
      return ownWords(issue) ?? `must be ${FORMAT_WORDS[issue.format] ?? formText(issue)}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'too_small':
      if (issue.origin === 'string')
        return issue.minimum > 1 ? `must have at least ${issue.minimum} characters` : 'must not be empty';
      if (issue.origin === 'array') return `must hold at least ${issue.minimum}`;
      return `must be ${issue.inclusive === false ? 'above' : 'at least'} ${issue.minimum}`;
    case 'too_big':
      if (issue.origin === 'string') return `must be at most ${issue.maximum} characters long`;
      if (issue.origin === 'array') return `must hold at most ${issue.maximum}`;
      return `must be at most ${issue.maximum}`;
    default:
      return ownWords(issue) ?? UNFIT;
  }
}

const UNFIT = 'does not have the expected form';

/** The message of an issue, unless it is one of zod's own; those are for programmers. */
function ownWords({ message }: z.core.$ZodIssue): string | undefined {
  return /^(?:Invalid|Unrecognized|Too (?:small|big)|No matching) ?/.test(message) ? undefined : message;
}

function formText({
  pattern,
  prefix,
  suffix,
  includes,
}: z.core.$ZodIssueInvalidStringFormat & FormatParts): string {
  if (prefix !== undefined) return `a text that starts with "${prefix}"`;
  if (suffix !== undefined) return `a text that ends with "${suffix}"`;
  if (includes !== undefined) return `a text with "${includes}"`;
  return pattern === undefined ? 'of another form' : `a text of the form ${pattern}`;
}

/** Each alternative of a union in words. */
function eachBranch(branches: readonly (readonly z.core.$ZodIssue[])[], found: unknown, mask: Mask): string {
  const words = branches.flatMap(([first]) =>
    first === undefined ? [] : [describeIssue(first, valueAt(found, first.path), mask)],
  );
  return words.length === 0 ? UNFIT : [...new Set(words)].join('; or ');
}

/** The first fault that zod finds in a file, with its place. @param value the file as it was parsed. */
export function firstFault({ issues: [first] }: z.core.$ZodError, value: unknown): string {
  return first === undefined ? UNFIT : placedIssue(first, value, 'the file');
}

/**
 * Parses a value that other programs wrote.
 * @param where names the value in the error: a file, or the address that answered it.
 * @throws Error with the place and the fault in words.
 */
export function parseAs<S extends z.ZodType>(schema: S, value: unknown, where: string): z.output<S> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new Error(`${where}: ${firstFault(read.error, value)}`);
}

/** The fault of a thrown error of zod, whose value is not known; undefined for any other error. */
export function thrownFault(error: unknown): string | undefined {
  if (!(error instanceof Error && error.name === 'ZodError' && 'issues' in error)) return undefined;
  const [first] = error.issues as z.core.$ZodIssue[];
  return `${first?.path.join('.') || 'a value'} ${UNFIT}`;
}

/** An issue in words behind its place. @param value the whole value. @param top names the value itself. */
export function placedIssue(found: z.core.$ZodIssue, value: unknown, top: string): string {
  const issue = innerIssue(found);
  const place = issue.path.join('.') || top;
  if (issue.code === 'unrecognized_keys') return `${place}: unknown key ${issue.keys[0]}; remove it`;
  return `${place}: ${ownWords(issue) ?? describeIssue(issue, valueAt(value, issue.path))}`;
}

/** The issue in the only alternative of a union that fits the type, else the issue itself. */
export function innerIssue(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union' || issue.message !== 'Invalid input') return issue;
  const fitting = issue.errors.filter(([first]) => first?.code !== 'invalid_type' || first.path.length > 0);
  // A fault below the value is one of the alternative that fits it: the others do not look that deep.
  const deep = fitting.filter(([first]) => (first?.path.length ?? 0) > 0);
  const found = deep.length === 1 ? deep : fitting;
  const [first] = found[0] ?? [];
  if (first === undefined || found.length > 1) return issue;
  return innerIssue({ ...first, path: [...issue.path, ...first.path] });
}

/** That the value has none of the types of a union; undefined where the union fails for another reason. */
function noneOfTypes(branches: readonly (readonly z.core.$ZodIssue[])[], found: unknown): string | undefined {
  const types = branches.map(([issue]) =>
    issue?.code === 'invalid_type' && issue.path.length === 0 ? issue.expected : undefined,
  );
  if (found === undefined || types.includes(undefined)) return undefined;
  const words = types.flatMap((type) =>
    type === undefined || type === 'null' || type === 'undefined' ? [] : [TYPE_WORDS[type] ?? type],
  );
  return `must be ${words.join(' or ')}, not ${typeWord(found)}`;
}

function unknownValue(found: unknown, known: string[], mask: Mask): string {
  if (found === undefined) return `is missing; ${describeExpected('', known)}`;
  if (typeof found !== 'string')
    return `must be text, not ${typeWord(found)}; ${describeExpected('', known)}`;
  return `unknown value "${quoteFound(found, mask)}"; ${describeExpected(found, known)}`;
}

const TYPE_WORDS: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
  null: 'empty',
  never: 'left out',
  date: 'a time',
};

/** Formats of zod. */
const FORMAT_WORDS: Record<string, string> = {
  email: 'an e-mail address',
  url: 'a URL',
  uuid: 'a UUID',
  datetime: 'a time, such as 2026-11-20T10:01:00Z',
  date: 'a date, such as 2026-11-20',
};

/** What a format compares with. */
interface FormatParts {
  prefix?: string;
  suffix?: string;
  includes?: string;
}

function typeWord(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'boolean') return String(value);
  return TYPE_WORDS[typeof value] ?? typeof value;
}

/** The value at a path below another value; undefined where there is none. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const segment of path) {
    if (current === null || typeof current !== 'object' || !Object.hasOwn(current, segment)) return undefined;
    current = (current as Record<PropertyKey, unknown>)[segment];
  }
  return current;
}
