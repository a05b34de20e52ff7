// Search of tools: 200 public definitions, 120 labelled calls, and 20 later questions.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { ToolDefinition } from '../../../shared/core/contract/tools.ts';
import { FOUND_TOOLS, foundTools, searchTools } from '../../../shared/core/prompts/toolSearch.ts';
import { rankTools } from '../../../shared/search/rankTools.ts';

function linesOf(file: string): string[][] {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('|'));
}

const tools = linesOf('tools.txt').map(([name = '', parameters = '', description = '']): ToolDefinition => {
  const names = parameters.split(',').filter((one) => one !== '');
  const properties = Object.fromEntries(names.map((one) => [one, { type: 'string' }]));
  return { name, description, inputSchema: { type: 'object', properties }, readOnly: true };
});
const callsOf = (file: string) => linesOf(file).map(([name = '', query = '']) => ({ name, query }));
const calls = callsOf('calls.txt');

const foundFor = (query: string) => rankTools(query, tools).slice(0, FOUND_TOOLS);
/** As a provider gets them. Four bytes are about one token, for both. */
const bytesOf = (definitions: readonly ToolDefinition[]) =>
  JSON.stringify(
    definitions.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  ).length;

it('has 200 tools and 120 calls', () => {
  expect([tools.length, new Set(tools.map(({ name }) => name)).size, calls.length]).toEqual([200, 200, 120]);
});

const missedOf = (all: typeof calls) =>
  all.filter(({ name, query }) => !foundFor(query).some((tool) => tool.name === name));

it('has the right tool among the first ten for 95 % of the calls', () => {
  const missed = missedOf(calls);
  expect(missed.length, JSON.stringify(missed)).toBeLessThanOrEqual(6);
});

// Figure: docs/decisions/0130-search-of-tools.md. Questions often share no word with the tool.
it('has the right tool among the first ten for 14 of 20 questions that no one has tuned on', () => {
  const questions = callsOf('freshCalls.txt');
  expect([questions.length, questions.length - missedOf(questions).length]).toEqual([20, 14]);
});

it('has the right tool at the recorded place', async () => {
  const places = [...calls, ...callsOf('freshCalls.txt')].map(({ name, query }) => {
    const ranked = rankTools(query, tools);
    return `${ranked.findIndex((tool) => tool.name === name) + 1} of ${ranked.length}: ${name}: ${query}`;
  });
  // 0: not found. `npx vitest run FILE -u` writes the file: look at its difference.
  await expect(`${places.join('\n')}\n`).toMatchFileSnapshot('places.txt');
});

it('takes at most 20 % of the prompt that lists all tools, with the result of the largest search', () => {
  const results = calls.map(({ query }) => foundTools(foundFor(query), tools.length).length);
  const own = bytesOf(searchTools(['github', 'grafana', 'kubernetes', 'pagerduty']));
  expect((own + Math.max(...results)) / bytesOf(tools)).toBeLessThanOrEqual(0.2);
});
