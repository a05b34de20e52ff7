// The fields of a skill, as files and programs define them.

import * as z from 'zod';
import type { Skill } from '../core/contract/skills.ts';
import { firstFault } from '../text/zodIssues.ts';

/** UTF-8 bytes of one skill: a loaded skill is repeated in every later request. */
export const MAX_SKILL_BYTES = 64_000;
const MAX_ALLOWED = 100;

/** A name of a skill. */
export const skillName = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must have lower-case letters, digits and single hyphens only');

/** When to use it. */
export const skillDescription = z.string().trim().min(1).max(1024);

/** The tools that run after it was loaded. */
export const allowedToolNames = z
  .array(
    z
      .string()
      .regex(
        /^[^*\s]+\*?$/,
        'must be the name of a server or a tool, or a prefix and "*": kubernetes, kubernetes.get_*',
      ),
  )
  .max(MAX_ALLOWED);

const skillSchema = z.strictObject({
  name: skillName,
  description: skillDescription,
  text: z
    .string()
    .refine((text) => text.trim() !== '', 'is empty; write the instructions')
    .refine(
      (text) => Buffer.byteLength(text) <= MAX_SKILL_BYTES,
      `must have at most ${MAX_SKILL_BYTES} bytes`,
    ),
  allowedTools: allowedToolNames.optional(),
});

/** The fault of a skill of a program; undefined if there is none. */
export function skillFault(skill: Skill): string | undefined {
  const read = skillSchema.safeParse(skill);
  return read.success ? undefined : firstFault(read.error, skill);
}
