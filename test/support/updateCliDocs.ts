// `npm run update-cli-docs`: writes docs/cli.md.

import { writeFileSync } from 'node:fs';
import { CLI_DOCS, cliDocs } from './cliDocs.ts';

writeFileSync(CLI_DOCS, await cliDocs());
