// What a newcomer reads first is short, true and complete: AGENTS.md, CHANGELOG, and the version.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MCP_CLIENT } from '../shared/tools/mcp/mcpConnection.ts';

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
    expect(entries.filter((line) => line.startsWith('- ')).length).toBeGreaterThan(50);
  });

  it('has release notes for the version of the package, which the MCP client also names', () => {
    const [, unreleased, latest] = changelog.join('\n').split(/^## (?=\[)/m);
    expect(unreleased).toMatch(/^\[Unreleased\]\n/);
    expect(latest).toMatch(new RegExp(`^\\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d{2}-\\d{2}\\n`));
    expect(JSON.parse(read('package-lock.json'))).toMatchObject({ version, packages: { '': { version } } });
    expect(MCP_CLIENT.version).toBe(version);
  });
});
