// The part of a session that states why it has its chain.

import * as z from 'zod';
import { openSet } from '../../core/schema/common.ts';
import { definePart } from '../../core/schema/parts.ts';

/**
 * How the chain of a session was selected: by its message's attribute `chain`, by a rule of the chain, or by
 * default.
 */
type RoutedBy = 'message' | 'rule' | 'default';

/** Why a session has its chain. */
const routingSchema = z.strictObject({
  by: openSet<RoutedBy>(),
  /** The rule of the chain that matched the alert, from 1; null if none did. */
  rule: z.int().positive().nullable(),
  /** A sentence for people. */
  text: z.string().min(1),
});
/** Why a session has its chain. */
export type Routing = z.infer<typeof routingSchema>;

/** Why a session has its chain. Sessions that a question opened have no such part. */
export const routingPart = definePart('session', 'routing', routingSchema);
