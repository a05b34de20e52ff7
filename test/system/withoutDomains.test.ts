import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const FIXTURE = fileURLToPath(new URL('./fixtures/withoutDomains.ts', import.meta.url));

it('functions answer and fail as with domains, and no domain is ever active', async () => {
  // In a process of its own, because what it replaces belongs to the whole process.
  const { stdout } = await promisify(execFile)(process.execPath, [FIXTURE]);
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual({
    answers: [204, 500, '{"ok":true}'],
    active: [null, null],
  });
});
