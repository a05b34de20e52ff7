// Problems of destinations that are known before the first message, with the place of their entry.

import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGithub } from '../../local/destinations/github.fixture.ts';
import { startPagerduty } from '../../local/destinations/pagerduty.fixture.ts';
import { temporaryFolder } from '../../test/support/ownConfig.ts';
import { destinationFaults } from './checkDestinations.ts';

async function folderWith() {
  const github = await startGithub({ repository: 'shop/incidents', tokens: { good: { canWrite: true } } });
  const pagerduty = await startPagerduty({ keys: { key: {} }, users: ['a@example.com'], incidents: [] });
  onTestFinished(async () => void (await Promise.all([github.stop(), pagerduty.stop()])));
  const folder = temporaryFolder();
  const lines = [
    'destinations:',
    '  issues:',
    '    kind: github',
    `    token: \${GITHUB_TOKEN}`,
    '    repository: shop/incidents',
    `    apiUrl: ${github.url}`,
    '  pager:',
    '    kind: pagerduty',
    `    token: \${PAGER_KEY}`,
    '    from: b@example.com',
    `    apiUrl: ${pagerduty.url}`,
  ];
  writeFileSync(join(folder, 'destinations.yaml'), lines.join('\n'));
  return { folder, requests: () => [...github.requests, ...pagerduty.requests].map(({ method }) => method) };
}

describe('destinationFaults', () => {
  it('names the entry, the problem and the fix, without a message', async () => {
    const { folder, requests } = await folderWith();
    const faults = await destinationFaults(folder, { GITHUB_TOKEN: 'old', PAGER_KEY: 'key' });
    expect(faults.map(({ file, path, message }) => [basename(file), path, message])).toEqual([
      [
        'destinations.yaml',
        'destinations.issues',
        expect.stringContaining('bad_credentials: The token is wrong'),
      ],
      [
        'destinations.yaml',
        'destinations.pager',
        expect.stringContaining('unknown_user: No user of the account'),
      ],
    ]);
    expect(faults.every(({ position }) => (position?.line ?? 0) > 1)).toBe(true);
    expect(requests()).toEqual(['GET', 'GET']);
    expect(JSON.stringify(faults)).not.toContain('old');
  });

  it('names variables that are not set, and asks nothing', async () => {
    const { folder, requests } = await folderWith();
    const faults = await destinationFaults(folder, { GITHUB_TOKEN: 'good' });
    expect(faults.map(({ message }) => message).join()).toContain('PAGER_KEY');
    expect(requests()).toEqual([]);
  });

  it('are none without the file', async () => {
    expect(await destinationFaults(temporaryFolder(), {})).toEqual([]);
  });
});
