// A command on a pseudo-terminal, as a person uses it, through `script` of util-linux.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { onTestFinished } from 'vitest';

const CLI = fileURLToPath(new URL('../../cli/inquest.js', import.meta.url));

/** Keys. */
export const ENTER = '\r';
export const CTRL_C = '\x03';
export const CTRL_U = '\x15';

/** Whether pseudo-terminals can be used here. */
export const hasTerminal =
  process.platform === 'linux' && spawnSync('script', ['--version'], { encoding: 'utf8' }).status === 0;

/** A running command. */
interface Terminal {
  /** Waits for a text after the last awaited one. Fails with the output if the command ends. */
  shows(text: string): Promise<void>;
  /** Presses keys. */
  press(keys: string): void;
  /** The exit code. */
  ended: Promise<number | null>;
  /** The whole output, without control sequences. */
  output(): string;
}

/** Starts an Inquest command. `env` is added to this environment; undefined removes. */
export function startInTerminal(args: string[], env: Record<string, string | undefined>): Terminal {
  // Without a size, questions are wrapped after each character.
  const command = `stty rows 50 cols 160; exec ${[process.execPath, CLI, ...args].map((part) => `'${part}'`).join(' ')}`;
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    stdio: 'pipe',
    env: { ...process.env, CI: undefined, TERM: 'xterm', ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  let seen = 0;
  let hasEnded = false;
  let onOutput: () => void = () => {};
  const notice = () => onOutput();
  child.stdout.on('data', (data) => {
    text += String(data);
    notice();
  });
  const ended = once(child, 'close').then(([code]) => {
    hasEnded = true;
    notice();
    return code as number | null;
  });
  const output = () => stripVTControlCharacters(text);
  return {
    output,
    ended,
    press: (keys) => void child.stdin.write(keys),
    async shows(wanted) {
      for (;;) {
        const at = output().indexOf(wanted, seen);
        if (at !== -1) {
          seen = at + wanted.length;
          return;
        }
        if (hasEnded) throw new Error(`it ended without "${wanted}": ${output()}`);
        await new Promise<void>((resolve) => {
          onOutput = resolve;
        });
      }
    },
  };
}
