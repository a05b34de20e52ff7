import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { wholeProgram } from '../program.ts';
import { completionScript } from './completion.ts';

it('bash completes commands, subcommands and options', async () => {
  const script = completionScript('bash', await wholeProgram());
  const complete = (...words: string[]) =>
    execFileSync('bash', [
      '-c',
      `${script}COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _inquest; echo "\${COMPREPLY[*]}"`,
      'bash',
      ...words,
    ])
      .toString()
      .trim();
  expect(complete('inquest', 'che')).toBe('check check-config');
  expect(complete('inquest', 'packs', 'ad')).toBe('add');
  expect(complete('inquest', 'packs', 'add', '--con')).toBe('--config');
  expect(complete('inquest', 'list', '--se')).toBe('--severity');
  expect(complete('inquest', 'show', 'x', '--js')).toBe('--json');
});

it('zsh uses the functions of bash, and fish has each command with its explanation', async () => {
  const program = await wholeProgram();
  expect(completionScript('zsh', program)).toMatch(/^autoload -U \+X bashcompinit/);
  const fish = completionScript('fish', program);
  expect(fish).toContain(
    `complete -c inquest -n '__fish_use_subcommand' -a list -d 'list sessions, newest first'`,
  );
  expect(fish).toContain(
    `-n '__fish_seen_subcommand_from packs; and __fish_seen_subcommand_from add' -l config -d`,
  );
});
