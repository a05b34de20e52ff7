// What is written from the variables and outputs of deploy/terraform: the tables of its README, and the call
// of settings/.

import { readFileSync, writeFileSync } from 'node:fs';
import { MODULE } from './evaluate.ts';
import { readModule } from './expand.ts';

const FILE = new URL('README.md', MODULE);

/** The README as it is, and as it should be. */
export function readmeTexts(): { stored: string; expected: string } {
  const stored = readFileSync(FILE, 'utf8');
  const blocks = readModule(MODULE);
  const rowsOf = (type: string) => blocks.filter((block) => block.type === type);
  const textOf = (text: string | undefined) => (text === undefined ? '' : (JSON.parse(text) as string));
  const variables = rowsOf('variable').map(({ labels: [name], arguments: all }) => {
    const value = all.default === undefined ? 'required' : `\`${all.default.text}\``;
    return `| \`${name}\` | ${value} | ${textOf(all.description?.text)} |`;
  });
  const outputs = rowsOf('output').map(
    ({ labels: [name], arguments: all }) => `| \`${name}\` | ${textOf(all.description?.text)} |`,
  );
  const expected = [
    ['variables', ['| name | default | meaning |', '|---|---|---|', ...variables]] as const,
    ['outputs', ['| name | meaning |', '|---|---|', ...outputs]] as const,
  ].reduce(
    (text, [mark, rows]) =>
      text.replace(
        new RegExp(`(<!-- ${mark} -->\n)[^]*?(<!-- end -->)`),
        (_, start: string, end: string) => `${start}${rows.join('\n')}\n${end}`,
      ),
    stored,
  );
  return { stored, expected };
}

/** Writes the tables. */
export function updateReadme(): void {
  writeFileSync(FILE, readmeTexts().expected);
}

/**
 * `main.tf` and `settings/variables.tf` as they should be: they pass each variable on by its name. Types,
 * defaults and rules are only in `variables.tf`. One variable each, because a caller can give an output of
 * the module to another variable.
 */
export function passingTexts(): Record<'main.tf' | 'settings/variables.tf', string> {
  const names = readModule(MODULE).flatMap(({ type, labels: [name = ''] }) =>
    type === 'variable' ? [name] : [],
  );
  const width = Math.max(...names.map((name) => name.length));
  const passed = names.map((name) => `  ${name.padEnd(width)} = var.${name}\n`).join('');
  return {
    'main.tf': `# All decisions are made in settings/, which needs no provider and is evaluated and tested offline. The other files copy its
# outputs into resources. \`npm run update-terraform\` writes this list.

module "settings" {
  source = "./settings"

${passed}}
`,
    'settings/variables.tf': `# The variables of ../variables.tf, which has their types, defaults and rules. \`npm run update-terraform\` writes this list.

${names.map((name) => `variable "${name}" {}\n`).join('')}`,
  };
}

/** Writes both. */
export function updatePassing(): void {
  for (const [name, text] of Object.entries(passingTexts())) writeFileSync(new URL(name, MODULE), text);
}
