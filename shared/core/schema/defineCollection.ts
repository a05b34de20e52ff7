// A collection is one row beside the schema of its documents: their type, paths, owner, erasure, expiry and
// indexes.

import type * as z from 'zod';
import { type DocumentType, documentType, type OlderVersion } from './documentType.ts';

/** How the tenant of a document is known. */
type Ownership =
  /** Its field `tenantId` names the tenant. */
  | 'tenant'
  /** It belongs to the tenant of the session in its field `sessionId`. */
  | 'session'
  /** Its path leads through a session, to whose tenant it belongs. */
  | 'below'
  /** It belongs to the installation: every tenant reads it, operators write it. */
  | 'shared'
  /** It belongs to the installation: only operators read and write it. */
  | 'operators'
  /** As `operators`, but the usage of tenants is counted in it. */
  | 'counted';

/** How the documents of a collection that belong to a session are found. */
type Place =
  /** Below the session: deleted with everything else that is there. */
  | 'below'
  /** Their field `sessionId` names the session. */
  | 'field'
  /** The session's entry in the knowledge base. */
  | 'entry'
  /** The stored answer of a request of the tenant contains the id of the session, or the key of its alert. */
  | 'answer'
  /** Lists alerts of several sessions: the entries of the session are removed. */
  | 'list'
  /** Has samples of several tenants' messages: those of the tenant or session are removed. */
  | 'samples'
  /** Belongs to a tenant, and to no session. */
  | 'tenant'
  /** Nothing of a session, or of a tenant, is in it; why. */
  | { none: string };

/** The paths of a collection and of its documents. Each name is unique among all collections. */
type Paths = Record<string, string | ((...parts: never[]) => string)>;

/** What the code knows of a collection besides the type of its documents. */
interface Facts<C extends string = string, P extends Paths = Paths> {
  /** Its id, at any depth: `alertBody`. */
  collection: C;
  paths: P;
  owner: Ownership;
  erase: Place;
  /** A field that names a session that is erased with its own. */
  copies?: string;
  /**
   * False: its documents stay until a person deletes them. Default: a TTL policy deletes them at `expireAt`.
   */
  expires?: false;
  /**
   * The indexes in `firestore.indexes.json`. A field descends after `-`. `npm run update-indexes` writes the
   * file.
   */
  indexes?: {
    /** Fields with an index of the collection. */
    fields?: readonly string[];
    /** Fields with an index of all collections of this id. */
    group?: readonly string[];
    /** Indexes of several fields. */
    composites?: readonly (readonly string[])[];
  };
  /** The dimensions of the fields that the database stores as vectors. */
  dimensions?: Readonly<Record<string, number>>;
}

/** A collection of documents of one type. */
export interface Collection<T = unknown, C extends string = string, P extends Paths = Paths>
  extends DocumentType<T>,
    Facts<C, P> {}

const defined = new Map<string, Collection>();

/**
 * A collection by its id, if its module is loaded. A process that reads documents of a collection has loaded
 * it.
 */
export const findCollection = (id: string): Collection | undefined => defined.get(id);

/** The owner and the erasure of a collection below sessions. */
export const BELOW_SESSION = { owner: 'below', erase: 'below' } as const;
/** The erasure of a collection of counts. */
export const COUNTS_ONLY = { none: 'counts without content, of the whole installation' };
/** The owner, erasure and expiry of a collection that people write. */
export const WRITTEN_BY_PEOPLE = {
  owner: 'shared',
  erase: { none: 'written by people for the whole installation' },
  expires: false,
} as const;

/**
 * Defines a collection, which has a line in `collections.ts`.
 * @param row `name`, `version` (default: 1), `schema`, `oldest` and `upcast` as of `documentType`.
 */
export function defineCollection<S extends z.ZodType, const C extends string, const P extends Paths>({
  name,
  version = 1,
  schema,
  oldest,
  upcast,
  ...facts
}: Facts<C, P> & {
  name: string;
  version?: number;
  schema: S;
} & (OlderVersion | { oldest?: never; upcast?: never })): Collection<z.infer<S>, C, P> {
  const vectors = Object.keys(facts.dimensions ?? {});
  const older = upcast && { oldest, upcast };
  const collection = { ...facts, ...documentType(name, version, schema, older, vectors) };
  defined.set(facts.collection, collection);
  return collection;
}

type AllOf<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer A) => void ? A : never;

/** The paths of several collections together. */
export const joinPaths = <M extends Record<keyof M, Collection>>(types: M): AllOf<M[keyof M]['paths']> =>
  Object.assign({}, ...Object.values<Collection>(types).map((type) => type.paths));
