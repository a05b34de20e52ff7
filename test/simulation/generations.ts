// Code of two releases on one store. Each has its own forms of documents: it refuses those of the newer
// release as the types of the product do, and the newer release upcasts those of the older one.

import { readFileSync } from 'node:fs';
import type { Store, Write } from '../../shared/core/contract/store.ts';
import { type DocumentType, SchemaVersionError } from '../../shared/core/schema/documentType.ts';
import { executionType, sessionType, systemControlType } from '../../shared/lists/documents.ts';
import { asObject } from '../../shared/text/json.ts';
import { matchesShape, pruneTo } from '../schema/matchesShape.ts';
import { toExecution5, toSession7 } from '../schema/olderSession.ts';
import { PINS, parsePins, pinOf } from '../schema/shapes.ts';

type Data = Record<string, unknown>;

/** The forms of documents that code of a release reads and writes. */
export interface Generation {
  /** A type as this code has it. The types of raw documents stay. */
  typeOf<T>(type: DocumentType<T>): DocumentType<T>;
}

/**
 * An upgrade that a run does. `released`: from the documents of the oldest release that is read to those of
 * this code. `next`: from the documents of this code to those of a release in which each document but the
 * pause of the installation has one more version and field; `next_and_control`: in which the pause has, too.
 */
export const UPGRADES = ['released', 'next', 'next_and_control'] as const;
/** An upgrade that a run does. */
export type Upgrade = (typeof UPGRADES)[number];

/** Code of this release. */
const CURRENT: Generation = { typeOf: (type) => type };

const RAW = 'document';
/** The field that each document of the next release has. */
const ADDED = 'addedByNextRelease';

/** Code of the next release. @param kept the types that it has as this code has them. */
const nextRelease = (kept: readonly string[]): Generation => ({
  typeOf(type) {
    if (type.name === RAW) return rawType(type);
    return kept.includes(type.name) ? type : nextType(type);
  },
});

function nextType<T>(type: DocumentType<T>): DocumentType<T> {
  const version = type.version + 1;
  return {
    ...type,
    version,
    encode: (value, path) => ({ ...type.encode(value, path), [ADDED]: 'yes', schemaVersion: version }),
    decode(data, path) {
      const isNext = data.schemaVersion === version;
      if (isNext && data[ADDED] !== 'yes') return type.decode({ schemaVersion: type.version }, path);
      return type.decode(isNext ? toCurrent(data) : withoutAdded(data), path);
    },
  };
}

/** Callers decode raw documents with a type of this code, which stands for the next release's. */
function rawType<T>(type: DocumentType<T>): DocumentType<T> {
  return { ...type, decode: (data, path) => type.decode(ADDED in data ? toCurrent(data) : data, path) };
}

function toCurrent(data: Data): Data {
  return { ...withoutAdded(data), schemaVersion: Number(data.schemaVersion) - 1 };
}

/** Older code that counts in a document of the next release leaves the field, and its own version. */
function withoutAdded({ [ADDED]: _, ...kept }: Data): Data {
  return kept;
}

/** The fields of documents before they had parts. */
const OLDER: Record<string, (data: Data) => Data> = {
  [sessionType.name]: toSession7,
  [executionType.name]: toExecution5,
};

/** Code of the oldest release that is read: its versions, in the shapes that are pinned for them. */
function oldestReleased(): Generation {
  const pins = parsePins(readFileSync(PINS, 'utf8'));
  return {
    typeOf(type) {
      const version = type.oldest;
      if (version === type.version) return type;
      const shape = pins[pinOf(type.name, version)];
      if (shape === undefined) throw new Error(`${type.name} ${version} has no pin`);
      const isShaped = ({ schemaVersion: _, ...data }: Data) => matchesShape(data, shape);
      return {
        ...type,
        version,
        encode(value, path = `a new ${type.name}`) {
          const encoded = type.encode(value, path);
          const data = asObject(pruneTo(shape, OLDER[type.name]?.(encoded) ?? encoded));
          if (!isShaped(data))
            throw new Error(`${path} has not the shape of ${type.name} ${version}; rewrite it here`);
          return { ...data, schemaVersion: version };
        },
        decode(data, path) {
          // The type itself refuses both, so that one that returns its errors does so.
          if (Number(data.schemaVersion) > version)
            return type.decode({ ...data, schemaVersion: type.version + 1 }, path);
          const isBroken = data.schemaVersion === version && !isShaped(data);
          return type.decode(isBroken ? { schemaVersion: type.version } : data, path);
        },
      };
    },
  };
}

const GENERATIONS: Record<Upgrade, { older: Generation; newer: Generation }> = {
  released: { older: oldestReleased(), newer: CURRENT },
  next: { older: CURRENT, newer: nextRelease([systemControlType.name]) },
  next_and_control: { older: CURRENT, newer: nextRelease([]) },
};

/** The code of both sides of an upgrade. */
export const generationsOf = (upgrade: Upgrade) => GENERATIONS[upgrade];

/**
 * A store as code of a release uses it.
 * @param onTooNew called when the code refuses a document because it is newer.
 */
export function storeOf<S extends Store>(
  store: S,
  { typeOf }: Generation,
  onTooNew: () => void = () => {},
): S {
  const reading = <T>(type: DocumentType<T>): DocumentType<T> => {
    const own = typeOf(type);
    return {
      ...own,
      decode(data, path) {
        try {
          return own.decode(data, path);
        } catch (error) {
          if (error instanceof SchemaVersionError) onTooNew();
          throw error;
        }
      },
    };
  };
  const writing = (write: Write): Write => ({ ...write, type: typeOf(write.type) });
  return {
    ...store,
    get: (path, type) => store.get(path, reading(type)),
    list: (query, type) => store.list(query, reading(type)),
    find: (query, type) => store.find(query, reading(type)),
    findNearest: (query, type) => store.findNearest(query, reading(type)),
    commit: (writes) => store.commit(writes.map(writing)),
    increment: (path, type, value, field) => store.increment(path, typeOf(type), value, field),
    incrementAll: (path, type, value, fields) => store.incrementAll(path, typeOf(type), value, fields),
  };
}
