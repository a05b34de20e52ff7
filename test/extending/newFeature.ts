// `npm run new-feature -- NAME [--command] [--page]`: writes the folders of a feature and its lines in the
// lists.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Command } from 'commander';

/** A text to write before the only match of a pattern in a file. */
interface Line {
  file: string;
  before: RegExp;
  text: string;
}

const program = new Command('npm run new-feature --')
  .argument('<name>', 'the name of its folders, such as serverOutages')
  .option('--command', 'also a command, in cli/features')
  .option('--page', 'also a page of the dashboard, in web/src/features')
  .showHelpAfterError()
  .parse();
const [name = ''] = program.args;
const { command = false, page = false } = program.opts<{ command?: boolean; page?: boolean }>();
if (!/^[a-z][a-zA-Z]+$/.test(name)) program.error(`error: ${name} is no name such as serverOutages`);
const folder = `shared/features/${name}`;
if (existsSync(folder)) program.error(`error: ${folder} exists`);

const kebab = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const words = kebab.replaceAll('-', ' ');
const title = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
const constant = kebab.replaceAll('-', '_').toUpperCase();
const component = `${name.charAt(0).toUpperCase()}${name.slice(1)}Page`;

const files: Record<string, string> = {
  [`${folder}/README.md`]: `# ${title}

What the feature is for, in a sentence.

## What one sees

Nothing yet.
`,
  [`${folder}/feature.ts`]: `// ${title}: what it adds to an iteration.

import type { Feature } from '../../core/kernel/feature/feature.ts';

/** Runs calls as they are. \`Feature\` has all hooks; an object has those that it needs. */
export const ${constant}: Feature = {
  prepareCall: (_, call) => call,
};
`,
  [`${folder}/feature.test.ts`]: `import { expect, it } from 'vitest';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import { FEATURES } from '../../lists/iterationFeatures.ts';
import { ${constant} } from './feature.ts';

it('is in the list, and runs calls as they are', () => {
  const call = { callId: '1', name: 'search', arguments: '{}' };
  expect(FEATURES).toContain(${constant});
  expect(${constant}.prepareCall?.({} as IterationContext, call)).toBe(call);
});
`,
};
const lines: Line[] = [
  {
    file: 'shared/lists/iterationFeatures.ts',
    before: /^import .* from '\.\.\/kits\/budgets\/tokenLedger\.ts';$/m,
    text: `import { ${constant} } from '../features/${name}/feature.ts';\n`,
  },
  { file: 'shared/lists/iterationFeatures.ts', before: /^ {2}\]\);$/m, text: `    ${constant},\n` },
  {
    file: 'docs/README.md',
    before: /^\| \[errors\.md\]/m,
    text: `| [${name}](../${folder}/README.md) | ${words} |\n`,
  },
];
if (command) {
  files[`cli/features/${name}/${name}.ts`] = `// \`${kebab}\`: prints an answer of the API.

import { command } from '../../api/command.ts';

/** The command. Its route is one of the feature, as soon as there is one. */
export const ${name} = command({
  name: '${kebab}',
  route: 'GET /v1/me',
  print: ({ name }) => name,
});
`;
  const load = `async () => (await import('./features/${name}/${name}.ts')).${name}`;
  lines.push(
    { file: 'cli/program.ts', before: /\n\/\*\* A command: its line/, text: `const ${name} = ${load};\n` },
    {
      file: 'cli/program.ts',
      before: /^ {2}\},\n {2}'Steer:'/m,
      text: `    '${kebab}': ['show ${words}', ${name}],\n`,
    },
  );
}
if (page) {
  files[`web/src/features/${name}/${component}.tsx`] = `// The page of the feature.

import { PageHead } from '../../frame/Frame.tsx';
import frame from '../../frame/frame.module.css';

/** The page. */
export function ${component}() {
  return (
    <>
      <PageHead title="${title}" />
      <div class={frame.page} />
    </>
  );
}
`;
  const load = `import('./features/${name}/${component}.tsx').then((module) => module.${component})`;
  lines.push(
    {
      file: 'web/src/main.tsx',
      before: /\nfunction NotFound/,
      text: `const ${component} = lazy(() => ${load});\n`,
    },
    {
      file: 'web/src/main.tsx',
      before: /^ *<Route default/m,
      text: `            <Route path="/${kebab}" component={${component}} />\n`,
    },
  );
}

for (const [file, text] of Object.entries(files)) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
for (const { file, before, text } of lines) {
  const old = readFileSync(file, 'utf8');
  if (!before.test(old)) throw new Error(`${file} has no ${before}`);
  writeFileSync(
    file,
    old.replace(before, (found) => `${text}${found}`),
  );
}
const changed = [...new Set([...Object.keys(files), ...lines.map(({ file }) => file)])];
// Sorts imports and breaks lines.
const sources = changed.filter((file) => !file.endsWith('.md'));
execFileSync('node_modules/.bin/biome', ['check', '--write', '--error-on-warnings', ...sources]);
console.log(changed.join('\n'));
if (command) console.log('Run `npm run update-cli-docs` when the command has its help.');
