// Finds budgets of tokens for a day or a month that are too small for one call of a chain: none of its alerts
// would be investigated.

import { outputLimit } from '../core/contract/modelFacts.ts';
import type { ChainSnapshot } from '../core/schema/agent.ts';
import type { Files } from './files.ts';
import { type Fault, faultAt, type YamlFile } from './yamlFile.ts';

/** A call starts only if as many tokens stay free for its conclusion (`keptTokens`). */
const CALLS = 2;

/** The tokens that a chain's day needs at least: the longest answer of its first stage, and a conclusion. */
function leastTokens({ stages: [first] }: Pick<ChainSnapshot, 'stages'>): number {
  return CALLS * Math.max(0, ...(first?.agents ?? []).map(({ model }) => outputLimit(model)));
}

/** The faults of `dailyTokens` of the system and of chains, and of `budgets`. @param file system.yaml. */
export function budgetFaults(
  file: YamlFile,
  { chains, system }: Pick<Files, 'chains' | 'system'>,
  snapshots: Readonly<Record<string, ChainSnapshot>>,
): Fault[] {
  const needs = Object.entries(snapshots).map(([name, chain]) => ({ name, least: leastTokens(chain) }));
  const { dailyTokens = 'off', budgets = {} } = system;
  const dearest = needs.reduce((most, one) => (one.least > most.least ? one : most), { name: '', least: 0 });
  const cheapest = needs.reduce((least, one) => (one.least < least.least ? one : least), dearest);
  return [
    ...needs.flatMap(({ name, least }) => {
      const own = chains.chains[name]?.dailyTokens ?? 'off';
      if (own === 'off' || own >= least) return [];
      return [faultAt(chains.fileOf(name), ['chains', name, 'dailyTokens'], tooFew({ name, least }))];
    }),
    ...(dailyTokens === 'off' || dailyTokens >= dearest.least
      ? []
      : [faultAt(file, ['dailyTokens'], tooFew(dearest))]),
    // A budget counts sessions of any chain.
    ...Object.entries(budgets).flatMap(([name, { tokens }]) =>
      tokens >= cheapest.least ? [] : [faultAt(file, ['budgets', name, 'tokens'], tooFew(cheapest))],
    ),
  ];
}

function tooFew({ name, least }: { name: string; least: number }): string {
  return `has no room for one call of chain "${name}", so that none of its alerts is investigated: set ${least} or more, or maxOutputTokens of its model`;
}
