// Masks a JSON value in its place: strings, keys, and values by the names of their keys.

import { isObject } from '../text/json.ts';
import { isSecret } from './scan/assignedValue.ts';
import type { KeyMeaning } from './scan/keyNames.ts';
import { isPlaceholder, isPlain, randomnessOf } from './scan/values.ts';

/** A JSON value without secrets. */
export interface MaskedJson {
  /** The masked copy. */
  value: unknown;
  /** Number of marks in it. */
  count: number;
  /** Number of marks by kind. */
  kinds: Readonly<Record<string, number>>;
}

interface TextMasker {
  /** Masks the secrets in a text. */
  mask(text: string): { text: string; count: number; kinds: Readonly<Record<string, number>> };
  /** A mark for all of a text. */
  maskWhole(
    text: string,
    kind: string,
  ): { text: string; count: number; kinds: Readonly<Record<string, number>> };
  /** The meaning of a key's name; undefined for a name without one. */
  meaningOf(name: string): KeyMeaning | undefined;
}

const KUBERNETES = 'kubernetes-secret';
/** Values that are nested more deeply are replaced whole. */
const MAX_DEPTH = 200;

/** A masked copy of `value`. Values that are not JSON (functions, symbols) stay as they are. */
export function maskJson(value: unknown, masker: TextMasker): MaskedJson {
  const kinds: Record<string, number> = {};
  let count = 0;
  const take = (masked: ReturnType<TextMasker['mask']>): string => {
    count += masked.count;
    for (const [kind, times] of Object.entries(masked.kinds)) kinds[kind] = (kinds[kind] ?? 0) + times;
    return masked.text;
  };
  const walk = (current: unknown, secret: string | undefined, depth: number): unknown => {
    if (typeof current === 'string')
      return take(
        secret === undefined || current === '' || (secret !== KUBERNETES && isPlaceholder(current))
          ? masker.mask(current)
          : masker.maskWhole(current, secret),
      );
    if (typeof current === 'number' && secret !== undefined)
      return take(masker.maskWhole(String(current), secret));
    if (depth > MAX_DEPTH && typeof current === 'object' && current !== null)
      return take(masker.maskWhole('too deep', 'unreadable'));
    if (Array.isArray(current)) return current.map((entry) => walk(entry, secret, depth + 1));
    if (!isObject(current)) return current;
    const isSecret = current.kind === 'Secret';
    const named = typeof current.name === 'string' ? masker.meaningOf(current.name) : undefined;
    return Object.fromEntries(
      Object.entries(current).map(([key, entry]) => {
        const inSecret = isSecret && /^(?:data|stringData|binaryData)$/.test(key) ? KUBERNETES : undefined;
        const byName = /^(?:value|default)$/i.test(key) ? kindOf(named, entry) : undefined;
        return [
          take(masker.mask(key)),
          walk(entry, secret ?? inSecret ?? byName ?? kindOf(masker.meaningOf(key), entry), depth + 1),
        ];
      }),
    );
  };
  const masked = walk(value, undefined, 0);
  return { value: masked, count, kinds };
}

/**
 * The kind of a value by the name of its key; undefined if the value is not clearly a secret. Only passwords are secrets in
 * lists and objects.
 */
function kindOf(meaning: KeyMeaning | undefined, value: unknown): string | undefined {
  if (meaning === undefined) return undefined;
  if (typeof value === 'number')
    return meaning.kind === 'password' || (meaning.plain === 'any' && value >= 1000)
      ? meaning.kind
      : undefined;
  if (typeof value !== 'string')
    return meaning.kind === 'password' && Array.isArray(value) ? meaning.kind : undefined;
  if (!meaning.sure)
    return meaning.kind === 'key' && randomnessOf(value) !== 'none' ? meaning.kind : undefined;
  if (meaning.plain !== undefined && isSecret(value, meaning, { quoted: true })) return meaning.kind;
  if (meaning.kind !== 'password' && (isPlain(value) || value.length < 6 || /\s/.test(value)))
    return undefined;
  return meaning.kind;
}
