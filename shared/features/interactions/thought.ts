// thoughts/{submission}: a question at Google whose answer no process waits for. It has the id of its
// interaction, by whichever way that came first, until the interaction is deleted at Google.

import * as z from 'zod';
import { createDocument, putDocument, type Write } from '../../core/contract/store.ts';
import { defineCollection } from '../../core/schema/defineCollection.ts';
import type { Execution } from '../../core/schema/execution.ts';
import { definePart, readPart } from '../../core/schema/parts.ts';

/** A question whose id never came is asked again after this time, at least that of the longest thought. */
export const ORPHAN_WAIT_MS = 20 * 60_000;

/** The time limit of a request that deletes a question at Google. */
export const REMOVE_MS = 10_000;
/** Webhooks are repeated for a day: until then one can bring the id of a question whose process died. */
export const WEBHOOKS_MS = 25 * 3_600_000;

/** A question at Google. */
const thoughtSchema = z.strictObject({
  sessionId: z.string().min(1),
  executionId: z.string().min(1),
  iteration: z.int().positive(),
  /** The id at Google; null until the answer to the submission or a webhook brings it. */
  interactionId: z.string().min(1).nullable(),
  /** When the sweep looks whether somebody still waits for it. */
  dueAt: z.date(),
  createdAt: z.date(),
  expireAt: z.date(),
});
/** A question at Google. */
export type Thought = z.infer<typeof thoughtSchema>;

export const thoughtType = defineCollection({
  collection: 'thoughts',
  name: 'thought',
  schema: thoughtSchema,
  paths: { thoughts: 'thoughts', thought: (submissionId: string) => `thoughts/${submissionId}` },
  owner: 'session',
  erase: 'field',
  indexes: { fields: ['sessionId'], group: ['dueAt'] },
});

/** The question of an execution's iteration. */
const questionSchema = z.strictObject({
  /** The iteration that asks. Another one has another question. */
  iteration: z.int().positive(),
  /** Why the request makes the agent conclude; null for an ordinary one. */
  conclusion: z.string().nullable(),
  /** The thought; null after a failure, and before the question is asked again. */
  submissionId: z.string().min(1).nullable(),
  /** The id at Google; null while only the thought can have it. */
  interactionId: z.string().min(1).nullable(),
  submittedAt: z.date(),
  /** Number of submissions. */
  asked: z.int().nonnegative(),
  /** The tokens that are reserved for it. */
  held: z.strictObject({ window: z.string().min(1), tokens: z.int().nonnegative() }).nullable(),
});
/** The question of an execution's iteration. */
export type Question = z.infer<typeof questionSchema>;

export const questionPart = definePart('execution', 'interactions', questionSchema);

/** The question of the current iteration; undefined if the model was not asked, or has answered. */
export function readQuestion(execution: Execution): Question | undefined {
  const question = readPart(questionPart, execution);
  const isAnswered = execution.pendingCalls.length > 0;
  return question?.iteration === execution.iteration && !isAnswered ? question : undefined;
}

/** The write of a thought. It is created once; `put` adds the id. */
export function thoughtWrite(
  op: 'create' | 'put',
  { sessionId, executionId, iteration, expireAt }: Execution,
  { submissionId, interactionId, submittedAt: createdAt }: Question & { submissionId: string },
  dueAt: Date,
): Write {
  const path = thoughtType.paths.thought(submissionId);
  const value: Thought = { sessionId, executionId, iteration, interactionId, dueAt, createdAt, expireAt };
  return op === 'create' ? createDocument(path, thoughtType, value) : putDocument(path, thoughtType, value);
}
