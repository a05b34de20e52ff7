// The opinion of a judge model about a run.

import * as z from 'zod';

/** The faults that a judge can name. */
export const FAULTS = [
  ...(['premature_conclusion', 'missed_tool', 'unsupported_confidence'] as const),
  ...(['incomplete_evidence', 'hallucinated_evidence', 'wrong_conclusion'] as const),
] as const;

const names = { type: 'array', items: { type: 'string' } };

/** The form of a judge's answer, as JSON Schema. */
export const FAULT_FORM = {
  type: 'object',
  properties: {
    faults: { type: 'array', items: { type: 'string', enum: [...FAULTS] } },
    missingTools: names,
    unclearTools: names,
    reason: { type: 'string' },
  },
  required: ['faults', 'missingTools', 'unclearTools', 'reason'],
};

/** An answer of a judge. */
export const judgementSchema = z.strictObject({
  faults: z.array(z.enum(FAULTS)).max(FAULTS.length),
  /** Tools that would have helped, and tools whose description is unclear. */
  missingTools: z.array(z.string().max(200)).max(10),
  unclearTools: z.array(z.string().max(200)).max(10),
  reason: z.string().max(2_000),
});
/** The opinion of a judge about a run. */
export interface Judgement extends z.infer<typeof judgementSchema> {
  model: string;
}
