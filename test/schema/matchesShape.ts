// Whether a stored value has a pinned shape: its fields and the kinds of their values, and the constants that
// tell variants apart. Limits and patterns are not compared.

import type { Shape } from './shapes.ts';

/** Whether `value` has the shape. Unnamed fields are refused, as by `z.strictObject`. */
export function matchesShape(value: unknown, shape: Shape): boolean {
  if (typeof shape === 'string') return matchesKind(value, shape);
  const items = itemsOf(shape);
  if (items !== undefined) return Array.isArray(value) && value.every((one) => matchesShape(one, items));
  const { 'one of': options, ...fields } = shape as Record<string, Shape>;
  if (Array.isArray(options)) return options.some((option) => matchesShape(value, option));
  return matchesFields(value, fields);
}

function matchesFields(value: unknown, fields: Record<string, Shape>): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Date)
    return false;
  const others = Object.entries(fields).find(([name]) => name.startsWith('*'))?.[1];
  const isFitting = ([name, one]: [string, unknown]) => {
    const shape = fields[name] ?? fields[`${name}?`] ?? others;
    return one === undefined || (shape !== undefined && matchesShape(one, shape));
  };
  const isRequired = (name: string) => !name.startsWith('*') && !name.endsWith('?');
  return (
    Object.keys(fields).every((name) => !isRequired(name) || name in value) &&
    Object.entries(value).every(isFitting)
  );
}

/** The value without unnamed fields, at any depth. Of several shapes the first fit counts. */
export function pruneTo(shape: Shape, value: unknown): unknown {
  if (typeof shape === 'string' || typeof value !== 'object' || value === null || value instanceof Date)
    return value;
  const options = Array.isArray(shape) ? undefined : shape['one of'];
  if (Array.isArray(options)) {
    const pruned = options.map((option) => ({ option, value: pruneTo(option, value) }));
    return pruned.find((one) => matchesShape(one.value, one.option))?.value ?? value;
  }
  const items = itemsOf(shape);
  if (items !== undefined) return Array.isArray(value) ? value.map((one) => pruneTo(items, one)) : value;
  const fields = shape as Record<string, Shape>;
  const others = Object.entries(fields).find(([name]) => name.startsWith('*'))?.[1];
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => {
      const field = fields[name] ?? fields[`${name}?`] ?? others;
      return field === undefined ? [] : [[name, pruneTo(field, one)]];
    }),
  );
}

/** The shape of an array's elements: a list of one, or with limits; undefined for others. */
function itemsOf(shape: Shape): Shape | undefined {
  if (typeof shape === 'string') return undefined;
  if (Array.isArray(shape)) return shape[0];
  const [[only = '', items] = []] = Object.entries(shape);
  return only.startsWith('array, ') && items !== undefined ? itemsOf(items) : undefined;
}

/** `shape` is a value with its limits: `string, const native`. */
function matchesKind(value: unknown, shape: string): boolean {
  const constant = /, const (.*)$/.exec(shape)?.[1];
  if (constant !== undefined) return String(value) === constant;
  const [kinds = ''] = shape.split(', ');
  return kinds.split(' | ').some((kind) => kind === 'anything' || kind === kindOf(value, kind));
}

/** The kind of a value in the words of shapes; `wanted` where a number has it as well. */
function kindOf(value: unknown, wanted: string): string {
  if (value === null) return 'null';
  if (value instanceof Date) return 'date';
  if (typeof value === 'number')
    return Number.isInteger(value) && wanted === 'integer' ? 'integer' : 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}
