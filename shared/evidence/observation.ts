// Which calls read the same thing.

import { createHash } from 'node:crypto';
import { parseCallArguments } from '../text/callArguments.ts';

/** The reading of a thing by a call of a server's tool that answered. */
interface Observation {
  /** Equal for calls that read the same thing, whichever agent made them. */
  key: string;
  /** `server.tool` */
  tool: string;
  /** The thing that the arguments name; calls for other times name the same one. */
  resource: string;
}

/** Arguments of paging, format and limits. */
const PAGING =
  /^(?:limit|limit_?bytes|max|max_?results|max_?items|max_?lines|max_?rows|lines|line_?count|rows|page|page_?number|page_?size|per_?page|page_?token|next_?token|next_?page_?token|continue|continue_?token|cursor|offset|skip|tail|tail_?lines|head|top|first|last|count|format|output|output_?format|pretty|verbose|color|timeout|order|order_?by|sort)$/i;
/** Arguments of times, which name the same thing. */
const TIMES =
  /^(?:start|end|from|to|since|until|after|before|at|time|start_?time|end_?time|time_?range|range|window|minutes|hours|seconds|days|duration|interval|step|previous|since_?seconds|lookback)$/i;

/** The observation of a call. */
export function readObservation(call: { tool: string; arguments: string }): Observation {
  const resource = namedEntries(call).filter(([name]) => !TIMES.test(name));
  return { key: observationKey(call), tool: call.tool, resource: canonicalJson(resource) };
}

/** The key of the observation of a call. */
export const observationKey = (call: { tool: string; arguments: string }): string =>
  createHash('sha256')
    .update(canonicalJson([call.tool, namedEntries(call)]))
    .digest('hex')
    .slice(0, 16);

const namedEntries = (call: { arguments: string }): [string, unknown][] =>
  Object.entries(parseCallArguments(call.arguments)).filter(([name]) => !PAGING.test(name));

/** JSON without white space, with the keys of objects and the names of arguments in order. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === 'string') return inner.trim();
    if (isPairs(inner)) return inner.toSorted(compareNames);
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(compareNames));
  });
}

const compareNames = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

const isPairs = (value: unknown): value is [string, unknown][] =>
  Array.isArray(value) &&
  value.every((one) => Array.isArray(one) && one.length === 2 && typeof one[0] === 'string');
