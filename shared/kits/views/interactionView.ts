// Shows people the model calls of a session: time, duration, cost and outcome.

import * as z from 'zod';
import type { Store } from '../../core/contract/store.ts';
import { executionType, interactionType, paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { type Interaction, interactionSchema } from '../../core/schema/interaction.ts';
import { getReadable } from './readable.ts';
import { isAbsent, type Page, readPage, withOwner } from './readPage.ts';

/** A model call. An iteration has one, plus one for each summarized result. */
export const interactionViewSchema = interactionSchema
  .omit({
    sessionId: true,
    thinking: true,
    expireAt: true,
    createdAt: true,
    interactionType: true,
    costUsd: true,
  })
  .extend({
    interactionId: z.string(),
    kind: interactionSchema.shape.interactionType,
    startedAt: z.date(),
    usd: z.number().nullable().describe('Null: its model has no price, or counted no tokens'),
    searchEntryPoint: z
      .string()
      .nullable()
      .describe('Unchecked HTML of search suggestions; show it only in a sandbox'),
  });
type InteractionView = z.infer<typeof interactionViewSchema>;

/** The fields of a call. Its thinking is in timeline and conversation. */
function interactionView(
  interactionId: string,
  {
    sessionId: _,
    thinking: __,
    expireAt: ___,
    createdAt,
    interactionType: kind,
    costUsd,
    ...rest
  }: Interaction,
): InteractionView {
  return { interactionId, kind, startedAt: createdAt, usd: costUsd, ...rest };
}

/**
 * A page of the calls of a session, or of one of its executions.
 * @returns undefined when there is no such session or execution.
 * @throws RetryableError when the store fails; TerminalError for a document that cannot be read.
 */
export async function readInteractions(
  { sessionId, executionId, after }: { sessionId: string; executionId?: string; after?: string | undefined },
  store: Store,
): Promise<Page<InteractionView> | undefined> {
  const owner =
    executionId === undefined
      ? await getReadable(paths.session(sessionId), sessionType, store)
      : await getReadable(paths.execution(sessionId, executionId), executionType, store);
  if (isAbsent(owner)) return undefined;
  const page = await readPage(
    {
      collection: paths.interactions(sessionId),
      type: interactionType,
      ...(executionId !== undefined && { prefix: `${executionId}.` }),
      after,
      show: interactionView,
    },
    store,
  );
  return withOwner(page, owner);
}
