// `npm run freeze-shapes -- VERSION`: freezes a release's shapes. Second argument: a root.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { formatReleases, freeze, parseReleases, RELEASES } from './releases.ts';
import { PINS, parsePins } from './shapes.ts';

const { args } = new Command('freeze-shapes')
  .description('Freezes the pinned shapes of a release in shared/schema/releases.yaml.')
  .argument('<version>', 'of the release')
  .argument('[root]', 'the folder of the checkout (default: this one)')
  .showHelpAfterError()
  .parse();
const [version = '', root = '.'] = args;
const file = join(root, RELEASES);
const pins = parsePins(readFileSync(join(root, PINS), 'utf8'));
const releases = freeze(parseReleases(readFileSync(file, 'utf8')), version, pins);
writeFileSync(file, formatReleases(releases));
process.stdout.write(`Release ${version} froze ${Object.keys(releases[version] ?? {}).length} shapes.\n`);
