// The contract of an alert adapter, which reads the payloads of one source.
// A new source needs one file in adapters/ and one line in index.ts.

import type { Alert } from '../schema/session.ts';

/** What an adapter read, as the source wrote it: clean.ts limits lengths and removes odd characters afterwards. */
export interface AlertFacts {
  /** Name of the source, such as `alertmanager`. */
  source: string;
  title: string | undefined;
  /** How many alerts of a group are what, such as `2 firing, 1 resolved`; undefined for a single alert. */
  counts: string | undefined;
  status: Alert['status'];
  /** Of a group the worst of the alerts that are not resolved. */
  severity: string | undefined;
  /** Equal in all messages about the same problem, including the one that resolves it; undefined when there is none. */
  identity: string | undefined;
  summary: string | undefined;
  url: string | undefined;
  /** What people do about such an alert. */
  runbookUrl: string | undefined;
  startedAt: Date | null;
  labels: Record<string, unknown>;
}

/** Reads a parsed JSON body; returns undefined when it is not from this source. Never throws. */
export type AlertAdapter = (payload: unknown) => AlertFacts | undefined;
