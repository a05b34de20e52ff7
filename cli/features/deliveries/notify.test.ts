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
  writeFileSync(
    join(folder, 'destinations.yaml'),
    JSON.stringify({ destinations: { issues: entry, events: { kind: 'pubsub' } } }),
  );
  const notify = (...args: string[]) =>
    callCommand(['notify', ...args], {
      INQUEST_CONFIG: folder,
      GOOGLE_CLOUD_PROJECT: '',
      PUBSUB_EMULATOR_HOST: '',
    });
  return { github, notify };
}

describe('notify test', () => {
  it('sends one message', async () => {
    const { github, notify } = await folderWith();
    const { code, stdout } = await notify('test', 'issues');
    expect({ code, stdout }).toEqual({ code: 0, stdout: ['issues: github accepted the message, 1'] });
    const again = await notify('test', 'issues', '--json');
    expect(again.stdout.map((line) => JSON.parse(line))).toEqual([
      { name: 'issues', kind: 'github', problems: [], result: expect.objectContaining({ outcome: 'sent' }) },
    ]);
    expect(github.issues[0]?.body).toContain('A test message of Inquest');
  });

  it('names the problem and its fix, and sends nothing', async () => {
    const { github, notify } = await folderWith(true);
    const { code, stdout } = await notify('test', 'issues');
    expect(code).toBe(1);
    expect(stdout).toEqual([expect.stringMatching(/^issues: repository_archived: .*Choose a different one/)]);
    expect(github.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  it.each([
    [['test', 'issue'], /\/destinations\.yaml has no destination issue; it has issues, events$/],
    [['test', 'events'], /no project is named: set GOOGLE_CLOUD_PROJECT/],
    [['preview', 'last'], /preview needs --to NAME/],
    [['send', 'issues'], /no action send; it is test, preview or manifest$/],
    [['manifest', 'teams'], /only Slack has a manifest/],
    [
      ['manifest', 'slack', '--url', 'http://api.example.com'],
      /must be an https address without credentials/,
    ],
    [['manifest', 'slack', '--url', 'https://a:b@api.example.com'], /without credentials/],
    [['manifest', 'slack', '--asks'], /--asks needs --url/],
  ])('refuses %j with the fix', async (args, expected) => {
    const { github, notify } = await folderWith();
    const { code, stderr } = await notify(...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: [expect.stringMatching(expected)] });
    expect(github.requests).toEqual([]);
  });
});

it('notify manifest slack --url prints both addresses of the API, and the scopes of people and mentions', async () => {
  const { stdout } = await callCommand(['notify', 'manifest', 'slack', '--url', 'https://api.example.com/']);
  const { settings, oauth_config } = JSON.parse(stdout.join('\n'));
  expect(settings.interactivity).toMatchObject({ request_url: 'https://api.example.com/v1/slack/presses' });
  expect(settings.event_subscriptions).toMatchObject({
    request_url: 'https://api.example.com/v1/slack/mentions',
    bot_events: ['app_mention'],
  });
  expect(oauth_config.scopes.bot).toEqual(
    expect.arrayContaining(['users:read', 'users:read.email', 'app_mentions:read']),
  );
  expect(oauth_config.scopes.bot).not.toContain('files:read');
});

it('notify manifest slack --asks adds the scope of files, for an app of one workspace', async () => {
  const url = 'https://api.example.com/';
  const { stdout } = await callCommand(['notify', 'manifest', 'slack', '--url', url, '--asks']);
  const { settings, oauth_config } = JSON.parse(stdout.join('\n'));
  expect(oauth_config.scopes.bot).toContain('files:read');
  expect(settings.org_deploy_enabled).toBe(false);
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
