// Finds chains that no alert reaches: an earlier chain takes their alerts, or nothing names them.

import { asObject } from '../text/json.ts';
import { matchesPattern } from '../text/pattern.ts';
import type { AlertRule } from './alertRules.ts';
import type { SessionConfig } from './config.ts';
import { readFolder, readOneFile } from './readFolder.ts';
import { type Fault, faultAt, type YamlFile } from './yamlFile.ts';

type Rules = Pick<SessionConfig, 'alertRules' | 'chains' | 'defaultChain'>;

/**
 * A fault for each chain whose rules only match alerts that a rule of an earlier chain takes. The default
 * chain gets the rest.
 * @param folder of the configuration, which has been loaded.
 */
export function coveredChainFaults(folder: string, { alertRules, defaultChain }: Rules): Fault[] {
  const chains = Object.entries(alertRules).filter(([, { length }]) => length > 0);
  return chains.flatMap(([name, rules], index) => {
    const earlier = chains.slice(0, index);
    const takers = rules.map((rule) => earlier.find(([, others]) => others.some((one) => covers(one, rule))));
    const [first] = takers;
    if (name === defaultChain || first === undefined || takers.includes(undefined)) return [];
    const message = `no alert reaches this chain: ${first[0]} is before it and takes them; define this chain before ${first[0]}`;
    return [faultAt(findChainFile(folder, name), ['chains', name], message, 'key')];
  });
}

/** A remark for each chain that no rule, source, schedule or check names: only messages start it. */
export function unnamedChainRemarks(folder: string, { alertRules, chains, defaultChain }: Rules): Fault[] {
  const named = (['webhooks', 'schedules'] as const).flatMap((file) =>
    namedChains(readOneFile(folder, file, []).value),
  );
  return Object.keys(chains).flatMap((name) => {
    if (name === defaultChain || (alertRules[name]?.length ?? 0) > 0 || named.includes(name)) return [];
    const message =
      'only an alert whose message names this chain reaches it; give it alerts, if it shall take some';
    return [faultAt(findChainFile(folder, name), ['chains', name], message, 'key')];
  });
}

/** Whether every alert that `rule` matches is one that `earlier` matches, as far as their values show. */
function covers(earlier: AlertRule, rule: AlertRule): boolean {
  const isEqual = (a: string, b: string) => a === b;
  const isSameWord = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
  // A label for a pattern is compared with the pattern itself: `a*` matches `*`, and not `a`.
  return (
    includesAll(earlier.source, rule.source, isEqual) &&
    includesAll(earlier.severity, rule.severity, isSameWord) &&
    includesAll(earlier.text, rule.text, (wanted, given) =>
      given.toLowerCase().includes(wanted.toLowerCase()),
    ) &&
    Object.entries(earlier.labels ?? {}).every(([label, wanted]) =>
      includesAll(wanted, rule.labels?.[label], (pattern, given) => matchesPattern(given, pattern)),
    )
  );
}

/** Whether the earlier rule accepts each value of the rule. An absent condition accepts any value. */
function includesAll(
  wanted: readonly string[] | undefined,
  given: readonly string[] | undefined,
  isWanted: (wanted: string, given: string) => boolean,
): boolean {
  if (wanted === undefined) return true;
  return given?.every((one) => wanted.some((other) => isWanted(other, one))) ?? false;
}

/** The values of each key `chain` in a file. */
function namedChains(value: unknown): unknown[] {
  return Object.entries(asObject(value)).flatMap(([key, one]) =>
    key === 'chain' ? [one] : Array.isArray(one) ? one.flatMap(namedChains) : namedChains(one),
  );
}

function findChainFile(folder: string, chain: string): YamlFile {
  const { chains, moreChains } = readFolder(folder, []);
  const isThere = ({ value }: YamlFile) => Object.hasOwn(asObject(asObject(value).chains), chain);
  return moreChains.find(isThere) ?? chains;
}
