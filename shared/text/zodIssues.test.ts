import { expect, it } from 'vitest';
import * as z from 'zod';
import { describeIssue, innerIssue, parseAs, thrownFault, valueAt } from './zodIssues.ts';

it.each<[z.ZodType, unknown, string]>([
  [z.email(), 'x', 'must be an e-mail address'],
  [z.url(), 'x', 'must be a URL'],
  [z.iso.datetime(), 'x', 'must be a time, such as 2026-11-20T10:01:00Z'],
  [z.string().regex(/^a+$/), 'x', 'must be a text of the form /^a+$/'],
  [z.string().startsWith('https://'), 'x', 'must be a text that starts with "https://"'],
  [z.string().endsWith('.md'), 'x', 'must be a text that ends with ".md"'],
  [z.string().includes('@'), 'x', 'must be a text with "@"'],
  [z.string().regex(/^a+$/, 'must have letters a only'), 'x', 'must have letters a only'],
  [z.string().min(3), 'x', 'must have at least 3 characters'],
  [z.string().min(1), '', 'must not be empty'],
  [z.number().multipleOf(5), 3, 'must be a multiple of 5'],
  [z.string().refine(() => false), 'x', 'does not have the expected form'],
  [
    z.union([z.string().min(3), z.email()]),
    'x',
    'must have at least 3 characters; or must be an e-mail address',
  ],
  [z.union([z.string(), z.number()]), true, 'must be text or a number, not true'],
  [z.record(z.email(), z.string()), { x: 'y' }, 'must be an e-mail address'],
  [z.null(), 'x', 'must be empty, not text'],
])('an issue of a schema is described without words of zod (case %#)', (schema, value, words) => {
  const [first] = schema.safeParse(value).error?.issues ?? [];
  const issue = first && innerIssue(first);
  expect(issue && describeIssue(issue, valueAt(value, issue.path))).toBe(words);
});

it('a value of another program is refused with its place and the fault in words', () => {
  const schema = z.object({ groups: z.array(z.object({ name: z.string() })) });
  const value = { groups: [{ name: 7 }] };
  expect(() => parseAs(schema, value, 'http://am/api')).toThrow(
    'http://am/api: groups.0.name: must be text, not a number; put it in quotes',
  );
  expect(parseAs(schema, { groups: [] }, 'x')).toEqual({ groups: [] });
});

it('a thrown error of zod is put in words, and no other one', () => {
  const { error } = z.object({ a: z.string() }).safeParse({ a: 1 });
  expect(thrownFault(error)).toBe('a does not have the expected form');
  expect(thrownFault(new Error('issues'))).toBeUndefined();
});
