// enrich.yaml: tables that add labels to an alert (owner, tier, runbook, channel) before its triage.

import path from 'node:path';
import * as z from 'zod';
import { runbookKeySchema } from '../alerts/schema/usedRunbook.ts';
import { eachOnce, oneOrMany, strictMapping } from './fields.ts';

/** Each costs every alert a look-up, and a table in Firestore a read. */
const MAX_LOOKUPS = 10;
const MAX_KEYS = 5;
const MAX_VALUES = 20;

/** The name of a label as alerts have it. */
const label = z
  .string()
  .regex(
    /^[A-Za-z][\w./-]{0,99}$/,
    'must be the name of a label: a letter, then letters, digits, "_", "-", "." and "/", at most 100',
  );

/** A file of the folder enrich/, without a path, so that no other file is read. */
const fileName = z
  .string()
  .refine(
    (name) => path.basename(name) === name && /^[\w][\w.-]*\.(?:csv|yaml)$/.test(name),
    'must be the name of a .csv or .yaml file in the folder enrich/',
  );

const lookup = strictMapping({
  /** The labels whose values find a row; all of them must be there. */
  by: oneOrMany(label, MAX_KEYS),
  /** The labels that the row sets: columns of the table. */
  set: z.array(label).min(1).max(MAX_VALUES).superRefine(eachOnce),
  file: fileName.optional(),
  /** A table that `inquest put-enrichment` stores. */
  firestore: runbookKeySchema.optional(),
}).superRefine(({ by, set, file, firestore }, context) => {
  if ((file === undefined) === (firestore === undefined))
    context.addIssue({ code: 'custom', path: [], message: 'needs either file or firestore, not both' });
  const both = set.find((name) => by.includes(name));
  if (both !== undefined)
    context.addIssue({
      code: 'custom',
      path: ['set', set.indexOf(both)],
      message: `"${both}" finds the row; a row cannot set the label that finds it`,
    });
});

/** enrich.yaml. */
export const enrichFileSchema = strictMapping({
  lookups: z.array(lookup).max(MAX_LOOKUPS).default([]),
});
/** The parsed enrich.yaml, without the rows of its files. */
export type EnrichFile = z.output<typeof enrichFileSchema>;
