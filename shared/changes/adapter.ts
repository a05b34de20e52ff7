// The interface of a change adapter: recognises the messages of one source and reads the changes in them.

import type { AlertPayload } from '../alerts/fields/adapter.ts';
import type { Resource } from '../text/resource.ts';
import type { CHANGE_KINDS, ChangeStatus } from './change.ts';

/** The kind of a change. */
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** A change as its adapter read it, not yet cleaned. */
export interface ChangeFacts {
  /** The same for every message about this change. */
  sourceId: string;
  kind: ChangeKind;
  /** Default: `done`. */
  status?: ChangeStatus | undefined;
  /** The changed thing, or its canonical name. */
  resource: Resource | string;
  title: string;
  actor?: string | undefined;
  /** The state before and after: text, or a value that is stored as JSON. */
  before?: unknown;
  after?: unknown;
  url?: string | undefined;
  /** When it took effect: ISO 8601, seconds or milliseconds since 1970. Absent: when it was published. */
  at?: unknown;
  /** The cloud project that holds the resource, where its name does not state it. */
  project?: string | undefined;
  /** Resources that the change also affects, such as the services of a repository. */
  affects?: readonly (Resource | string)[] | undefined;
  /** Sources whose messages about one resource and moment are one change: `audit-log` for an asset feed. */
  joins?: string | undefined;
}

/** The changes of a message, or why it has none. */
export type ReadChanges = readonly ChangeFacts[] | { ignored: string };

/** An adapter of one source. */
export interface ChangeAdapter {
  /** Its id, stored with changes: `github`. sourceNames.ts has its name for people. */
  source: string;
  /** Why the payload is of this source, for people; undefined if it is not. Pure. */
  recognise(input: AlertPayload): string | undefined;
  /** Reads the changes. Pure. */
  read(input: AlertPayload): ReadChanges;
}

/** A resource of Google Cloud. */
export const gcp = (product: string, ...parts: (string | null | undefined)[]): Resource => ({
  system: 'gcp',
  product,
  parts: parts.map((part) => part ?? null),
});
/** A resource of a Kubernetes cluster. */
export const k8s = (...parts: (string | null | undefined)[]): Resource => ({
  system: 'k8s',
  product: null,
  parts: parts.map((part) => part ?? null),
});
/** A resource with one name. */
export const named = (system: 'service' | 'flag' | 'host', name: string): Resource => ({
  system,
  product: null,
  parts: [name],
});
/** A repository by its full name, `owner/name`. Subgroups belong to the owner. */
export const repository = (fullName: string): Resource => {
  const parts = fullName.split('/');
  return {
    system: 'git',
    product: null,
    parts: [parts.slice(0, -1).join('/') || null, parts.at(-1) ?? null],
  };
};
