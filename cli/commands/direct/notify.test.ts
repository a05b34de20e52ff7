// `notify`: checks and test messages of a destination, and the manifest of a Slack app.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGithub } from '../../../local/destinations/github.fixture.ts';
import { callCommand } from '../../../test/support/callCommand.ts';
import { temporaryFolder } from '../../../test/support/ownConfig.ts';

async function folderWith(isArchived = false) {
  const github = await startGithub({
    repository: 'shop/incidents',
    tokens: { 'a-token-of-tests': { canWrite: true } },
    isArchived,
  });
  onTestFinished(() => github.stop());
  const folder = temporaryFolder();
  const entry = {
    kind: 'github',
    token: 'a-token-of-tests',
    repository: 'shop/incidents',
    apiUrl: github.url,
  };
  writeFileSync(join(folder, 'destinations.yaml'), JSON.stringify({ destinations: { issues: entry } }));
  const notify = (...args: string[]) => callCommand(['notify', ...args], { INQUEST_CONFIG: folder });
  return { github, notify };
}

describe('notify test', () => {
  it('sends one message', async () => {
    const { github, notify } = await folderWith();
    const { code, stdout } = await notify('test', 'issues');
    expect({ code, stdout }).toEqual({ code: 0, stdout: ['issues: github accepted the message, 1'] });
    expect(github.issues[0]?.body).toContain('A test message of Inquest');
  });

  it('names the problem and its fix, and sends nothing', async () => {
    const { github, notify } = await folderWith(true);
    const { code, stdout } = await notify('test', 'issues');
    expect(code).toBe(1);
    expect(stdout).toEqual([expect.stringMatching(/^issues: repository_archived: .*Choose a different one/)]);
    expect(github.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  it('lists the destinations for an unknown name', async () => {
    const { notify } = await folderWith();
    const { code, stderr } = await notify('test', 'issue');
    expect(code).toBe(2);
    expect(stderr.join('\n')).toContain('has no destination issue; it has issues');
  });
});

it('notify manifest slack prints the scopes that deliveries use, and no address that nothing answers', async () => {
  const { stdout } = await callCommand(['notify', 'manifest', 'slack']);
  const { settings, oauth_config } = JSON.parse(stdout.join('\n'));
  expect(oauth_config.scopes.bot).toEqual([
    'chat:write',
    'channels:history',
    'groups:history',
    'channels:read',
    'groups:read',
  ]);
  expect(Object.keys(settings)).not.toContain('interactivity');
});
