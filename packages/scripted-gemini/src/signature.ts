// Thought signatures that can be checked without storing them: they are derived from the model family and the
// part they are on, so they do not match another part or another family.

import { createHash } from 'node:crypto';
import { asObject, isObject } from './json.ts';
import type { ModelVersion } from './modelVersion.ts';

/** Fixed, so that histories stay valid after a restart. It is no secret. */
const KEY = 'scripted-gemini';

/** Values that the API accepts instead of a signature, for calls that another model made. */
const DUMMIES = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'];
const ACCEPTED_DUMMIES = new Set(DUMMIES.flatMap((text) => [text, Buffer.from(text).toString('base64')]));

const DEFAULT_BYTES = 600;
const MIN_BYTES = 32;
/** Keys of a part besides its data. */
export const PART_ANNOTATIONS = [
  'thought',
  'thoughtSignature',
  'partMetadata',
  'videoMetadata',
  'mediaResolution',
];

type Part = Record<string, unknown>;

/** The signature for a part. `bytes` is its size before base64. */
export function signPart(model: ModelVersion, part: Part, bytes = DEFAULT_BYTES): string {
  return deriveBytes(model, signedContent(part), bytes).toString('base64');
}

/** Whether `signPart` made the signature for this part and family, or it is an accepted dummy. */
export function isAcceptedSignature(model: ModelVersion, part: Part, signature: string): boolean {
  if (ACCEPTED_DUMMIES.has(signature)) return true;
  const given = Buffer.from(signature, 'base64');
  if (given.length < MIN_BYTES) return false;
  return [signedContent(part), streamedContent(part)].some((content) =>
    deriveBytes(model, content, given.length).equals(given),
  );
}

/** A hash of any size. SHAKE needs one call: a history has hundreds of signatures. */
function deriveBytes(model: ModelVersion, content: unknown, bytes: number): Buffer {
  const seed = canonicalJson([model.major, content]);
  return createHash('shake256', { outputLength: bytes }).update(KEY).update(seed).digest();
}

/** The signed data of a part, without the id of a call, because a client can set its own. */
function signedContent(part: Part): unknown {
  const call = part.functionCall;
  if (isObject(call)) {
    const { name, args, partialArgs } = call;
    return partialArgs === undefined ? { name, args: args ?? {} } : { name };
  }
  return Object.fromEntries(Object.entries(part).filter(([key]) => !PART_ANNOTATIONS.includes(key)));
}

/** A call whose arguments were streamed is signed on its first fragment, before they are known. */
function streamedContent(part: Part): unknown {
  return { name: asObject(part.functionCall).name };
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, entry: unknown) =>
    isObject(entry) ? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1))) : entry,
  );
}
