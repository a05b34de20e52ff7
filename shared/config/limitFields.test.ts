import { expect, it } from 'vitest';
import * as z from 'zod';
import { limitFaults } from '../agents/limits.ts';
import { limitFields, toLimits } from './limitFields.ts';

it('the largest limits of files are those of programs', () => {
  const largest = {
    maxIterations: 500,
    iterationTimeout: '8m',
    toolTimeout: '8m',
    firstChunkTimeout: '8m',
    stallTimeout: '8m',
    modelOutage: '24h',
    toolResultLimit: '400KB',
    conversationBytes: '20MB',
  };
  const limits = z.object(limitFields);
  const inPrograms = {
    maxIterations: 500,
    iterationTimeoutMs: 480_000,
    toolTimeoutMs: 480_000,
    firstChunkTimeoutMs: 480_000,
    stallTimeoutMs: 480_000,
    modelOutageMs: 86_400_000,
    toolResultBytes: 400_000,
    conversationBytes: 20_000_000,
  };
  expect(toLimits(limits.parse(largest))).toEqual(inPrograms);
  expect(limitFaults(inPrograms)).toEqual([]);
  const above = {
    maxIterations: 501,
    iterationTimeout: '9m',
    toolTimeout: '9m',
    firstChunkTimeout: '9m',
    stallTimeout: '9m',
    modelOutage: '25h',
    toolResultLimit: '401KB',
    conversationBytes: '21MB',
  };
  const faults = limits.safeParse(above).error?.issues.map(({ path }) => path[0]);
  expect(faults).toEqual(Object.keys(above));
  const more = Object.fromEntries(Object.entries(inPrograms).map(([name, value]) => [name, value + 1]));
  expect(limitFaults(more).map(({ path }) => path[0])).toEqual(Object.keys(more));
});
