// Names beside a value of another name.

import { type Item, plainValue } from './items.ts';
import type { Assertion } from './markUnchecked.ts';
import type { Find } from './matchValue.ts';
import { isName } from './readValue.ts';
import { stemTokens } from './stems.ts';
import { type Token, tokenName } from './tokens.ts';

/** Characters of a number or a name that is in few records by chance. */
const SHORTEST = 3;
/** Results with a value; one in more of them belongs to no one record. */
const MOST_RESULTS = 20;

/** A name beside a number, time or name that stands only in records of other names. */
export function readMisattributedValues(tokens: readonly Token[], find: Find): Assertion[] {
  const names = tokens.map(tokenName);
  const stems = stemTokens(tokens);
  const stated = new Set(tokens.flatMap(listWrittenForms));
  const named = (word: string): Item[] =>
    find(word)
      .flatMap(({ items }) => [...(items().named.get(word) ?? [])])
      .filter((item) => item.names.has(word));
  for (const token of tokens) {
    const written = listWrittenForms(token);
    // A name of its own is no value.
    if (token.value === undefined && written.some((key) => named(key).length > 0)) continue;
    const having = written.map((key) => [key, find(key)] as const);
    if (having.flatMap(([, results]) => results).length > MOST_RESULTS) continue;
    const owners = having.flatMap(([key, results]) =>
      results.flatMap(({ id, items }) =>
        [...(items().valued.get(key) ?? [])].map((item) => ({
          id,
          item,
          keys: filterFieldsByValue(item, key),
        })),
      ),
    );
    const [first] = owners;
    const words = names.filter((_, index) => tokens[index] !== token);
    if (first === undefined || owners.some(({ item }) => words.some((one) => isWithinItem(item, one, named))))
      continue;
    const isLong = written.every((key) => key.length >= SHORTEST);
    const isNamed = owners.some(({ keys }) =>
      keys.some(({ words: key }) => [...stemTokens(key.map(asToken))].some((stem) => stems.has(stem))),
    );
    if (!isLong && !isNamed) continue;
    const misplaced = names.findIndex((name, index) => {
      if (name.length < SHORTEST || tokens[index]?.value !== undefined || tokens[index] === token)
        return false;
      const own = named(name);
      // A sentence with the values of both compares them.
      const isStated = ({ value }: Item['fields'][number]): boolean => stated.has(plainValue(value));
      const hasKey = ({ words: key }: Item['fields'][number]): boolean =>
        own.some(({ fields }) =>
          fields.some((field) => key.at(-1) === field.words.at(-1) && !isStated(field)),
        );
      const isListed = (item: Item): boolean =>
        own.some(({ list, fields }) => isLong && list === item.list && !fields.some(isStated));
      return owners.some(({ keys }) => keys.some(hasKey)) || owners.every(({ item }) => isListed(item));
    });
    const { start = 0, end = 0 } = tokens[misplaced] ?? {};
    if (misplaced >= 0) return [{ kind: 'name', state: 'contradicted', start, end, result: first.id }];
  }
  return [];
}

/** The forms in which items can have a value: a number in several units, a time with its seconds, a name. */
function listWrittenForms({ value, word }: Token): string[] {
  if (value === undefined) return isName(word) ? [word.toLowerCase()] : [];
  if (value.kind === 'time') return value.unit > 1000 ? [] : [new Date(value.ms).toISOString().slice(11, 19)];
  if (value.measure === 'count') return [];
  return [...new Set([1, ...value.factors])].map((factor) => plainValue(String(value.number * factor)));
}

/** The fields of an item with a value. */
const filterFieldsByValue = ({ fields }: Item, written: string): Item['fields'] =>
  fields.filter(({ value }) => plainValue(value) === written);

/** Whether a word names an item, or its parent: a container of a pod has the pod's name, too. */
const isWithinItem = (item: Item, word: string, named: (word: string) => readonly Item[]): boolean =>
  namesItem(item, word, named) || (item.parent !== undefined && isWithinItem(item.parent, word, named));

/** Whether a word names an item, a part of an otherwise unknown name, or is in one of its fields. */
const namesItem = (
  { names, fields }: Item,
  word: string,
  named: (word: string) => readonly Item[],
): boolean =>
  word.length >= SHORTEST &&
  (names.has(word) ||
    ([...names].some((name) => withDashes(name).includes(withDashes(word))) && named(word).length === 0) ||
    (isName(word) && fields.some(({ value }) => value.toLowerCase() === word)));

const asToken = (word: string): Token => ({ word, start: 0, end: 0 });

const withDashes = (name: string): string => `-${name.replaceAll(/[._/:@]/g, '-')}-`;
