import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/ownConfig.ts';
import { DESTINATION_KINDS } from '../../config/destinationKinds.ts';
import { loadDestinations } from '../../config/destinations.ts';

const text = readFileSync('shared/features/deliveries/README.md', 'utf8');

it('shared/features/deliveries/README.md has a destination of each kind that is accepted', () => {
  const blocks = [...text.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, yaml = '']) => yaml);
  const kinds = blocks
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
      return Object.values(loadDestinations(folder, values)).map(({ kind }) => kind);
    });
  expect([...new Set(kinds)].sort()).toEqual(Object.keys(DESTINATION_KINDS).sort());
});
