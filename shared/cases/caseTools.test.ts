import { expect, it } from 'vitest';
import { caseSources } from './caseTools.ts';

it('a server that agents name and a case lacks is there without tools', async () => {
  const counts = { calls: 0, unrecorded: [], log: [] };
  const [source, ...others] = caseSources([], counts, new Date(), ['internet']);
  expect(others).toEqual([]);
  expect(source?.name).toBe('internet');
  const connected = await source?.connect({} as never);
  expect(connected?.tools).toEqual([]);
});
