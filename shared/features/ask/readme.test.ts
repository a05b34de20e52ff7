import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { writeFiles } from '../../../test/support/ownConfig.ts';
import { loadDestinations } from '../../config/destinations.ts';

it('the README has a destination that takes questions', () => {
  const text = readFileSync('shared/features/ask/README.md', 'utf8');
  const [, yaml = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(text) ?? [];
  const folder = writeFiles({ 'destinations.yaml': yaml });
  const found = loadDestinations(folder, { SLACK_BOT_TOKEN: 'xoxb-1234567890-abc' });
  expect(found.oncall).toMatchObject({ kind: 'slack', asks: { chain: 'investigate' } });
});
