// sessions/{sessionId}/scores/session: what a judge model makes of an ended investigation, written once.

import * as z from 'zod';
import { tokenUsageSchema } from '../../core/schema/common.ts';
import { BELOW_SESSION, defineCollection } from '../../core/schema/defineCollection.ts';
import { judgementSchema } from './judgement.ts';

/** The version of the criteria and their questions. Scores of different versions are not compared. */
export const RUBRIC = 1;

/** The criteria, each with the question that the judge answers. */
export const CRITERIA = {
  evidence: 'Does each claim of the analysis rest on lines that the calls returned?',
  coverage: 'Were the calls made that the alert asked for, and none that could not help?',
  conclusion: 'Does the conclusion follow from the evidence, and does it name what stayed open?',
  action: 'Can a person act on the analysis at once, and safely?',
} as const;

/** The most points of a criterion: four of them make 100. */
export const MAX_POINTS = 25;
const points = z.int().min(0).max(MAX_POINTS);

/** The points of an answer, and its faults. */
export const scoreAnswerSchema = judgementSchema.extend({
  points: z.strictObject({ evidence: points, coverage: points, conclusion: points, action: points }),
});

/** A score. It is never changed. */
export const sessionScoreSchema = z.strictObject({
  sessionId: z.string().min(1),
  rubric: z.int().positive().describe('The version of the criteria'),
  provider: z.string(),
  model: z.string(),
  ...scoreAnswerSchema.shape,
  /** Longer than in an answer: masking can lengthen texts. */
  reason: z.string(),
  missingTools: z.array(z.string()),
  unclearTools: z.array(z.string()),
  total: z.int().min(0).max(100).describe('The sum of the points'),
  tokens: tokenUsageSchema.nullable().describe('Null if the provider reported none'),
  by: z.string().describe('Who requested it'),
  expireAt: z.date(),
  createdAt: z.date(),
});
/** A score. */
export type SessionScore = z.infer<typeof sessionScoreSchema>;

export const sessionScoreType = defineCollection({
  collection: 'scores',
  name: 'score',
  schema: sessionScoreSchema,
  paths: { score: (sessionId: string) => `sessions/${sessionId}/scores/session` },
  ...BELOW_SESSION,
});
