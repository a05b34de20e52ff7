// Documents of Firestore as people read them: every type of value, with types that JSON lacks as text.

import type { DocumentSnapshot, Timestamp } from '@google-cloud/firestore';
import type { RawDocument, RawMap, RawValue } from '../../contract/rawDocuments.ts';
import type { Client } from './connection.ts';

type Sdk = Client['sdk'];

/** A document that exists. */
export function toRawDocument(sdk: Sdk, snapshot: DocumentSnapshot): RawDocument {
  return {
    path: snapshot.ref.path,
    id: snapshot.id,
    fields: toMap(sdk, snapshot.data() ?? {}),
    createdAt: timestampText(snapshot.createTime as Timestamp),
    updatedAt: timestampText(snapshot.updateTime as Timestamp),
  };
}

function toMap(sdk: Sdk, fields: object): RawMap {
  const entries = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(entries.map(([name, value]) => [name, toValue(sdk, value)]));
}

function toValue(sdk: Sdk, value: unknown): RawValue {
  if (typeof value !== 'object' || value === null) return value as RawValue;
  if (Array.isArray(value)) return value.map((element) => toValue(sdk, element));
  if (value instanceof sdk.Timestamp) return { type: 'timestamp', text: timestampText(value) };
  if (value instanceof Uint8Array) return { type: 'bytes', text: Buffer.from(value).toString('base64') };
  if (value instanceof sdk.DocumentReference) return { type: 'reference', text: value.path };
  if (value instanceof sdk.VectorValue) return { type: 'vector', text: JSON.stringify(value.toArray()) };
  if (value instanceof sdk.GeoPoint) {
    return { type: 'geopoint', text: JSON.stringify([value.latitude, value.longitude]) };
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return toMap(sdk, value);
  return { type: value.constructor.name, text: JSON.stringify(value) };
}

/** As ISO 8601 with milliseconds, and the digits behind them where there are any. */
function timestampText(time: Timestamp): string {
  const belowMilliseconds = String(time.nanoseconds % 1_000_000)
    .padStart(6, '0')
    .replace(/0+$/, '');
  return time.toDate().toISOString().replace('Z', `${belowMilliseconds}Z`);
}
