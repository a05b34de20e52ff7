// Options that are parameters of a route: text, limit and default come from the route's schema.

import { Option } from 'commander';
import * as z from 'zod';
import type { AnyRoute, Route } from '../../shared/api/http/route.ts';
import { wholeNumber } from './commandOptions.ts';

/** A parameter of a route, as JSON Schema states it. */
interface Parameter {
  type?: string;
  description?: string;
  maximum?: number;
  default?: unknown;
  enum?: string[];
}

/** The keys of routes in `RoutesMap`. */
type Key<R extends AnyRoute> = R extends AnyRoute ? `${Uppercase<R['method']>} ${R['path']}` : never;

/** An option whose value is sent as the parameter of that name. */
export class ParameterOption extends Option {}

/**
 * The option for a parameter of a route. A whole number is read with its limit and its default.
 * @param key method and path of the route.
 * @param flags for example `--kind <kind>`. Default: `--NAME <number>`.
 */
export function parameterOption<R extends AnyRoute>(
  routes: readonly R[],
  key: Key<R>,
  name: string,
  flags = `--${name} <number>`,
): ParameterOption {
  const { type, description, maximum, default: value, enum: names } = readParameters(routes, key)[name] ?? {};
  const option = new ParameterOption(flags, helpText(description ?? namesText(names)));
  if (type !== 'integer' || maximum === undefined) return option;
  option.description += `, 1 to ${maximum}`;
  return option.argParser(wholeNumber(maximum)).default(value);
}

/**
 * The options of a list that is read from pages.
 * @param usual how many elements are read by default.
 * @param most the largest number: the list is held in memory as a whole.
 */
export const pageOptions = (usual = 200, most = 1_000): Option[] => [
  new Option('--limit <number>', `how many, 1 to ${most}`).argParser(wholeNumber(most)).default(usual),
  new Option('--after <id>', 'only those after this one, as the page before it printed'),
];

/** The parameters in the query and the body of a route, by name. */
function readParameters(routes: readonly AnyRoute[], key: string): Record<string, Parameter> {
  const route = routes.find(({ method, path }) => `${method.toUpperCase()} ${path}` === key);
  const { query, body } = (route ?? {}) as Partial<Route>;
  const schemas = [query, body].filter((schema) => schema !== undefined && schema !== 'bytes');
  return Object.assign(
    {},
    ...schemas.map((schema) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).properties),
  );
}

/** A sentence of the API as the help of an option: `Name. Default: a` is `name (default: a)`. */
function helpText(sentence: string): string {
  const [text = '', value] = sentence.split('. Default: ');
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}${value === undefined ? '' : ` (default: ${value})`}`;
}

const namesText = (names: readonly string[] = []): string =>
  `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
