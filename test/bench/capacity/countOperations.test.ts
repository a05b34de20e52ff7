import { expect, it } from 'vitest';
import { countOperations, type Message } from './countOperations.ts';
import { defaultInputs } from './inputs.ts';

const ITERATIONS = 3;

async function count(dailyTokens: number) {
  const inputs = defaultInputs();
  Object.assign(inputs.investigation, { iterations: ITERATIONS, dailyTokens });
  return countOperations(inputs, 2);
}

const operations = (messages: Message[]) => messages.flatMap(({ segments }) => segments.flat());
const names = (messages: Message[]) => operations(messages).flatMap(({ documents }) => documents);

it('counts the messages of investigations, their waits, and the operations between them', async () => {
  const { investigations, indexes } = await count(0);
  const [messages = []] = investigations;
  expect(messages.map(({ service, waits }) => [service, ...waits])).toEqual([
    ['ingestAlert'],
    ['runIteration', 'model', 'tool'],
    ['runIteration', 'model', 'tool'],
    // The conclusion and the summary.
    ['runIteration', 'model'],
    ['runIteration', 'model'],
  ]);
  expect(investigations[1]?.map(({ service }) => service)).toEqual(messages.map(({ service }) => service));
  for (const { segments, waits } of messages) expect(segments).toHaveLength(waits.length + 1);
  // The claim, the renewal after five seconds, the answer with the call, and the result.
  expect(operations(messages.slice(2, 3)).filter(({ isCommit }) => isCommit)).toHaveLength(4);
  // Only documents of all sessions are shared.
  expect(names(messages).filter((name) => name.includes('sessions/'))).toEqual([]);
  expect(Object.values(indexes).every((writes) => writes > 0)).toBe(true);
});

it('names the documents that investigations share, without their times', async () => {
  const [without, withBudget] = [await count(0), await count(100_000_000)];
  const added = names(withBudget.investigations[0] ?? []).filter(
    (name) => !names(without.investigations[0] ?? []).includes(name),
  );
  expect(added.length).toBeGreaterThan(0);
  for (const name of added) expect(name).not.toMatch(/\d{4}-\d\d-\d\d/);
});
