import { expect, it } from 'vitest';
import { searchedText } from './searchText.ts';
import { tokenizeText } from './tokens.ts';

it('a text that repeats a quote at each of its words is searched for 20,000,000 comparisons', () => {
  const { tokens } = tokenizeText('a '.repeat(4_000));
  expect(searchedText('a '.repeat(12_000)).placesOf(tokens)).toHaveLength(5_000);
});
