// Masks a JSON value in its place: strings, keys, and values by the names of their keys.

import type { MaskedJson } from '../core/contract/guard.ts';
import { isObject } from '../text/json.ts';
import { marksSecret, OF_SCHEMA, ONLY_OF_SECRETS, SECTION } from './finders/secretObjects.ts';
import { isSecret } from './scan/assignedValue.ts';
import type { KeyMeaning } from './scan/keyNames.ts';
import { CHARACTERS_OF_STEP } from './scan/scan.ts';
import { estimateRandomness, isPlaceholder, isPlain } from './scan/values.ts';

type MaskedText = { text: string; count: number; kinds: Readonly<Record<string, number>> };

interface TextMasker {
  /** Masks the secrets in a text, in steps. */
  mask(text: string): Generator<undefined, MaskedText>;
  /** A mark for all of a text. */
  maskWhole(text: string, kind: string): Generator<undefined, MaskedText>;
  /** The meaning of a key's name; undefined for a name without one. */
  meaningOf(name: string): KeyMeaning | undefined;
}

const KUBERNETES = 'kubernetes-secret';
/** Values that are nested more deeply are replaced whole. */
const MAX_DEPTH = 200;
/** A search has a cost for each text, which is that of some hundred characters. */
const TEXT_COST = 500;

/**
 * A masked copy of `value`, made in steps of a limited time. Values that are not JSON (functions, symbols)
 * stay as they are.
 */
export function* maskJson(value: unknown, masker: TextMasker): Generator<undefined, MaskedJson> {
  const kinds: Record<string, number> = {};
  let count = 0;
  let inStep = 0;
  function* take(steps: Generator<undefined, MaskedText>): Generator<undefined, string> {
    const masked = yield* steps;
    count += masked.count;
    for (const [kind, times] of Object.entries(masked.kinds)) kinds[kind] = (kinds[kind] ?? 0) + times;
    inStep += masked.text.length + TEXT_COST;
    if (inStep >= CHARACTERS_OF_STEP) {
      inStep = 0;
      yield undefined;
    }
    return masked.text;
  }
  function* walk(
    current: unknown,
    secret: string | undefined,
    depth: number,
    isItem = false,
  ): Generator<undefined, unknown> {
    if (typeof current === 'string')
      return yield* take(
        secret === undefined || current === '' || (secret !== KUBERNETES && isPlaceholder(current))
          ? masker.mask(current)
          : masker.maskWhole(current, secret),
      );
    if (typeof current === 'number' && secret !== undefined)
      return yield* take(masker.maskWhole(String(current), secret));
    if (depth > MAX_DEPTH && typeof current === 'object' && current !== null)
      return yield* take(masker.maskWhole('too deep', 'unreadable'));
    if (Array.isArray(current)) {
      const list: unknown[] = [];
      for (const entry of current) list.push(yield* walk(entry, secret, depth + 1, isItem));
      return list;
    }
    if (!isObject(current)) return current;
    const isSecretObject = (isItem && !('kind' in current)) || hasSecretMark(current);
    const name = current.name ?? current.Name ?? current.key ?? current.Key;
    const named = typeof name === 'string' ? masker.meaningOf(name) : undefined;
    const entries: [string, unknown][] = [];
    for (const [key, entry] of Object.entries(current)) {
      const isSection = SECTION.test(key) && (isSecretObject || isStringData(key, entry));
      const inSecret = isSection ? KUBERNETES : undefined;
      const byName = /^(?:value|default)$/i.test(key) ? classifyKeyedValue(named, entry) : undefined;
      const kind = secret ?? inSecret ?? byName ?? classifyKeyedValue(masker.meaningOf(key), entry);
      const isList = isSecretObject && key === 'items';
      entries.push([yield* take(masker.mask(key)), yield* walk(entry, kind, depth + 1, isList)]);
    }
    return Object.fromEntries(entries);
  }
  const masked = yield* walk(value, undefined, 0);
  return { value: masked, count, kinds };
}

/** Whether a field can only be the texts of a Secret, and is no schema of them. */
const isStringData = (key: string, value: unknown): boolean =>
  ONLY_OF_SECRETS.test(key) && isObject(value) && !Object.keys(value).some((name) => OF_SCHEMA.test(name));

/** Whether `kind` or `type` of an object is that of a Secret. */
const hasSecretMark = ({ kind, type }: Record<string, unknown>): boolean =>
  (typeof kind === 'string' && marksSecret('kind', kind)) ||
  (typeof type === 'string' && marksSecret('type', type));

/**
 * The kind of a value by the name of its key; undefined if the value is not clearly a secret. Only passwords
 * are secrets in lists and objects.
 */
function classifyKeyedValue(meaning: KeyMeaning | undefined, value: unknown): string | undefined {
  if (meaning === undefined) return undefined;
  if (typeof value === 'number')
    return meaning.kind === 'password' || (meaning.plain === 'any' && value >= 1000)
      ? meaning.kind
      : undefined;
  if (typeof value !== 'string')
    return meaning.kind === 'password' && Array.isArray(value) ? meaning.kind : undefined;
  if (meaning.kind === 'cloud-key')
    return isSecret(value, meaning, { quoted: true }) ? meaning.kind : undefined;
  if (!meaning.sure)
    return meaning.kind === 'key' && estimateRandomness(value) !== 'none' ? meaning.kind : undefined;
  if (meaning.plain !== undefined && isSecret(value, meaning, { quoted: true })) return meaning.kind;
  if (meaning.kind !== 'password' && (isPlain(value) || value.length < 6 || /\s/.test(value)))
    return undefined;
  return meaning.kind;
}
