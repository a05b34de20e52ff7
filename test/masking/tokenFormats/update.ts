// `npm run update-token-formats -- PATH_TO_GITLEAKS`: writes the formats of tokens that gitleaks' rules know,
// as facts of our own form, into `shared/masking/formats/generatedFormats.ts`. PATH_TO_GITLEAKS is a checkout
// of github.com/gitleaks/gitleaks.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { parse } from 'smol-toml';
import { z } from 'zod';
import { generatedModule } from './generatedModule.ts';

const RULES = 'config/gitleaks.toml';
const TARGET = fileURLToPath(new URL('../../../shared/masking/formats/generatedFormats.ts', import.meta.url));
const rulesSchema = z.object({
  rules: z.array(z.object({ id: z.string(), regex: z.string().optional() })),
});

const [path = ''] = new Command('update-token-formats')
  .description('Writes shared/masking/formats/generatedFormats.ts from the rules of gitleaks.')
  .argument('<path>', 'a checkout of gitleaks')
  .showHelpAfterError()
  .parse().args;
const { rules } = rulesSchema.parse(parse(readFileSync(join(path, RULES), 'utf8')));
const { source, formats, skipped } = generatedModule(rules);
writeFileSync(TARGET, source);
execFileSync('biome', ['format', '--write', TARGET], { stdio: 'inherit' });
for (const { id, reason } of skipped) console.log(`skipped ${id}: ${reason}`);
console.log(`${formats} formats of ${rules.length - skipped.length} rules, ${skipped.length} rules skipped`);
