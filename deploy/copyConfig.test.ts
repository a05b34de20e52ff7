import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../test/support/ownConfig.ts';
import { copyConfig } from './copyConfig.ts';

it('a configuration is copied without packs, .env and other hidden files, also from a hidden folder', async () => {
  const from = join(temporaryFolder(), '.my-config');
  for (const name of ['runbooks', 'packs/locks']) mkdirSync(join(from, name), { recursive: true });
  const files = ['agents.yaml', '.env', '.gitignore', 'runbooks/a.md', 'runbooks/.env', 'packs/gcp.yaml'];
  for (const name of [...files, 'packs/locks/gcp.txt']) writeFileSync(join(from, name), 'text');
  const to = join(temporaryFolder(), 'config');
  await copyConfig(from, to);
  expect(readdirSync(to, { recursive: true }).sort()).toEqual([
    '.parsed.json',
    'agents.yaml',
    'runbooks',
    'runbooks/a.md',
  ]);
});
