// The tables of deploy/terraform/README.md, from the variables and outputs of the module.

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
