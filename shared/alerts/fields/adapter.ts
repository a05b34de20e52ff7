// The contract of an alert adapter, which reads the payloads of one source.
// A new source needs one file in adapters/, its line in adapters.ts, and its row in sources.ts.

import type { Alert, AlertLink } from '../schema/alert.ts';

/** One alert of a group, as its source wrote it. */
export interface MemberFacts {
  /** Its name; undefined if the source gives none. */
  title: string | undefined;
  /** Its own status, which can differ from that of the group. */
  status: Alert['status'];
  /** As the source spells it; undefined if there is none. */
  severity: string | undefined;
  /** Equal in all messages about this alert of the group. */
  identity: string | undefined;
  /** The start of the problem; null if the source gives none. */
  startedAt: Date | null;
}

/**
 * The fields that an adapter read, unchanged: cleanAlertText.ts limits lengths and removes control
 * characters.
 */
export interface AlertFacts {
  /** The name of the problem; undefined if the source gives none. */
  title: string | undefined;
  /** The alerts of a group by status, such as `2 firing, 1 resolved`; undefined for a single alert. */
  counts: string | undefined;
  /** The status of the problem at the source. */
  status: Alert['status'];
  /** Of a group the worst of the alerts that are not resolved. */
  severity: string | undefined;
  /** Equal in all messages about one problem, including the one that resolves it; undefined without one. */
  identity: string | undefined;
  /** Describes the problem in a few sentences. */
  summary: string | undefined;
  /** The page of the alert at the source; undefined if there is none. */
  url: string | undefined;
  /** Instructions for people who handle such an alert. */
  runbookUrl: string | undefined;
  /** Further pages about it: dashboards, pictures, policies. */
  links: readonly AlertLink[];
  /** The start of the problem; null if the source gives none. */
  startedAt: Date | null;
  /** When the problem ended, in a resolved message; null if the message has no time. */
  endedAt: Date | null;
  /** Labels by name. Values are unchecked. */
  labels: Record<string, unknown>;
  /** The alerts of a group, in their order; empty for a single alert. */
  members: readonly MemberFacts[];
}

/** The input of an adapter: one payload without its envelopes. */
export interface AlertPayload {
  /** Parsed JSON. */
  payload: unknown;
  /** Attributes of the message and of its envelopes, and headers of webhooks; names in lower case. */
  attributes: Readonly<Record<string, string>>;
  /** When Pub/Sub took the message; null when that is not known. */
  receivedAt: Date | null;
}

/** A field of the alert that an adapter reads. */
export type FactName = keyof Omit<AlertFacts, 'counts' | 'endedAt'>;

/** The places that each field was read from, such as `incident.policy_name`; absent where unknown. */
export type FactPlaces = Partial<Record<FactName, string[]>>;

/** Reads a payload. Paths are names with dots between them, and positions in lists: `alerts.0.labels`. */
export interface FieldReader {
  /** The text of the first path that is not blank; a number counts as text. Undefined without one. */
  text(field: FactName, ...paths: string[]): string | undefined;
  /** The first path with a moment, in any usual spelling; null without one. Noted as the start. */
  start(...paths: string[]): Date | null;
  /** The mapping at a path; an empty one for any other value. */
  map(field: FactName, path: string): Record<string, unknown>;
  /** The list at a path; an empty one for any other value. */
  list(path: string): unknown[];
  /** The text at a path, without noting it for a field. */
  peek(path: string): string | undefined;
  /** The value at a path, whatever it is; undefined when there is none. */
  raw(path: string): unknown;
  /** A reader whose paths start at `path`. */
  within(path: string): FieldReader;
  /** Notes that a field came from `place`. */
  note(field: FactName, place: string): void;
  /** The places that were noted so far. */
  places: FactPlaces;
}

/** Reads the payloads of one source. Neither of its functions ever throws, whatever it is given. */
export interface AlertAdapter {
  /** The `source` of its alerts, which rules of chains name: `cloud-monitoring`. */
  source: string;
  /** Why a payload counts as one of this source, for people; undefined for a payload of another source. */
  recognise(input: AlertPayload): string | undefined;
  /**
   * Reads a payload that `recognise` accepted. Facts that it leaves out are unknown.
   * @param fields reads the payload, and keeps which field of the alert came from where.
   */
  read(fields: FieldReader, input: AlertPayload): Partial<AlertFacts>;
}

/** The facts of an alert without content. */
export const NO_FACTS: AlertFacts = {
  title: undefined,
  counts: undefined,
  status: 'unknown',
  severity: undefined,
  identity: undefined,
  summary: undefined,
  url: undefined,
  runbookUrl: undefined,
  links: [],
  startedAt: null,
  endedAt: null,
  labels: {},
  members: [],
};
