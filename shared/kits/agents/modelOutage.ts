// modelOutages/{provider~model}: whether a model answers, for all instances. Written when executions start to
// wait for it, and when it answers again.

import * as z from 'zod';
import type { ModelSettings } from '../../core/schema/agent.ts';
import { defineCollection } from '../../core/schema/defineCollection.ts';
import { definePart } from '../../core/schema/parts.ts';

/**
 * How long waits for models extended the deadlines of a session and its questions, in milliseconds, and of
 * this those of questions.
 */
export const modelWaitsPart = definePart(
  'session',
  'modelOutages',
  z.strictObject({ ms: z.int().nonnegative(), questionMs: z.int().nonnegative() }),
);

/** The outage of a model as it is stored. */
const modelOutageSchema = z.strictObject({
  /** `google/gemini-3.8-flash`. */
  model: z.string().min(1),
  /** When executions started to wait for it. */
  since: z.date(),
  /** When it answered again; null while it does not answer. */
  answeredAt: z.date().nullable(),
  expireAt: z.date(),
});
/** The outage of a model. */
export type ModelOutage = z.infer<typeof modelOutageSchema>;

export const modelOutageType = defineCollection({
  collection: 'modelOutages',
  name: 'modelOutage',
  schema: modelOutageSchema,
  paths: { modelOutages: 'modelOutages', modelOutage: (model: string) => `modelOutages/${model}` },
  owner: 'operators',
  erase: { none: 'which models do not answer' },
});

/** The label of a model for people: `google/gemini-3.8-flash`. */
export function modelLabel({ provider, model }: Pick<ModelSettings, 'provider' | 'model'>): string {
  return `${provider}/${model}`;
}
