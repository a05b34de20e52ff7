// The assertions of an analysis beside its values: rise and fall, states, and claims of cause.

import { amountOf } from './derivedNumbers.ts';
import { type Items, joined, plainValue, readItems, stateOf, wordsOf } from './items.ts';
import { stemsOf } from './sourceIndex.ts';
import { isWord, type Token, tokensOf } from './tokens.ts';
import { type NumberValue, numberAt } from './values.ts';

/** An assertion, by its place in the prepared analysis. */
export interface Assertion {
  kind: 'name' | 'direction' | 'state' | 'cause';
  state: 'contradicted' | 'claim';
  start: number;
  end: number;
  result?: string;
}

/** A result whose items are read when a name in it needs them; its text is in lower case. */
interface ReadResult {
  id: string;
  text: string;
  read: () => Items;
}

/** @param source a result. */
export function readLater({ id, text }: { id: string; text: string }): ReadResult {
  let items: Items | undefined;
  return { id, text: text.toLowerCase(), read: () => (items ??= readItems(text)) };
}

/** The results that have a text, in lower case. */
type Find = (text: string) => readonly ReadResult[];

const RISE =
  /^(?:ris(?:es?|en|ing)|rose|gr[eo]w(?:s|n|ing)?|(?:climb|increas|jump|surg|soar|spik|rais|doubl|tripl|quadrupl|multipl|expand|rocket|skyrocket|explod|escalat|accelerat)\p{L}*|shot|up|higher)$/iu;
const FALL =
  /^(?:f[ae]ll(?:s|en|ing)?|(?:drop|declin|decreas|plummet|plung|collaps|reduc|lower|halv|slump|reced|dwindl|dip)\p{L}*|shr[aiu]nk(?:s|ing)?|s[aiu]nk(?:s|ing)?|down)$/iu;

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
  ['enabled enable on', 'disabled disable off'],
  ['stable', 'unstable rebalance rebalancing dead'],
  ['synced sync', 'outofsync stale'],
  ['passed success succeeded', 'failed failure'],
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

const CAUSE =
  /\b(?:caused by|because of|due to|(?:as )?a (?:result|consequence) of|owing to|triggered by)\b/giu;

/** Tokens of the longest sentence that is read. */
const MOST_TOKENS = 300;

/** Reads the assertions of a prepared analysis. @param covered the causes of the verdict, in words. */
export function readAssertions(
  text: string,
  results: readonly ReadResult[],
  covered: readonly string[],
): Assertion[] {
  const sentences = text.split(/(?<=[.!?])\s+|\n/);
  const having = new Map<string, readonly ReadResult[]>();
  const find: Find = (word) => {
    const found = having.get(word) ?? results.filter((one) => one.text.includes(word));
    having.set(word, found);
    return found;
  };
  let from = 0;
  return sentences.flatMap((sentence) => {
    const offset = text.indexOf(sentence, from);
    from = offset + sentence.length;
    const { tokens } = tokensOf(sentence);
    if (tokens.length > MOST_TOKENS) return [];
    const found = [
      ...directionOf(tokens, find),
      ...statesOf(tokens, find),
      ...straysOf(tokens, find),
      ...causesOf(sentence, covered),
    ];
    return found.map((one) => ({ ...one, start: one.start + offset, end: one.end + offset }));
  });
}

const numberOf = ({ value, word }: Token): NumberValue | undefined =>
  value?.kind === 'number' ? value : word === 'zero' ? numberAt('0', 0)?.value : undefined;

/** A rise that is called a fall, or a fall that is called a rise: between two values, or to the last value of a series. */
function directionOf(tokens: readonly Token[], find: Find): Assertion[] {
  if (tokens.some(({ word }) => /^(?:not|never|without)$/i.test(word))) return [];
  const after = (preposition: RegExp): { number: NumberValue; at: number } | undefined => {
    for (const [at, { word }] of tokens.entries()) {
      if (!preposition.test(word) || tokens[at + 1]?.value?.kind === 'time') continue;
      const number = tokens
        .slice(at + 1, at + 5)
        .map(numberOf)
        .find((one) => one !== undefined);
      if (number !== undefined) return { number, at };
    }
    return undefined;
  };
  const [first, last] = [after(/^from$/i)?.number, after(/^(?:to|->|→)$/i)];
  if (last === undefined) return [];
  const isVerb = ({ word }: Token): boolean => RISE.test(word) || FALL.test(word);
  const verb = tokens.slice(0, last.at).findLast(isVerb) ?? tokens.find(isVerb);
  if (verb === undefined) return [];
  const found = first === undefined ? inSeries(last.number, find) : { isRise: isMore(last.number, first) };
  if (found?.isRise === undefined || found.isRise === RISE.test(verb.word)) return [];
  return [{ ...found, kind: 'direction', state: 'contradicted', start: verb.start, end: verb.end }];
}

/** Whether a number is more than one of the same quantity; undefined where that is not known. */
function isMore(last: NumberValue, first: NumberValue): boolean | undefined {
  if (first.measure !== last.measure && first.measure !== '' && last.measure !== '') return undefined;
  const { measure, factors } = first.measure === '' ? last : first;
  const difference = amountOf(last) - amountOf({ ...first, measure, factors });
  return difference === 0 ? undefined : difference > 0;
}

