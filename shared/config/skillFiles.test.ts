import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFaults, writeFiles } from '../../test/support/ownConfig.ts';
import { loadConfig, loadSessionConfig } from './load.ts';

const GOOD = '---\nname: full-disk\ndescription: A disk is full.\n---\n\n# Full disk\n\nRead df.\n';

/** A configuration with these skills, by the name of their folder. */
function folderWith(skills: Record<string, string>, agent = 'skills: [full-disk]'): string {
  const files = Object.entries(skills).map(([name, text]) => [`skills/${name}/SKILL.md`, text]);
  return writeFiles({
    'models.yaml': 'default: m\nmodels:\n  m: { provider: google, model: gemini-3.8-flash }\n',
    'agents.yaml': `agents:\n  a:\n    instructions: Look.\n    tools: [k]\n    ${agent}\n`,
    'chains.yaml': 'default: c\nchains:\n  c:\n    tools: [k]\n    stages: [{ name: s, agents: [a] }]\n',
    'servers.yaml': 'servers:\n  k: { transport: http, url: "https://k.example.com/mcp" }\n',
    ...Object.fromEntries(files),
  });
}

/** The faults of a configuration, with paths from its folder. */
const faultsOf = (folder: string) => listFaults(() => loadSessionConfig(folder));

const withHead = (head: string) => faultsOf(folderWith({ 'full-disk': `---\n${head}\n---\nRead df.\n` }));

it('gives an agent its skills as tools that neither chain nor stage takes away', () => {
  const config = loadConfig(folderWith({ 'full-disk': GOOD }), {});
  expect(config.skills).toMatchObject([
    { name: 'full-disk', description: 'A disk is full.', text: '# Full disk\n\nRead df.' },
  ]);
  expect(config.chains.c?.stages[0]?.agents[0]?.tools).toEqual(['k', 'skills.full-disk', 'inquest.ledger']);
  expect(config.askable.a?.tools).toEqual(['k', 'skills.full-disk']);
  expect(config.chains.c?.chat?.tools).toEqual(['k', 'skills.full-disk']);
});

it.each([
  ['with blanks between the names', 'allowed-tools: k.get_* search'],
  ['as a list', 'allowed-tools: [k.get_*, search]'],
])('reads allowed-tools %s', (_, line) => {
  const text = GOOD.replace('description', `${line}\nlicense: MIT\nmetadata: { version: "1" }\ndescription`);
  const { skills } = loadSessionConfig(folderWith({ 'full-disk': text }));
  expect(skills).toMatchObject([{ allowedTools: ['k.get_*', 'search'] }]);
});

it('reads a file with the line ends of Windows', () => {
  const { skills } = loadSessionConfig(folderWith({ 'full-disk': GOOD.replaceAll('\n', '\r\n') }));
  expect(skills).toMatchObject([{ text: '# Full disk\n\nRead df.' }]);
});

describe('a broken skill is a fault with file and line:', () => {
  it('another name than its folder', () => {
    expect(withHead('description: A disk.\nname: other-disk')[0]).toBe(
      'skills/full-disk/SKILL.md:3:7 name: must be "full-disk", the name of its folder',
    );
  });

  it('no description', () => {
    expect(withHead('name: full-disk')[0]).toMatch(/^skills\/full-disk\/SKILL\.md:2:\d+ description: /);
  });

  it('a name of another form', () => {
    expect(withHead('name: Full_Disk\ndescription: A disk.')[0]).toBe(
      'skills/full-disk/SKILL.md:2:7 name: must have lower-case letters, digits and single hyphens only',
    );
  });

  it('YAML that cannot be read', () => {
    expect(withHead('name: full-disk\ndescription: [A disk')[0]).toMatch(
      /^skills\/full-disk\/SKILL\.md:\d:\d+ not valid YAML/,
    );
  });

  it('an allowed tool of a server that does not exist', () => {
    expect(withHead('name: full-disk\ndescription: A disk.\nallowed-tools: k.get_* Bash')).toEqual([
      'skills/full-disk/SKILL.md:4:16 allowed-tools: unknown server "Bash"; expected one of k',
    ]);
  });

  it.each([
    ['no front matter', 'Read df.', 'must start with front matter: "---", name and description, "---"'],
    [
      'no text',
      '---\nname: full-disk\ndescription: D.\n---\n',
      'has no text below its front matter; write the instructions, or remove it',
    ],
    [
      'a text that is too long',
      `${GOOD}${'x'.repeat(64_000)}`,
      'has 64076 bytes; a skill can have at most 64000',
    ],
  ])('%s', (_, text, message) => {
    expect(faultsOf(folderWith({ 'full-disk': text }))[0]).toBe(`skills/full-disk/SKILL.md ${message}`);
  });

  it('a text in another encoding', () => {
    const folder = folderWith({ 'full-disk': GOOD });
    const file = path.join(folder, 'skills/full-disk/SKILL.md');
    writeFileSync(file, Buffer.from(`${GOOD}Größe`, 'latin1'));
    expect(faultsOf(folder)[0]).toBe('skills/full-disk/SKILL.md is not UTF-8 text; save it as UTF-8');
  });

  it('more skills than a process can hold', () => {
    const named = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, n) => [`s-${n}`, GOOD.replace('full-disk', `s-${n}`)]),
      );
    expect(faultsOf(folderWith(named(200), ''))).toEqual([]);
    expect(faultsOf(folderWith(named(201), ''))).toEqual(['skills has 201 skills; there can be at most 200']);
  });

  it('a folder without SKILL.md', () => {
    const folder = folderWith({ 'full-disk': GOOD });
    mkdirSync(path.join(folder, 'skills', 'empty'));
    expect(faultsOf(folder)).toEqual([
      'skills/empty/SKILL.md is missing; write it, or remove the folder empty',
    ]);
  });
});

describe('an agent cannot have', () => {
  it('a skill that does not exist', () => {
    expect(faultsOf(folderWith({ 'full-disk': GOOD }, 'skills: [full-disc]'))[0]).toMatch(
      /^agents\.yaml:5:14 agents\.a\.skills\[0\]: .*did you mean "full-disk"\?/,
    );
  });

  it('skills with a strategy that calls no tools', () => {
    const faults = faultsOf(
      folderWith({ 'full-disk': GOOD }, 'skills: [full-disk]\n    strategy: single-call'),
    );
    expect(faults.join('\n')).toContain('strategy single-call loads no skills');
  });

  it('skills beside native tools that are not combined', () => {
    const agent = 'skills: [full-disk]\n    nativeTools: [code_execution]';
    expect(faultsOf(folderWith({ 'full-disk': GOOD }, agent)).join('\n')).toContain(
      'Set combineNativeTools, or keep one of the two',
    );
  });
});

it('no server can have the name of the source of skills', () => {
  const folder = folderWith({ 'full-disk': GOOD });
  writeFileSync(
    path.join(folder, 'servers.yaml'),
    'servers:\n  k: { transport: http, url: "https://k.example.com/mcp" }\n  skills: { transport: http, url: "https://k.example.com/mcp" }\n',
  );
  expect(() => loadConfig(folder, {})).toThrow('is the name of a built-in tool source');
});
