// Checks of documents that copy nothing. Zod copies each value that it parses, which takes longer than the
// other parts of a write, and nearly all documents that a process writes are valid.

import type * as z from 'zod';

/** True if zod accepts the value and returns an equal one. False leaves the decision to zod. */
export type QuickCheck = (value: unknown) => boolean;

type Schema = z.core.$ZodType;
type Defs = z.core.$ZodTypes['_zod']['def'];
type Def<T extends Defs['type']> = Extract<Defs, { type: T }>;

/** The check of a schema. Unknown parts are left to zod, so it never accepts more than zod. */
export function quickCheck(schema: Schema): QuickCheck {
  const check = compileCheck(schema);
  const limits = ((schema as z.core.$ZodTypes)._zod.def.checks ?? []).map(compileLimit);
  if (check === undefined || limits.includes(undefined)) return asksZod(schema);
  const [first, second] = limits as QuickCheck[];
  if (first === undefined) return check;
  if (second === undefined) return (value) => check(value) && first(value);
  return (value) => check(value) && (limits as QuickCheck[]).every((limit) => limit(value));
}

function compileCheck(schema: Schema): QuickCheck | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'string':
      return 'format' in def || def.coerce ? undefined : isText;
    case 'number':
      return numberCheck(def);
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'date':
      return def.coerce ? undefined : (value) => value instanceof Date && !Number.isNaN(value.getTime());
    case 'unknown':
      return () => true;
    case 'literal':
      return compileChoice(def.values);
    case 'enum':
      return compileChoice(Object.values(def.entries));
    case 'nullable':
      return orElse(null, quickCheck(def.innerType));
    case 'optional':
      // An optional default is no missing field.
      return asksZod(schema)(undefined) ? orElse(undefined, quickCheck(def.innerType)) : undefined;
    case 'default':
      return defaultCheck(def);
    case 'array':
      return arrayCheck(def);
    case 'record':
      return recordCheck(def);
    case 'object':
      return objectCheck(def);
    case 'union':
      return unionCheck(def);
    default:
      return undefined;
  }
}

/** Zod returns primitive values unchanged or transformed, and copies of objects. */
function asksZod(schema: Schema): QuickCheck {
  return (value) => {
    if (typeof value === 'object') return false;
    const result = (schema as z.ZodType).safeParse(value);
    return result.success && result.data === value;
  };
}

/** A limit of a text's length or of a number; undefined for other checks. */
function compileLimit(check: z.core.$ZodCheck<never>): QuickCheck | undefined {
  const { def } = (check as unknown as z.core.$ZodChecks)._zod;
  switch (def.check) {
    case 'min_length':
      return (value) => (value as string).length >= def.minimum;
    case 'max_length':
      return (value) => (value as string).length <= def.maximum;
    case 'greater_than':
      return numberLimit(def, (value, limit) => value > limit);
    case 'less_than':
      return numberLimit(def, (value, limit) => value < limit);
    default:
      return undefined;
  }
}

function numberLimit(
  { value: limit, inclusive }: { value: unknown; inclusive: boolean },
  isWithin: (value: number, limit: number) => boolean,
): QuickCheck | undefined {
  if (typeof limit !== 'number') return undefined;
  return (value) => isWithin(value as number, limit) || (inclusive && value === limit);
}

const isText: QuickCheck = (value) => typeof value === 'string';

function numberCheck(def: Def<'number'> & { format?: string }): QuickCheck | undefined {
  if (def.coerce) return undefined;
  if (def.format === undefined) return Number.isFinite;
  return def.format === 'safeint' ? Number.isSafeInteger : undefined;
}

function compileChoice(values: readonly unknown[]): QuickCheck {
  const known = new Set(values);
  return (value) => known.has(value);
}

function orElse(other: null | undefined, check: QuickCheck): QuickCheck {
  return (value) => value === other || check(value);
}

/** Zod replaces a missing value by the default. */
function defaultCheck({ innerType }: Def<'default'>): QuickCheck {
  const check = quickCheck(innerType);
  return (value) => value !== undefined && check(value);
}

function arrayCheck({ element }: Def<'array'>): QuickCheck {
  const check = quickCheck(element);
  return (value) => Array.isArray(value) && value.every(check);
}

function recordCheck({ keyType, valueType, mode }: Def<'record'>): QuickCheck | undefined {
  if (mode === 'loose' || compileCheck(keyType as Schema) !== isText) return undefined;
  const isKey = quickCheck(keyType as Schema);
  const check = quickCheck(valueType);
  return (value) => {
    if (!isPlainObject(value)) return false;
    for (const key of Object.keys(value)) {
      if (key === '__proto__' || !isKey(key) || !check(value[key])) return false;
    }
    return true;
  };
}

/** Objects that allow no other fields, or keep all others. */
function objectCheck({ shape, catchall }: Def<'object'>): QuickCheck | undefined {
  const others = (catchall as z.core.$ZodTypes | undefined)?._zod.def.type;
  if (others !== 'never' && others !== 'unknown') return undefined;
  const fields = Object.keys(shape);
  const checks = Object.values(shape).map(quickCheck);
  return (value) => {
    if (!isPlainObject(value)) return false;
    let known = 0;
    for (let index = 0; index < fields.length; index++) {
      const field = fields[index] as string;
      const entry = value[field];
      if (checks[index]?.(entry) !== true) return false;
      if (entry !== undefined || Object.hasOwn(value, field)) known++;
    }
    return others === 'unknown' ? !Object.hasOwn(value, '__proto__') : known === Object.keys(value).length;
  };
}

/** Unions whose options differ in the literals of one field. */
function unionCheck({
  options,
  discriminator,
}: Def<'union'> & { discriminator?: string }): QuickCheck | undefined {
  if (discriminator === undefined) return undefined;
  const checks = new Map<unknown, QuickCheck>();
  for (const option of options) {
    const values = option._zod.propValues?.[discriminator] ?? [];
    const check = quickCheck(option);
    for (const value of values) checks.set(value, check);
  }
  return (value) => isPlainObject(value) && checks.get(value[discriminator])?.(value) === true;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
