// What a newcomer reads first is short, true and complete: README, AGENTS.md, CHANGELOG, commands, links.

import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { modelScriptSchema } from '../local/scriptedModel/modelScript.ts';
import { loadConfig } from '../shared/config/load.ts';
import { MCP_CLIENT } from '../shared/tools/mcp/mcpConnection.ts';
import { CLI_PAGES, formatCliDocs } from '../test/support/cliDocs.ts';
import { temporaryFolder } from '../test/support/ownConfig.ts';

const ROOT = new URL('../', import.meta.url);
const OWN_DOTTED = new Set(['.ci', '.github']);

const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');
const linesOf = (path: string) => read(path).trimEnd().split('\n');
const { version } = JSON.parse(read('package.json')) as { version: string };

describe('AGENTS.md', () => {
  it('has at most 40 lines', () => {
    expect(linesOf('AGENTS.md').length).toBeLessThanOrEqual(40);
  });

  it('lists every folder at the top of the repository in one line, and no other', () => {
    const ignored = new Set(linesOf('.gitignore').map((line) => line.replace(/\/$/, '')));
    // Other folders with a dot belong to editors, or to git.
    const isOurs = (name: string) => !ignored.has(name) && (!name.startsWith('.') || OWN_DOTTED.has(name));
    const entries = readdirSync(ROOT, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const folders = entries.map(({ name }) => name).filter(isOurs);
    const listed = linesOf('AGENTS.md').flatMap((line) => /^- `([^`/]+)\/`: \S/.exec(line)?.[1] ?? []);
    expect(listed).toEqual(folders.sort());
  });
});

describe('CHANGELOG.md', () => {
  const changelog = linesOf('CHANGELOG.md');

  it('has entries of one line with at most 200 characters', () => {
    const [, ...entries] = changelog.slice(2);
    const long = entries.filter((line) => line.length > 200);
    expect(long).toEqual([]);
    expect(entries.filter((line) => /^\s+\S/.test(line))).toEqual([]);
    expect(entries.filter((line) => line.startsWith('- ')).length).toBeGreaterThan(40);
    expect(changelog.length, 'one page').toBeLessThan(120);
  });

  it('has release notes for the version of the package, which the MCP client also names', () => {
    const [, unreleased, latest] = changelog.join('\n').split(/^## (?=\[)/m);
    expect(unreleased).toMatch(/^\[Unreleased\]\n/);
    expect(latest).toMatch(new RegExp(`^\\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d{2}-\\d{2}\\n`));
    expect(JSON.parse(read('package-lock.json'))).toMatchObject({ version, packages: { '': { version } } });
    expect(MCP_CLIENT.version).toBe(version);
  });
});

describe('README.md', () => {
  it('has at most 150 lines', () => {
    expect(linesOf('README.md').length).toBeLessThanOrEqual(150);
  });
});

describe('docs/cli.md', () => {
  it('and the pages of its groups hold the help of every command: if not, run `npm run update-cli-docs`', async () => {
    const pages = await formatCliDocs();
    for (const [path, text] of pages) expect(read(path)).toBe(text);
    const files = globSync(`${CLI_PAGES}*.md`);
    expect(files.sort()).toEqual([...pages.keys()].filter((path) => path.startsWith(CLI_PAGES)).sort());
    expect([...pages.values()].join('')).toContain('\n### agents push\n');
    expect(Math.max(...[...pages.values()].map((text) => text.split('\n').length))).toBeLessThan(1_000);
  });
});

describe('shared/core/README.md', () => {
  it('lists ten files and each folder of the core', () => {
    const lines = linesOf('shared/core/README.md');
    const files = lines.flatMap((line) => /^\d+\. \[`([^`]+)`\]/.exec(line)?.[1] ?? []);
    expect(files).toHaveLength(10);
    expect(files.filter((file) => !existsSync(new URL(`shared/core/${file}`, ROOT)))).toEqual([]);
    const listed = lines.flatMap((line) => /^\| (`\w+\/`.*?) \|/.exec(line)?.[1] ?? []);
    const folders = listed.flatMap((cell) => [...cell.matchAll(/\w+(?=\/)/g)].map(([name]) => name));
    expect(folders.sort()).toEqual(
      globSync('shared/core/*/', { cwd: ROOT })
        .map((path) => basename(path))
        .sort(),
    );
  });
});

describe('docs/getting-started.md', () => {
  it('has a configuration and a script that are accepted', () => {
    const text = read('docs/getting-started.md');
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'by-hand'));
    const blocks = [...text.matchAll(/^```yaml\n# (\S+\.yaml): [\s\S]*?^```$/gm)];
    for (const [block, name = ''] of blocks)
      writeFileSync(join(folder, name), block.replaceAll(/^```.*$/gm, ''));
    const { chains, servers } = loadConfig(join(folder, 'by-hand'), { INQUEST_HOME: '/checkout' });
    expect(chains.investigate?.stages[0]?.agents[0]?.name).toBe('first-responder');
    expect(Object.keys(servers)).toEqual(['kubernetes']);
    const script = modelScriptSchema.parse(parse(readFileSync(join(folder, 'my-answers.yaml'), 'utf8')));
    const agent = readFileSync(join(folder, 'by-hand/agents.yaml'), 'utf8');
    expect(agent).toContain(script.conversations[0]?.when?.system ?? 'no system text');
    expect(blocks).toHaveLength(5);
  });
});

describe('links', () => {
  const pages = globSync([
    '*.md',
    '.github/*.md',
    '{docs,examples,config}/**/*.md',
    '{shared,local,deploy,packages}/**/README.md',
  ]);

  it.each(pages)('of %s lead to a file and a heading that exist', (page) => {
    const prose = proseOf(read(page));
    const targets = [...prose.matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)].map(([, target = '']) => target);
    const broken = targets.filter((target) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      if (!existsSync(new URL(file, ROOT))) return true;
      return anchor !== undefined && file.endsWith('.md') && !anchorsOf(read(file)).has(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('of docs/README.md lead to every page of docs/', () => {
    const index = read('docs/README.md');
    const pages = globSync('docs/*.md').map((page) => page.replace('docs/', ''));
    const missing = pages.filter((page) => page !== 'README.md' && !index.includes(`](${page}`));
    expect(missing).toEqual([]);
  });
});

it('docs/decisions/README.md lists each decision once', () => {
  const listed = [...read('docs/decisions/README.md').matchAll(/^- \[\d+\]\(([^)]+)\) \S/gm)].map(
    ([, file]) => file,
  );
  expect(listed.sort()).toEqual(globSync('0*.md', { cwd: new URL('docs/decisions/', ROOT) }).sort());
});

/** A page without its code. */
function proseOf(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, 'code');
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const headings = text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm);
  const plain = [...headings].map(([, heading = '']) => heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
  return new Set(
    plain.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
