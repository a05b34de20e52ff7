// The part of a session with its alert.

import { definePart, readPart, type WithParts } from './parts.ts';
import { type Alert, alertSchema } from './session.ts';

/** The alert as its adapter parsed it. A session that a question opened has none. */
export const alertPart = definePart('session', 'alert', alertSchema);

/** The alert of a session; null without one, and without a session. */
export const readSessionAlert = (session: WithParts | undefined): Alert | null =>
  (session && readPart(alertPart, session)) ?? null;
