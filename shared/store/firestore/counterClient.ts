// Increments with their results. The SDK's own writes drop the server's results of a transform, so this uses
// the generated client below it, which the SDK has loaded anyway. It has its own connection, made at the
// first call.

import { type Emulator, emulatorSettings, readEmulatorAddress } from '../emulator.ts';
import { topField, valueAt } from '../fieldPath.ts';

type Sdk = Pick<typeof import('./firestoreSdk.ts'), 'v1' | 'credentials'>;

type WireValue = Record<string, unknown>;

/** Increments fields of documents. */
export interface CounterClient {
  /**
   * Adds the integers of `data` to those of a document, adds to its lists the elements that they lack, and
   * sets the other fields. Never retries, because a repetition could count twice.
   * @param fields at the top of the document, or entries of a map there: `reserved.w7`.
   * @returns the new values, in the order of `fields`.
   * @throws the client's errors.
   */
  increment(path: string, data: Record<string, unknown>, fields: readonly string[]): Promise<number[]>;
  /** Releases the connection. */
  close(): Promise<void>;
}

const SERVICE: Emulator = 'firestore';

/** A client for one database. */
export function createCounterClient(
  { v1, credentials }: Sdk,
  { projectId, databaseId = '(default)' }: { projectId: string; databaseId?: string | undefined },
): CounterClient {
  const emulator = readEmulatorAddress(SERVICE, process.env);
  const url = emulator === undefined ? undefined : new URL(`http://${emulator}`);
  const client = new v1.FirestoreClient({
    projectId,
    fallback: false,
    ...emulatorSettings(SERVICE),
    ...(url && { servicePath: url.hostname, port: Number(url.port), sslCreds: credentials.createInsecure() }),
  });
  const database = `projects/${projectId}/databases/${databaseId}`;
  const headers = {
    'google-cloud-resource-prefix': database,
    // As the SDK does it: an emulator takes its caller for an administrator.
    ...(url && { Authorization: 'Bearer owner' }),
  };

  return {
    async increment(path, data, fields) {
      const added = new Set(fields.map(topField));
      const others = Object.fromEntries(Object.entries(data).filter(([name]) => !added.has(name)));
      const lists = Object.entries(others).filter(([, value]) => Array.isArray(value));
      const set = Object.fromEntries(Object.entries(others).filter(([, value]) => !Array.isArray(value)));
      const write = {
        update: { name: `${database}/documents/${path}`, fields: encodeCounterFields(set) },
        updateMask: { fieldPaths: Object.keys(set).map(quoted) },
        updateTransforms: [
          ...fields.map((field) => ({
            fieldPath: field.split('.').map(quoted).join('.'),
            increment: toValue(valueAt(data, field)),
          })),
          ...lists.map(([name, value]) => ({
            fieldPath: quoted(name),
            appendMissingElements: toValue(value).arrayValue as object,
          })),
        ],
      };
      const options = { otherArgs: { headers }, retry: null };
      const [{ writeResults }] = await client.commit({ database, writes: [write] }, options);
      const results = writeResults?.[0]?.transformResults ?? [];
      return fields.map((_, index) => {
        const { integerValue, doubleValue } = results[index] ?? {};
        return Number(integerValue ?? doubleValue);
      });
    },
    close: () => client.close(),
  };
}

const quoted = (name: string): string => `\`${name.replace(/[\\`]/g, '\\$&')}\``;

function encodeCounterFields(data: Record<string, unknown>): Record<string, WireValue> {
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, toValue(value)]));
}

/** Converts a value that `storable` accepts to the form of the protocol. */
function toValue(value: unknown): WireValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { booleanValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { integerValue: value } : { doubleValue: value };
  if (value instanceof Date) {
    const milliseconds = value.getTime();
    const seconds = Math.floor(milliseconds / 1000);
    return { timestampValue: { seconds, nanos: (milliseconds - seconds * 1000) * 1e6 } };
  }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(toValue) } };
  if (value === null || typeof value !== 'object') return { nullValue: 'NULL_VALUE' };
  return { mapValue: { fields: encodeCounterFields({ ...value }) } };
}
