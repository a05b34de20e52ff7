// Scripts that complete the commands, subcommands and options of the program in a shell.

import type { Command } from 'commander';

/** The shells that have a script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
/** A shell that has a script. */
export type Shell = (typeof SHELLS)[number];

/** The words that can follow a command, with explanations, by its words: `inquest packs`. */
type Words = Map<string, { word: string; text: string }[]>;

/** The script for a shell, which sources it. @param program with all commands. */
export function completionScript(shell: Shell, program: Command): string {
  const words = listCompletionWords(program, []);
  if (shell === 'fish') return fishScript(words);
  // zsh runs functions of bash after this line.
  const head = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : '';
  return `${head}${bashScript(words)}`;
}

function listCompletionWords(command: Command, before: readonly string[]): Words {
  const own = [...before, command.name()];
  const follow = [
    ...command.commands.map((one) => ({ word: one.name(), text: one.description() })),
    ...command.options.flatMap(({ long, hidden, description }) =>
      long == null || hidden ? [] : [{ word: long, text: description }],
    ),
    { word: '--help', text: 'display help' },
  ];
  return new Map([
    [own.join(' '), follow],
    ...command.commands.flatMap((one) => [...listCompletionWords(one, own)]),
  ]);
}

function bashScript(words: Words): string {
  const cases = [...words].map(
    ([path, follow]) => `    "${path}") words="${follow.map(({ word }) => word).join(' ')}" ;;`,
  );
  return `_inquest() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  local second="inquest \${COMP_WORDS[1]}" third="inquest \${COMP_WORDS[1]} \${COMP_WORDS[2]}"
  local path
  for path in "$([ "$COMP_CWORD" -gt 2 ] && echo "$third")" "$([ "$COMP_CWORD" -gt 1 ] && echo "$second")" inquest; do
    case "$path" in
${cases.map((line) => `  ${line}`).join('\n')}
    esac
    [ -n "$words" ] && break
    [ "$path" = "$second" ] && [ "$COMP_CWORD" -gt 1 ] && break
  done
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _inquest inquest
`;
}

function fishScript(words: Words): string {
  const quote = (text: string) => `'${text.replace(/[\\']/g, '\\$&').replace(/\s+/g, ' ')}'`;
  const lines = [...words].flatMap(([path, follow]) => {
    const [, ...names] = path.split(' ');
    const when =
      names.length === 0
        ? '__fish_use_subcommand'
        : names.map((name) => `__fish_seen_subcommand_from ${name}`).join('; and ');
    return follow.map(({ word, text }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
      return `complete -c inquest -n ${quote(when)} ${what} -d ${quote(text)}`;
    });
  });
  return `${lines.join('\n')}\n`;
}
