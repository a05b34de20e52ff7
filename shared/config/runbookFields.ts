// Schemas of the runbook settings: the runbooks that a chain uses, and the hosts that links can point to.

import * as z from 'zod';
import { runbookKeySchema } from '../alerts/schema/usedRunbook.ts';
import { labelFault } from '../text/labelText.ts';
import { eachOnce, oneOrMany, schemaByValue, strictMapping } from './fields.ts';

/** Stands for the alert's own link in a list of runbooks. */
const LINK = 'link';
const MAX_CHOICES = 50;
const MAX_VALUES = 50;
const MAX_HOSTS = 50;

/** One runbook that a chain can use. */
export type RunbookChoice =
  /** The alert's own link. */
  | { kind: 'link' }
  | {
      kind: 'key';
      /** May hold labels of the alert. */
      key: string;
      /** Values by label, with `*` for any text; without a match of all, the choice is skipped. */
      labels: Readonly<Record<string, readonly string[]>>;
      /** Whether it is known that no file has it. */
      inFirestore: boolean;
    };

/** A key, or one with labels in it, which is checked for each alert. */
const key = z.string().superRefine((text, context) => {
  const isFixed = !text.includes('${');
  const message = isFixed ? runbookKeySchema.safeParse(text).error?.issues[0]?.message : labelFault(text);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
  else if (text === LINK)
    context.addIssue({
      code: 'custom',
      message: `"${LINK}" stands for the alert's own link; choose another key`,
    });
});

const labels = z.record(z.string().min(1).max(200), oneOrMany(z.string().trim().min(1).max(200), MAX_VALUES));

const named = key.transform(
  (text): RunbookChoice => ({ kind: 'key', key: text, labels: {}, inFirestore: false }),
);
const link = z.literal(LINK).transform((): RunbookChoice => ({ kind: LINK }));
const detailed = strictMapping({
  key,
  labels: labels.optional(),
  in: z.literal('firestore').optional(),
}).transform(
  (entry): RunbookChoice => ({
    kind: 'key',
    key: entry.key,
    labels: entry.labels ?? {},
    inFirestore: entry.in === 'firestore',
  }),
);

const choice = schemaByValue<RunbookChoice>((value) => {
  if (value === LINK) return link;
  return typeof value === 'string' ? named : detailed;
});

/** `runbook` of a chain: `off`, a key, `link`, or a list of which the first one that is there is used. */
export const runbookSetting = schemaByValue<RunbookChoice[]>((value) => {
  if (value === 'off') return z.literal('off').transform((): RunbookChoice[] => []);
  return Array.isArray(value)
    ? z.array(choice).min(1).max(MAX_CHOICES)
    : choice.transform((one): RunbookChoice[] => [one]);
});

/** A name below a top-level domain, so that it is no address: `wiki.example.com`, `*.example.com`. */
const HOST = /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/;

/** `runbookHosts` of system.yaml. */
export const runbookHosts = z
  .array(
    z
      .string()
      .max(253)
      .regex(
        HOST,
        'must be the name of a host in lower case, without "https://", port and path: wiki.example.com, or *.example.com',
      ),
  )
  .max(MAX_HOSTS)
  .superRefine(eachOnce);
