// The route of a command, and options that are its parameters: text, limits and default come from the route's schema.

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

/** The key of a route in `RoutesMap`. */
type Key<R extends AnyRoute> = R extends AnyRoute ? `${Uppercase<R['method']>} ${R['path']}` : never;

/** The route of a list with this method and path. */
export function findRoute<R extends AnyRoute, K extends Key<R>>(routes: readonly R[], key: K) {
  const found = routes.find(({ method, path }) => `${method.toUpperCase()} ${path}` === key);
  if (found === undefined) throw new Error(`there is no route ${key}`);
  return found as R extends AnyRoute ? (K extends Key<R> ? R : never) : never;
}

/** The parameters in the query and the body of a route, by name. */
export function readParameters(route: AnyRoute): Record<string, Parameter> {
  const { query, body } = route as Route;
  const schemas = [query, body].filter((schema) => schema !== undefined && schema !== 'bytes');
  return Object.assign(
    {},
    ...schemas.map((schema) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).properties),
  );
}

/**
 * The option for a parameter of a route. A whole number is read with its limit and its default.
 * @param flags for example `--kind <kind>`. Default: `--NAME <number>`.
 */
export function parameterOption(route: AnyRoute, name: string, flags = `--${name} <number>`): Option {
  const { type, description, maximum, default: value, enum: names } = readParameters(route)[name] ?? {};
  const option = new Option(flags, helpText(description ?? namesText(names)));
  if (type !== 'integer' || maximum === undefined) return option;
  option.description += `, 1 to ${maximum}`;
  return option.argParser(wholeNumber(maximum)).default(value);
}

/** A sentence of the API as the help of an option: `Name. Default: a` is `name (default: a)`. */
function helpText(sentence: string): string {
  const [text = '', value] = sentence.split('. Default: ');
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}${value === undefined ? '' : ` (default: ${value})`}`;
}

const namesText = (names: readonly string[] = []): string =>
  `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
