import { expect, it } from 'vitest';
import * as z from 'zod';
import { LARGEST_LIMITS } from '../agents/optionFaults.ts';
import { limitFields } from './limitFields.ts';

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
  expect(Object.values(limits.parse(largest))).toEqual(Object.values(LARGEST_LIMITS));
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
});
