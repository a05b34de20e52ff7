// The alert of a session as it is stored, with its original body.

import * as z from 'zod';
import { alertBodyType, alertSchema, readSessionAlert } from '../../alerts/schema/alert.ts';
import type { Store } from '../../core/contract/store.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { readableType, unreadableSchema } from '../../core/schema/readable.ts';
import { frameMarkHider } from './messageView.ts';

/** An alert with a part of its body. */
export const alertViewSchema = z.strictObject({
  /** As it was stored, masked. */
  alert: alertSchema,
  promptText: z.string().describe('The alert as agents see it, cut at a limit'),
  body: z.string().describe('The body, with base64 decoded'),
  /** From 1. */
  part: z.int(),
  parts: z.int(),
  /** The document of the part if it cannot be read; `body` is empty then. */
  unreadable: unreadableSchema,
});
type AlertView = z.infer<typeof alertViewSchema>;

/**
 * Reads the alert of a session, with part `part` of its body, from 1.
 * @returns undefined when there is no session, no alert or no such part.
 * @throws RetryableError when the store fails; as `DocumentType.decode` for the document of the session.
 */
export async function readAlert(
  sessionId: string,
  part: number,
  store: Store,
): Promise<AlertView | undefined> {
  const [session, bodies] = await Promise.all([
    store.get(paths.session(sessionId), sessionType),
    store.list({ collection: alertBodyType.paths.alertBodies(sessionId) }, readableType(alertBodyType)),
  ]);
  const body = bodies[part - 1]?.value;
  const { input = null } = session?.value ?? {};
  const alert = readSessionAlert(session?.value);
  if (session === undefined || alert === null || body === undefined) return undefined;
  const hide = frameMarkHider(session.value);
  return {
    alert,
    promptText: hide(input ?? ''),
    body: body.value?.text ?? '',
    part,
    parts: bodies.length,
    unreadable: body.unreadable === undefined ? [] : [body.unreadable],
  };
}
