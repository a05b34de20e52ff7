// The part of a session that waits for room in a budget.

import * as z from 'zod';
import { definePart, readPart } from '../../core/schema/parts.ts';
import type { Session } from '../../core/schema/session.ts';

/** A limit of a budget: of all sessions, or of those of a chain. */
const limitSchema = z.strictObject({ chain: z.string().nullable(), limit: z.int().nonnegative() });

/** The budgets that must have room before the sweep starts the session. It stays after the start. */
export const budgetsPart = definePart(
  'session',
  'budgets',
  z.strictObject({ sessionsPerHour: z.array(limitSchema), dailyTokens: z.array(limitSchema) }),
);
/** The budgets that a session waits for. */
type WaitedBudgets = z.infer<typeof budgetsPart.schema>;

/** The budgets that a deferred session waits for; null for none, and after its start. */
export function readWaitedBudgets(session: Pick<Session, 'deferral' | 'parts'>): WaitedBudgets | null {
  const isWaiting = session.deferral !== null && session.deferral.startedAt === null;
  return (isWaiting && readPart(budgetsPart, session)) || null;
}
