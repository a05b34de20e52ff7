// The part of a session with the settings of its latest request with a question.

import * as z from 'zod';
import { definePart } from '../../../core/schema/parts.ts';

/** The settings of a request with a question, in addition to tenant and user. */
const requestContextSchema = z.strictObject({
  /** The agent that answers; null for the agent of the chain. */
  agent: z.string().min(1).nullable(),
  /** A model of models.yaml; null for the model of the agent. */
  model: z.string().min(1).nullable(),
  /** The program that sends the request. */
  clientId: z.string().min(1).nullable(),
  /** Whether the request comes from an evaluation, not from a person. */
  isEval: z.boolean(),
});
/** The settings of a request with a question, in addition to tenant and user. */
export type RequestContext = z.infer<typeof requestContextSchema>;

/** The settings in the headers of the latest request with a question. */
export const requestPart = definePart('session', 'request', requestContextSchema);
