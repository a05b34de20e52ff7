// States beside a name that the records of that name contradict.

import { formatStateKey, type Item, type Items, joined, namesIn, splitCamelWords } from './items.ts';
import type { Assertion } from './markUnchecked.ts';
import type { Find } from './matchValue.ts';
import { GOOD, isStateWord, POLARITIES, stateStem } from './stateWords.ts';
import type { Tokens } from './tokens.ts';

const TRUE = /^(?:true|yes|on|t|1)$/i;
const FALSE = /^(?:false|no|off|f|0|null|none)$/i;
const COUNT = /^[1-9]\d*$/;

const COPULA = /^(?:is|are|isn|aren|remains?|stays?|stayed|has|have|hasn)$/i;
/** `out of sync`. */
const NEGATION = /^(?:not|no|never|isn|aren|hasn|longer|out)$/i;
/** Beside a state that is not that of the results. */
const ELSEWHEN =
  /^(?:was|were|had|if|when|whether|until|once|unless|should|would|could|may|might|must|will|can|before|again|became|becomes|expected|supposed)$/i;
const CLAUSE = /^(?:[,;:]|but|while|whereas|because|although|so|since)$/i;
/** Characters of a word such as `of` or `the`. */
const SHORT_WORD = 3;
/** Tokens between `is` and a state. */
const MOST_BETWEEN = 4;

/** States beside a name that all records of that name contradict. */
export function readStates({ text, tokens }: Tokens, find: Find): Assertion[] {
  // `10.0.0.4:9100` and `https://etcd-a` are one name.
  const isClause = tokens.map(
    ({ word, end }, index) => CLAUSE.test(word) && (word !== ':' || tokens[index + 1]?.start !== end),
  );
  const found: Assertion[] = [];
  let copula = -1;
  for (const [index, token] of tokens.entries()) {
    const isStated = copula >= 0 && index - copula <= MOST_BETWEEN;
    if (COPULA.test(token.word)) copula = index;
    const word = token.word.toLowerCase();
    if (!isStated || copula === index || !/^\p{L}[\p{L}-]+$/u.test(word)) continue;
    // `The second replica, web-2, is ready`.
    const isRelative = /^(?:which|that)$/i.test(tokens[copula - 1]?.word ?? '');
    const start = isClause.slice(0, Math.max(0, copula - (isRelative ? 2 : 1))).lastIndexOf(true) + 1;
    const between = tokens.slice(copula + 1, index);
    const isElsewhen = tokens.slice(start, index).some((one) => ELSEWHEN.test(one.word));
    // `has 37 unassigned shards`, `is out of disk` and `is the one that runs` state nothing of the name.
    const isOther = between.some(
      (one) =>
        one.value !== undefined ||
        /^(?:to|that|which|who)$/i.test(one.word) ||
        (/^out$/i.test(one.word) && word !== 'sync'),
    );
    // `41,902 objects are degraded` is a count, `88240 is idle` a name.
    const isCount =
      tokens[start]?.value !== undefined && start + 1 < copula && /^\s/.test(text.slice(tokens[start]?.end));
    if (isElsewhen || isOther || isCount || isClause.slice(copula, index).includes(true)) continue;
    if (/^(?:up|down)$/.test(word) && /ing$/i.test(tokens[index - 1]?.word ?? '')) continue;
    // `Disabled on this server`.
    const next = tokens[index + 1]?.word ?? '';
    if (/^(?:on|off|up|down)$/.test(word) && /^(?:this|th[eo]s?e?|an?|all|its?)$/i.test(next)) continue;
    const is = !tokens.slice(copula, index).some((one) => NEGATION.test(one.word));
    const subject = text.slice(tokens[start]?.start, tokens[copula]?.start);
    const result = contradictionOf(namesIn(subject), word, is, find);
    const { start: from = 0 } = tokens[copula] ?? {};
    if (result !== undefined)
      found.push({ kind: 'state', state: 'contradicted', start: from, end: token.end, result });
  }
  return found;
}

/** The first result of those that contradict a state of the last name of a subject that has one. */
function contradictionOf(
  subject: readonly string[],
  word: string,
  is: boolean,
  find: Find,
): string | undefined {
  const state = word.replaceAll('-', '');
  const isListed = isStateWord(state);
  const { plain, stem } = stateStem(state);
  for (const name of subject.filter((one) => one.length > 1).toReversed()) {
    const [part = name] = name.split(/[/:@]/, 1);
    const readings = find(part)
      .filter(({ names }) => isListed || [word, plain, stem].some((one) => names.has(one)))
      .flatMap(({ id, items }) =>
        readStateFields(name, state, subject, items()).map((one) => ({ ...one, id })),
      );
    const strong = readings.filter(({ rank }) => rank > WEAK);
    const [first, ...others] = strong.length > 0 ? strong : readings;
    if (first !== undefined) return [first, ...others].some((one) => one.is === is) ? undefined : first.id;
  }
  return undefined;
}

