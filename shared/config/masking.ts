// masking.yaml: which rules take secrets out of texts.

import * as z from 'zod';
import type { MaskingRules } from '../masking/masker.ts';
import { MASKING_GROUPS } from '../masking/ruleGroups.ts';
import { KIND } from '../masking/scan/maskMarks.ts';
import { patternFault } from '../masking/userRules.ts';
import { configFile, loadFile } from './configFile.ts';
import { strictMapping } from './fields.ts';

/** A shorter text occurs in many others. */
const LONG_ENOUGH = /^.{4,}$/s;
const MAX_ENTRIES = 200;

const pattern = z
  .string()
  .min(1)
  .max(1000)
  .superRefine((text, context) => {
    const fault = patternFault(text);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  });

const rule = strictMapping({
  kind: z
    .string()
    .regex(
      KIND,
      'must start with a lowercase letter and hold only lowercase letters, digits and "-", at most 41',
    ),
  pattern,
  ignoreCase: z.boolean().default(false),
});

const list = (entry: z.ZodString) => z.array(entry.max(1000)).max(MAX_ENTRIES).default([]);

/** masking.yaml. Every field is optional. */
export const maskingFileSchema = strictMapping({
  off: z.array(z.enum(MASKING_GROUPS)).default([]),
  never: list(z.string().regex(LONG_ENOUGH, 'must have at least 4 characters')),
  neverKeys: list(
    z.string().regex(/^[\w.-]+$/, 'must be the name of a key: letters, digits, "_", "-" and "."'),
  ),
  rules: z.array(rule).max(MAX_ENTRIES).default([]),
});

/** Loads only masking.yaml; the default rules if it is missing. @throws ConfigError with every fault. */
export function loadMasking(folder: string): MaskingRules {
  return loadFile(configFile({ name: 'masking', schema: () => maskingFileSchema }), folder);
}
