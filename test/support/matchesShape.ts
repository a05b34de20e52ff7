// Whether a stored value has a pinned shape: its fields and the kinds of their values, and the constants that tell variants
// apart. Limits and patterns are not compared.

import type { Shape } from './shapes.ts';

/** Whether `value` has the shape. Fields that the shape does not name are refused, as `z.strictObject` does. */
export function matchesShape(value: unknown, shape: Shape): boolean {
  if (typeof shape === 'string') return matchesKind(value, shape);
  if (Array.isArray(shape))
    return Array.isArray(value) && value.every((one) => shape.some((item) => matchesShape(one, item)));
  const { 'one of': options, ...fields } = shape;
  if (Array.isArray(options)) return options.some((option) => matchesShape(value, option));
  const [[only = '', items] = []] = Object.entries(fields);
  if (only.startsWith('array, ') && items !== undefined) return matchesShape(value, items);
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
