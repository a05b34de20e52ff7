import { expect, it } from 'vitest';
import type { ToolList } from '../agents/toolList.ts';
import { recordedSources } from './recordedSources.ts';

const at = (second: number) => new Date(second * 1_000);
const makeToolList = (tool: string, second: number) =>
  ({
    server: 'logs',
    createdAt: at(second),
    list: JSON.stringify({ tools: [{ name: tool, description: '', readOnly: true }] }),
  }) as ToolList;

it.each([
  ['before the first list', 5, 'first'],
  ['at the first list', 10, 'first'],
  ['between the lists', 19, 'first'],
  ['at the last list', 20, 'second'],
  ['behind it', 90, 'second'],
])('a server that is connected %s offers the newest list up to then', async (_, second, tool) => {
  const lists = [makeToolList('second', 20), makeToolList('first', 10)];
  const [source] = recordedSources(
    lists,
    ['logs'],
    () => ({ at: at(second), missing: [] }),
    () => {
      throw new Error('nothing is called');
    },
  );
  const connected = await source?.connect(new AbortController().signal);
  expect(connected?.tools.map(({ name }) => name)).toEqual([tool]);
});