interface Reading {
  is: boolean;
  /** How well the field states it. */
  rank: number;
}

/** The rank of a field with other words in its key. */
const WEAK = 4;

function readStateFields(name: string, word: string, subject: readonly string[], items: Items): Reading[] {
  const whole = joined(name);
  const having = new Set([...(items.named.get(name) ?? []), ...(items.named.get(whole) ?? [])]);
  return [...having].flatMap((item) => {
    const readings = item.fields
      .filter(({ words }) => item.names.has(name) || words.includes(name) || words.at(-1) === whole)
      .flatMap((field) => readField(field, word, subject, items) ?? []);
    const best = Math.max(...readings.map(({ rank }) => rank));
    return readings.filter(({ rank }) => rank === best);
  });
}

function readField(
  field: Item['fields'][number],
  word: string,
  subject: readonly string[],
  { valued }: Items,
): Reading | undefined {
  const { words, value, isState } = field;
  const others = words
    .slice(0, -1)
    .filter((one) => !/^(?:is|has)$/.test(one) && !isSame(one, word) && !isStateWord(one));
  // `Deletion protection of core-1 is enabled` beside `DeletionProtection`.
  const isInSubject = (key = ''): boolean => subject.some((name) => joined(name) === joined(key));
  const isSubject = isInSubject(words.at(-1));
  const isNamed = isSubject || (others.length > 0 && others.every(isInSubject));
  const isPlain = isNamed && others.length === words.length - 1;
  const keys = isSubject || isPlain ? [...words, 'enabled'] : words;
  const weight = isNamed ? 3 : others.length === 0 || isState ? 2 : 1;
  const own = readKey(keys, value, word, weight > 1);
  if (own !== undefined) return { is: own, rank: weight + (weight > 1 ? 6 : 3) };
  const specific = readStateField(keys, value, word);
  if (specific !== undefined) return { is: specific, rank: weight + 3 };
  // A state that is not listed, and that another item has.
  if (isState && valued.has(formatStateKey(word)))
    return { is: formatStateKey(value) === formatStateKey(word), rank: weight + 2.5 };
  const is = weight > 1 ? readBy(GOOD, keys, value, word) : undefined;
  return is === undefined ? undefined : { is, rank: weight };
}

const isSame = (key: string, word: string): boolean => stateStem(key).stem === stateStem(word).stem;

/** `failed: 3` as well as `failed: true`. */
function readKey(
  keys: readonly string[],
  value: string,
  word: string,
  canCount: boolean,
): boolean | undefined {
  const key = keys.find((one) => isSame(one, word));
  const isCount = canCount && key === word && isStateWord(word) && COUNT.test(value);
  const isTrue = readBool(value) ?? (isCount || undefined);
  if (key === undefined || isTrue === undefined) return undefined;
  return isTrue === (stateStem(key).isOpposite === stateStem(word).isOpposite);
}

function readStateField(keys: readonly string[], value: string, word: string): boolean | undefined {
  for (const polarity of POLARITIES) {
    const is = readBy(polarity, keys, value, word);
    if (is !== undefined) return is;
  }
  const same = word.length > SHORT_WORD ? splitCamelWords(value).find((one) => isSame(one, word)) : undefined;
  return same === undefined ? undefined : stateStem(same).isOpposite === stateStem(word).isOpposite;
}

const readBool = (value: string): boolean | undefined =>
  TRUE.test(value) ? true : FALSE.test(value) ? false : undefined;

/** Whether a field states a word, by one pair of opposites. */
function readBy(
  polarity: (word: string) => boolean | undefined,
  keys: readonly string[],
  value: string,
  word: string,
): boolean | undefined {
  const own = polarity(word);
  if (own === undefined) return undefined;
  const [, ready, all] = /^(\d+)\/(\d+)$/.exec(value) ?? [];
  if (ready !== undefined && keys.includes('ready') && polarity('ready')) return (ready === all) === own;
  const [key] = keys.map(polarity).filter((one) => one !== undefined);
  const bool = readBool(value);
  if (bool !== undefined && key !== undefined) return (bool === key) === own;
  const words = splitCamelWords(value);
  const whole = polarity(words.at(-1) ?? '');
  if (whole !== undefined) return whole === own;
  const stated = words.flatMap((one, index) => {
    const is = polarity(one);
    return is === undefined ? [] : [{ one, is: words.slice(0, index).includes('not') ? !is : is }];
  });
  // `Up 9 days (unhealthy)`.
  const [first] = [...stated.filter(({ one }) => isSame(one, word)), ...stated];
  return first === undefined ? undefined : first.is === own;
}
