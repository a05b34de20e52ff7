// Google's emulators by `--emulators`: they end with their starter; deaths are noticed.

import { expect, it } from 'vitest';
import { startCommand } from '../support/cli.ts';
import { describeLeftovers } from '../support/leftovers.ts';
import { ownEmulators } from '../support/ownEmulators.ts';
import { killOne, marked } from '../support/processes.ts';
import { describeOfficial } from './official.ts';

describeOfficial('what --emulators starts', () => {
  describeLeftovers('the official emulators');

  it.each([
    ['Firestore', /java .*cloud-firestore-emulator/],
    ['Pub/Sub', /java .*cloud-pubsub-emulator/],
  ])(
    'start --emulators ends with its name and exit code 1 when the %s emulator is killed',
    async (title, java) => {
      const { env, running } = marked();
      const command = startCommand(['start', '--emulators'], { ...ownEmulators, ...env });
      await command.line(/^Ctrl-C stops everything/);
      expect(command.stderr.join('\n')).toMatch(new RegExp(`^${title} emulator: 127\\S+ \\(from `, 'm'));
      killOne(running(), java);
      expect((await command.ended).code).toBe(1);
      expect(command.stderr.join('\n')).toMatch(
        new RegExp(
          `^inquest: the ${title} emulator at \\S+ ended with exit code 137; nothing works without it`,
          'm',
        ),
      );
      await expect.poll(running).toEqual([]);
    },
  );
});
