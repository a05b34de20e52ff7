// States beside a name that the records of that name contradict.

import { type Items, joined, stateOf, wordsOf } from './items.ts';
import type { Assertion } from './markUnchecked.ts';
import type { Find } from './matchValue.ts';
import { nameOf, type Token } from './tokens.ts';

/** States with the words for them and for their opposite. */
const STATES: readonly [is: string, isNot: string][] = [
  ['ready', 'unready notready'],
  [
    'running started active alive up online streaming runnable available',
    'stopped dead exited inactive down offline failed failure crashed crashloopbackoff terminated pending maint maintenance unavailable suspended',
  ],
  ['healthy passing green up', 'unhealthy degraded red critical failed failing down maint'],
  ['open', 'closed close'],
  ['refused rejected denied', 'accepted'],
  ['expired', 'valid'],
  ['defined', 'undefined'],
  ['missing absent', 'present existing'],
  ['enabled enable on active', 'disabled disable off'],
  ['stable', 'unstable rebalance rebalancing dead'],
  ['synced sync', 'outofsync stale'],
  ['passed success successful succeeded', 'failed failure'],
  ['ok normal', 'alarm alarming alerting alert error failed failing'],
  ['active', 'idle'],
  ['done finished completed complete', 'running pending queued'],
  ['sealed', 'unsealed'],
];
const POLARITY = STATES.map(
  ([is, isNot]) =>
    new Map([
      ...is.split(' ').map((word) => [word, true] as const),
      ...isNot.split(' ').map((word) => [word, false] as const),
    ]),
);
const TRUE = /^(?:true|yes|on|t|1)$/i;
const COUNT = /^[1-9]\d*$/;
const FALSE = /^(?:false|no|off|f|0|null|none)$/i;

const COPULA = /^(?:is|are|isn|aren|remains?|stays?|stayed|has|have|hasn)$/i;
/** `out of sync`. */
const NEGATION = /^(?:not|no|never|isn|aren|hasn|longer|out)$/i;
/** Beside a state that is not that of the results. */
const ELSEWHEN =
  /^(?:was|were|had|if|when|whether|until|once|unless|should|would|could|may|might|must|will|can|before|again|became|becomes|expected|supposed|to)$/i;
const CLAUSE = /^(?:[,;:]|but|while|whereas|because|although|so|since)$/i;
/** Tokens between `is` and a state. */
const MOST_BETWEEN = 4;

/** States beside a name that all records of that name contradict. */
export function readStates(tokens: readonly Token[], find: Find): Assertion[] {
  return tokens.flatMap((token, index) => {
    const word = token.word.toLowerCase();
    const copula = tokens.slice(0, index).findLastIndex((one) => COPULA.test(one.word));
    if (!/^\p{L}[\p{L}-]+$/u.test(word) || copula < 0 || index - copula > MOST_BETWEEN) return [];
    // `The second replica, web-2, is ready`.
    const isRelative = /^(?:which|that)$/i.test(tokens[copula - 1]?.word ?? '');
    const before = tokens.slice(0, copula - (isRelative ? 2 : 1));
    const start = before.findLastIndex((one) => CLAUSE.test(one.word)) + 1;
    const subject = tokens.slice(start, copula).map(nameOf);
    if (tokens.slice(start, index).some((one) => ELSEWHEN.test(one.word))) return [];
    // `has 37 unassigned shards` states nothing of the name.
    if (tokens.slice(copula, index).some((one) => CLAUSE.test(one.word) || one.value !== undefined))
      return [];
    if (/^(?:up|down)$/.test(word) && /ing$/i.test(tokens[index - 1]?.word ?? '')) return [];
    // `Disabled on this server`.
    if (
      /^(?:on|off|up|down)$/.test(word) &&
      /^(?:this|th[eo]s?e?|an?|all|its?)$/i.test(tokens[index + 1]?.word ?? '')
    )
      return [];
    // `41,902 objects are degraded` is a count.
    if (tokens[start]?.value !== undefined) return [];
    const is = !tokens.slice(copula, index).some((one) => NEGATION.test(one.word));
    const isListed = POLARITY.some((polarity) => polarity.has(word));
    for (const name of subject.filter((one) => one.length > 1).toReversed()) {
      const having = find(name).filter(({ names }) => isListed || names.has(word));
      let result: string | undefined;
      for (const { id, items } of having)
        for (const reading of readingsOf(name, word, subject, items())) {
          if (reading === is) return [];
          result ??= id;
        }
      if (result === undefined) continue;
      const { start: from = 0 } = tokens[copula] ?? {};
      return [{ kind: 'state', state: 'contradicted', start: from, end: token.end, result } as const];
    }
    return [];
  });
}

/** Whether a state holds, by each field of the items with a name and each field with it in its key. */
function* readingsOf(
  name: string,
  word: string,
  subject: readonly string[],
  { named, valued }: Items,
): Iterable<boolean> {
  const whole = joined(name);
  for (const { names, fields } of new Set([...(named.get(name) ?? []), ...(named.get(whole) ?? [])]))
    for (const { words, value, isState } of fields) {
      if (!names.has(name) && !words.includes(name) && words.at(-1) !== whole) continue;
      // `Deletion protection of core-1 is enabled` beside `DeletionProtection`.
      const isSubject =
        subject.some((one) => joined(one) === words.at(-1)) ||
        words.slice(0, -1).every((one) => subject.includes(one));
      const is = readingOf(isSubject ? [...words, 'enabled'] : words, value, word);
      if (is !== undefined) yield is;
      // A state that is not listed, and that another item has.
      else if (isState && valued.has(stateOf(word))) yield stateOf(value) === stateOf(word);
    }
}

function readingOf(keys: readonly string[], value: string, word: string): boolean | undefined {
  const bool = TRUE.test(value) ? true : FALSE.test(value) ? false : undefined;
  // `failed: 3` as well as `failed: true`.
  if (keys.includes(word) && (bool ?? COUNT.test(value))) return true;
  if (bool === false && keys.includes(word)) return false;
  for (const polarity of POLARITY) {
    const own = polarity.get(word);
    if (own === undefined) continue;
    const [, ready, all] = /^(\d+)\/(\d+)$/.exec(value) ?? [];
    if (ready !== undefined && keys.includes('ready') && polarity.has('ready'))
      return (ready === all) === own;
    const key = keys.map((one) => polarity.get(one)).find((one) => one !== undefined);
    if (bool !== undefined && key !== undefined) return (bool === key) === own;
    const words = wordsOf(value);
    const whole = polarity.get(words.at(-1) ?? '');
    if (whole !== undefined) return whole === own;
    const stated = words.flatMap((one, index) => {
      const is = polarity.get(one);
      return is === undefined ? [] : [words.slice(0, index).includes('not') ? !is : is];
    });
    if (stated.length > 0) return stated.includes(own);
  }
  return undefined;
}
