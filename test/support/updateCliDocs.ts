// `npm run update-cli-docs`: writes docs/cli.md.

import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { CLI_DOCS, cliDocs } from './cliDocs.ts';

new Command('update-cli-docs').description('Writes docs/cli.md from the help of the commands.').parse();
writeFileSync(CLI_DOCS, await cliDocs());
