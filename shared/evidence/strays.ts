// Names beside a number of another name.

import { type Find, type Item, plainValue } from './items.ts';
import type { Assertion } from './markUnchecked.ts';
import { stemsOf } from './stems.ts';
import { nameOf, type Token } from './tokens.ts';

/** Characters of a number or a name that is in few records by chance. */
const SHORTEST = 3;
/** Results with a number; one in more of them belongs to no one record. */
const MOST_RESULTS = 20;

/** A name beside a number that stands only in records of other names. */
export function readStrays(tokens: readonly Token[], find: Find): Assertion[] {
  const words = tokens.map(nameOf);
  const stems = stemsOf(tokens);
  for (const { value } of tokens) {
    if (value?.kind !== 'number' || value.measure === 'count') continue;
    const written = [1, ...value.factors].map((factor) => plainValue(String(value.number * factor)));
    const having = new Map(written.map((number) => [number, find(number)]));
    if ([...having.values()].flat().length > MOST_RESULTS) continue;
    const owners = [...having].flatMap(([number, results]) =>
      results.flatMap(({ id, read }) =>
        [...(read().valued.get(number) ?? [])].map((item) => ({ id, item, keys: keysOf(item, number) })),
      ),
    );
    const [first] = owners;
    if (first === undefined || owners.some(({ item }) => words.some((one) => isOf(item, one)))) continue;
    const isLong = String(value.number).length >= SHORTEST;
    const isNamed = owners.some(({ keys }) =>
      keys.some(({ words: key }) => [...stemsOf(key.map(asToken))].some((stem) => stems.has(stem))),
    );
    if (!isLong && !isNamed) continue;
    const stray = words.findIndex((name, index) => {
      if (name.length < SHORTEST || tokens[index]?.value !== undefined) return false;
      const own = find(name)
        .flatMap(({ read }) => [...(read().named.get(name) ?? [])])
        .filter(({ names }) => names.has(name));
      const hasKey = ({ words: key }: Item['fields'][number]): boolean =>
        own.some(({ fields }) => fields.some(({ words: other }) => key.at(-1) === other.at(-1)));
      const isListed = (item: Item): boolean => own.some(({ list }) => isLong && list === item.list);
      return owners.some(({ keys }) => keys.some(hasKey)) || owners.every(({ item }) => isListed(item));
    });
    const { start = 0, end = 0 } = tokens[stray] ?? {};
    if (stray >= 0) return [{ kind: 'name', state: 'contradicted', start, end, result: first.id }];
  }
  return [];
}

/** The fields of an item with a value. */
const keysOf = ({ fields }: Item, number: string): Item['fields'] =>
  fields.filter(({ value }) => plainValue(value) === number);

/** Whether a word names an item, or a part of its name; or stands in one of its fields. */
const isOf = ({ names, fields }: Item, word: string): boolean =>
  word.length >= SHORTEST &&
  (names.has(word) ||
    [...names].some((name) => withDashes(name).includes(withDashes(word))) ||
    (!/^[\d.]+$/.test(word) && fields.some(({ value }) => value.toLowerCase() === word)));

const asToken = (word: string): Token => ({ word, start: 0, end: 0 });

const withDashes = (name: string): string => `-${name.replaceAll(/[._/:@]/g, '-')}-`;
