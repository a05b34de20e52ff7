import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FunctionName } from '../../functions/manifest.ts';
import { startFunctions } from '../../local/functions/functionsServer.ts';
import { freePorts } from '../../local/processes/ports.ts';
import { callCommand } from '../support/callCommand.ts';
import { temporaryFolder } from '../support/ownConfig.ts';

const variable = '$'.concat('{NOSUCH_COMMAND}');
const EXAMPLE = fileURLToPath(new URL('../../examples/crashloop/config', import.meta.url));

/** A copy of the example's configuration with one file changed. */
function configWith(file: string, change: (text: string) => string): string {
  const folder = temporaryFolder();
  cpSync(EXAMPLE, folder, { recursive: true });
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  const changed = change(text);
  if (changed === text) throw new Error(`${file} was not changed`);
  writeFileSync(path, changed);
  return folder;
}

describe('a configuration that cannot be used stops the start, with file, line and the expected form:', () => {
  it.each<[string, string, [string, string], RegExp]>([
    ['broken YAML', 'agents.yaml', ['agents:\n', 'agents:\n  }\n'], /agents\.yaml:\d+:\d+ /],
    [
      'a mistyped key',
      'agents.yaml',
      ['instructions:', 'instrutcions:'],
      /agents\.yaml:5:5 .*instrutcions.*"?instructions/,
    ],
    [
      'an unknown agent',
      'chains.yaml',
      ['[kubernetes-investigator]', '[kubernetes-investigatr]'],
      /chains\.yaml:7:\d+ .*kubernetes-investigatr.*kubernetes-investigator/,
    ],
    [
      'an unknown server',
      'agents.yaml',
      ['[kubernetes]', '[kubernets]'],
      /agents\.yaml:4:\d+ .*kubernets.*kubernetes/,
    ],
    [
      'a variable that is not set',
      'servers.yaml',
      ['command: node', `command: ${variable}`],
      /servers\.yaml:5:\d+ .*NOSUCH_COMMAND/,
    ],
  ])('%s', async (_, file, [from, to], said) => {
    const INQUEST_CONFIG = configWith(file, (text) => text.replace(from, to));
    const { code, stdout, stderr } = await callCommand(['start'], { INQUEST_CONFIG });
    const output = stderr.join('\n');
    expect(code).toBe(1);
    expect(output).toMatch(said);
    // Nothing was started before.
    expect(output).not.toMatch(/emulator|http:/);
    // The faults are told to a person: no stack trace.
    expect(output).not.toMatch(/^\s+at .*\(/m);
    expect(stdout).toEqual([]);
  });

  it('a folder that does not exist', async () => {
    const { code, stderr } = await callCommand(['start'], { INQUEST_CONFIG: '/nosuch/folder' });
    expect(code).toBe(1);
    expect(stderr.join('\n')).toMatch(/\/nosuch\/folder is not a folder.*INQUEST_CONFIG/);
  });
});

describe("a variable of servers.yaml that is not set, which can be a server's secret,", () => {
  const servers = (text: string) => text.replace('command: node', `command: ${variable}`);
  /** Starts a function as it is deployed, with this configuration. */
  const start = async (name: FunctionName) => {
    const [port = 0] = await freePorts(1);
    const source = fileURLToPath(new URL(`../../functions/${name}.ts`, import.meta.url));
    const running = await startFunctions({
      functions: [{ name, source, port }],
      env: { ...process.env, INQUEST_CONFIG: configWith('servers.yaml', servers) },
    });
    onTestFinished(() => running.stop());
  };

  it('does not stop ingestAlert, which connects to no server', async () => {
    await expect(start('ingestAlert')).resolves.toBeUndefined();
  });

  it('stops runIteration', async () => {
    await expect(start('runIteration')).rejects.toThrow(/CONFIG_INVALID: .*NOSUCH_COMMAND/s);
  });
});
