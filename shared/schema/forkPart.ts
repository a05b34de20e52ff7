// The part of a fork, a session that continues the start of its source, and of its executions.

import * as z from 'zod';
import { definePart, readPart, type WithParts, withPart } from '../core/schema/parts.ts';

/** `recorded`: by stored results. `live`: read-only calls by the servers. */
export const FORK_TOOLS = ['recorded', 'live'] as const;

const forkSchema = z.strictObject({
  /** The session that it was forked from. */
  of: z.string().min(1),
  /** The execution whose conversation it continues, and its first iteration that the fork does not have. */
  executionId: z.string().min(1),
  iteration: z.int().positive(),
  /** The event that it was forked at: `EXECUTION.NUMBER`. */
  event: z.string().min(1),
  /** When the event was stored. */
  at: z.date(),
  tools: z.enum(FORK_TOOLS),
  /** The provider's id of the model of all agents. Absent: their own. */
  model: z.string().min(1).optional(),
  /** The sessions whose results answer equal calls: its source, then the sources of that one. */
  origins: z.array(z.string().min(1)).min(1),
});
/** Where a session was forked, and how its calls are answered. */
export type Fork = z.infer<typeof forkSchema>;

/** The part of a session; none of one that was not forked. */
export const forkPart = definePart('session', 'fork', forkSchema);
/** The same of each of its executions: an iteration reads no session. */
export const executionForkPart = definePart('execution', 'fork', forkSchema);

/** The execution with the fork that another document of its session has. */
export const copyForkPart = <E extends WithParts>(execution: E, document: WithParts): E =>
  withPart(executionForkPart, execution, readPart(executionForkPart, document));
