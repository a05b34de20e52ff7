// The limits of an agent's run, one row each, for the configuration and for programs: fields of files,
// levels, defaults and largest values follow from the rows.

import type { Limits } from '../core/schema/agent.ts';
import { parseDuration, parseShownSize, parseSize, type Quantity } from '../text/units.ts';
import type { OptionFault } from './optionFaults.ts';

/** Token budgets. All levels of a daily one count. */
export type Budgets = Pick<Limits, 'sessionTokens' | 'dailyTokens'>;

/** Limits that a level sets. An absent one comes from the next level. */
export type LimitOptions = { [K in keyof Omit<Limits, keyof Budgets>]?: Limits[K] | undefined };

interface LimitRow<T> {
  /** Its name in files. */
  file: string;
  /** Without it, only the schema limits the value. */
  largest?: number;
  /** How files write it with a unit, and the largest quantity. Without it, files contain the plain value. */
  inFiles?: readonly [parse: (text: string) => Quantity, largest: string];
  /** The default, where no level sets the limit. */
  usual?: T;
}

/** An event-driven function is stopped after 540 seconds; an iteration must commit before that. */
export const MAX_ITERATION = '8m';
/** Text is stored as JSON, where quotes and line breaks take two bytes, in documents of at most 900 kB. */
export const MAX_STORED_TEXT = '400KB';

const duration = (largest: string) => quantity(parseDuration, largest);

function quantity(parse: (text: string) => Quantity, text: string) {
  const largest = parse(text);
  if (!largest.ok) throw new TypeError(largest.message);
  return { largest: largest.value, inFiles: [parse, text] } as const;
}

/** The limits by their names in plans, in the order of their faults. */
export const LIMITS = {
  // Interaction ids have three digits for the iteration, and the forced conclusion is one more.
  maxIterations: { file: 'maxIterations', largest: 500, usual: 20 },
  iterationTimeoutMs: { file: 'iterationTimeout', ...duration(MAX_ITERATION), usual: 120_000 },
  toolTimeoutMs: { file: 'toolTimeout', ...duration(MAX_ITERATION), usual: 60_000 },
  firstChunkTimeoutMs: { file: 'firstChunkTimeout', ...duration(MAX_ITERATION) },
  stallTimeoutMs: { file: 'stallTimeout', ...duration(MAX_ITERATION) },
  // Longer outages are for people to handle.
  modelOutageMs: { file: 'modelOutage', ...duration('24h') },
  toolResultBytes: { file: 'toolResultLimit', ...quantity(parseShownSize, MAX_STORED_TEXT), usual: 64_000 },
  afterFailure: { file: 'afterFailure', usual: 'fail' },
  repeatedCalls: { file: 'repeatedCalls', usual: 'refuse' },
  // A request is held in memory, several times over, like an answer; models take some 4 MB of text.
  conversationBytes: { file: 'conversationBytes', ...quantity(parseSize, '20MB'), usual: 3_000_000 },
} as const satisfies { [K in keyof LimitOptions]-?: LimitRow<Limits[K]> };

/** The rows with their names. */
export const LIMIT_ROWS = Object.entries(LIMITS) as [keyof LimitOptions, LimitRow<unknown>][];

/** Each limit from the first level that sets it, else the default. */
export function nearestLimits(levels: readonly LimitOptions[]): Limits {
  const nearest = LIMIT_ROWS.map(([name, { usual }]): [string, unknown] => {
    const level = levels.find((one) => one[name] !== undefined);
    return [name, level?.[name] ?? usual];
  });
  return Object.fromEntries(nearest.filter(([, value]) => value !== undefined)) as Limits;
}

/** Faults of limits that are too large. */
export function limitFaults(limits: LimitOptions): OptionFault[] {
  return LIMIT_ROWS.flatMap(([name, { largest = Number.POSITIVE_INFINITY }]) => {
    const value = limits[name];
    if (typeof value !== 'number' || value <= largest) return [];
    return [{ path: [name], message: `is ${value}; set at most ${largest}` }];
  });
}
