// `npm run update-cli-docs`: writes docs/cli.md and docs/cli/.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { CLI_PAGES, formatCliDocs } from './cliDocs.ts';

new Command('update-cli-docs')
  .description('Writes docs/cli.md and docs/cli/ from the help of the commands.')
  .parse();
const pages = await formatCliDocs();
rmSync(CLI_PAGES, { recursive: true, force: true });
mkdirSync(CLI_PAGES);
for (const [path, text] of pages) writeFileSync(path, text);
