import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/ownConfig.ts';
import { DESTINATION_KINDS } from '../../config/destinationKinds.ts';
import { loadDestinations } from '../../config/destinations.ts';
import { createDestinations } from '../../destinations/createDestinations.ts';

const text = readFileSync('shared/features/deliveries/README.md', 'utf8');

/** The destinations of the examples. */
function listDestinations() {
  const blocks = [...text.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, yaml = '']) => yaml);
  return blocks
    .filter((block) => /^destinations:$/m.test(block))
    .flatMap((block) => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'destinations.yaml'), block);
      const values = {
        SLACK_BOT_TOKEN: 'xoxb-0123456789',
        SHOP_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
        TEAMS_WORKFLOW_URL: 'https://teams.example.com/workflow',
        PAGERDUTY_KEY: 'a-value-7',
        GITHUB_TOKEN: 'a-value-7',
        SMTP_PASSWORD: 'a-value-7',
      };
      return Object.values(loadDestinations(folder, values));
    });
}

it('shared/features/deliveries/README.md has a destination of each kind that is accepted', () => {
  const kinds = listDestinations().map(({ kind }) => kind);
  expect([...new Set(kinds)].sort()).toEqual(Object.keys(DESTINATION_KINDS).sort());
});

it('names for each kind what resolves a doubt, and whether it has edits and threads', async () => {
  const rows = [...text.matchAll(/^\| `(\w+)` \| ([^|]+) \| (yes|no) \| ([^|]+) \|$/gm)];
  const byKind = Object.fromEntries(listDestinations().map((config) => [config.kind, config]));
  expect(rows.map(([, kind]) => kind).sort()).toEqual(Object.keys(byKind).sort());
  const find = createDestinations(byKind);
  for (const [, kind = '', doubt = '', edit, thread] of rows) {
    const found = await find(kind);
    expect(found).toEqual({
      ...{ tenants: byKind[kind]?.tenants, onDoubt: byKind[kind]?.onDoubt, fields: byKind[kind]?.fields },
      destination: expect.objectContaining({ kind }),
    });
    expect(found?.destination.capabilities).toEqual({
      update: edit === 'yes',
      thread: thread !== 'no',
      // Only Slack has them, with the secret of the app.
      buttons: false,
      probe: /metadata|list/.test(doubt),
      key: doubt.includes('request id'),
      isRepeatSafe: doubt.startsWith('receivers recognise'),
      ...(kind === 'pagerduty' && { isPerAlert: true }),
    });
    expect(await find(kind)).toBe(found);
  }
  for (const name of ['unknown', 'toString']) expect(await find(name)).toBeUndefined();
});