/** Whether a number is more or less than all before it, in each series that has it. */
function inSeries(last: NumberValue, find: Find): { isRise: boolean; result: string } | undefined {
  const amounts = [1, ...last.factors].map((factor) => [last.number * factor, last.half * factor] as const);
  const isLast = (one: number): boolean => amounts.some(([amount, half]) => Math.abs(one - amount) <= half);
  // Its first digits, in any unit.
  const having = new Set(amounts.flatMap(([amount]) => find(String(amount).slice(0, 3))));
  const found = [...having].flatMap(({ read, id }) =>
    read().series.flatMap((values) => {
      const numbers = values.map(Number);
      const at = numbers.findIndex(isLast);
      const [end = 0, before] = [numbers[at], numbers.slice(0, Math.max(0, at))];
      if (before.length === 0 || before.includes(end)) return [];
      const isRise = before.every((one) => one < end);
      return isRise || before.every((one) => one > end) ? [{ isRise, result: id }] : [];
    }),
  );
  return new Set(found.map(({ isRise }) => isRise)).size === 1 ? found[0] : undefined;
}

/** States beside a name that all records of that name contradict. */
function statesOf(tokens: readonly Token[], find: Find): Assertion[] {
  return tokens.flatMap((token, index) => {
    const word = token.word.toLowerCase();
    const copula = tokens.slice(0, index).findLastIndex((one) => COPULA.test(one.word));
    if (!/^\p{L}[\p{L}-]+$/u.test(word) || copula < 0 || index - copula > MOST_BETWEEN) return [];
    // `The second replica, web-2, is ready`.
    const start = tokens.slice(0, copula - 1).findLastIndex((one) => CLAUSE.test(one.word)) + 1;
    const subject = tokens.slice(start, copula).map(nameOf);
    if (tokens.slice(start, index).some((one) => ELSEWHEN.test(one.word))) return [];
    // `has 37 unassigned shards` states nothing of the name.
    if (tokens.slice(copula, index).some((one) => CLAUSE.test(one.word) || one.value !== undefined))
      return [];
    const is = !tokens.slice(copula, index).some((one) => NEGATION.test(one.word));
    const isListed = POLARITY.some((polarity) => polarity.has(word));
    for (const name of subject.filter((one) => one.length > 1).toReversed()) {
      const having = find(name).filter(({ text }) => isListed || text.includes(word));
      let result: string | undefined;
      for (const { id, read } of having)
        for (const reading of readingsOf(name, word, subject, read())) {
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

const nameOf = ({ word, value }: Token): string =>
  value?.kind === 'number' ? String(value.number) : word.toLowerCase();

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
        subject.includes(words.at(-1) ?? '') || words.slice(0, -1).every((one) => subject.includes(one));
      const is = readingOf(isSubject ? [...words, 'enabled'] : words, value, word);
      if (is !== undefined) yield is;
      // A state that is not listed, and that another item has.
      else if (isState && valued.has(stateOf(word))) yield stateOf(value) === stateOf(word);
    }
}

function readingOf(keys: readonly string[], value: string, word: string): boolean | undefined {
  const bool = TRUE.test(value) ? true : FALSE.test(value) ? false : undefined;
  if (bool !== undefined && keys.includes(word)) return bool;
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
      return is === undefined ? [] : [words[index - 1] === 'not' ? !is : is];
    });
    if (stated.length > 0) return stated.includes(own);
  }
  return undefined;
}

/** Characters of a number or a name that is in few records by chance. */
const SHORTEST = 3;

/** A name beside a number that only other records of its lists have. */
function straysOf(tokens: readonly Token[], find: Find): Assertion[] {
  const words = tokens.map(nameOf);
  for (const { value } of tokens) {
    if (value?.kind !== 'number' || value.measure === 'count') continue;
    const number = plainValue(String(value.number));
    for (const { id, read } of number.length < SHORTEST ? [] : find(number)) {
      const { named, valued } = read();
      const owners = [...(valued.get(number) ?? [])];
      const isOwn = owners.some(({ names }) => words.some((one) => names.has(one)));
      if (owners.length === 0 || isOwn) continue;
      const stray = words.findIndex((name, index) => {
        const items = tokens[index]?.value === undefined ? [...(named.get(name) ?? [])] : [];
        const own = new Set(items.filter(({ names }) => names.has(name)).map(({ list }) => list));
        return name.length >= SHORTEST && own.size > 0 && owners.every(({ list }) => own.has(list));
      });
      const { start = 0, end = 0 } = tokens[stray] ?? {};
      if (stray >= 0) return [{ kind: 'name', state: 'contradicted', start, end, result: id }];
    }
  }
  return [];
}

/** Claims of cause that the verdict does not cover, outside quotes. */
function causesOf(sentence: string, covered: readonly string[]): Assertion[] {
  const stems = stemsOf(tokensOf(covered.join(' ')).tokens);
  return [...sentence.matchAll(CAUSE)].flatMap(({ index, 0: words }) => {
    const isQuoted = /^\s*>/.test(sentence) || (sentence.slice(0, index).split('"').length - 1) % 2 === 1;
    const [phrase = ''] = sentence.slice(index + words.length).split(/[,;:.)]+(?=\s|$)/, 1);
    const end = index + words.length + phrase.length;
    const isCovered = [...stemsOf(tokensOf(phrase).tokens.filter(isWord))].some((stem) => stems.has(stem));
    return isQuoted || isCovered
      ? []
      : [{ kind: 'cause' as const, state: 'claim' as const, start: index, end }];
  });
}
