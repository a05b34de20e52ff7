import { expect, it } from 'vitest';
import { systemClock } from '../../core/kernel/deps.ts';
import { paths, runbookType } from '../../lists/documents.ts';
import { createMaskers } from '../../masking/maskers.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { putRunbook } from './putRunbook.ts';

it('stores a runbook without secrets, and replaces it', async () => {
  const store = createMemoryStore();
  const maskerFor = createMaskers({ known: ['zebra mountain 77 quartz'] });
  const put = (text: string, by = 'ada') =>
    putRunbook({ key: 'oom', text, by }, { store, clock: systemClock, maskerFor });
  const stored = async () => (await store.get(paths.runbook('oom'), runbookType))?.value;

  expect(await put('log in with zebra mountain 77 quartz\u202e')).toBe('created');
  expect(await stored()).toMatchObject({
    key: 'oom',
    updatedBy: 'ada',
    text: expect.stringMatching(/^log in with \[masked:known#\w+\]\ufffd$/),
  });
  expect(await put('log in with zebra mountain 77 quartz\u202e', 'bob')).toBe('unchanged');
  expect(await stored()).toMatchObject({ updatedBy: 'ada' });
  expect(await put('restart', 'bob')).toBe('replaced');
  expect(await stored()).toMatchObject({ updatedBy: 'bob', text: 'restart' });
});
