// The contract of an alert adapter: it recognises the payloads of one source and says what they mean.
// Adding a source is adding one file, and one line in index.ts.

import type { Alert } from '../schema/session.ts';

/**
 * What an adapter read, as the source wrote it. Lengths, line breaks and odd characters are dealt with afterwards,
 * in one place (clean.ts).
 */
export interface AlertFacts {
  source: string;
  title: string | undefined;
  status: Alert['status'];
  severity: string | undefined;
  /** The same for every message about the same problem, also the one that says it is over. */
  identity: string | undefined;
  summary: string | undefined;
  url: string | undefined;
  startedAt: Date | null;
  labels: Record<string, unknown>;
}

/** Reads a parsed JSON body; undefined when it is not of this source. Never throws. */
export type AlertAdapter = (payload: unknown) => AlertFacts | undefined;
