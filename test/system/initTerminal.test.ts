// `init` on a terminal: its questions, Ctrl-C at each of them, and a second run.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { callCommand } from '../support/callCommand.ts';
import { startCommand } from '../support/cli.ts';
import { IS_FULL, IS_LONG } from '../support/fullTests.ts';
import { temporaryFolder } from '../support/ownConfig.ts';
import { CTRL_C, CTRL_U, ENTER, hasTerminal, startInTerminal } from './terminal.ts';

const ENV = {
  GEMINI_API_KEY: undefined,
  GOOGLE_API_KEY: undefined,
  GOOGLE_GENAI_USE_VERTEXAI: undefined,
  PROMETHEUS_URL: undefined,
  ALERTMANAGER_WEBHOOK_SECRET: undefined,
  INQUEST_CONFIG: undefined,
  INQUEST_URL: undefined,
};
/** The questions with their defaults. */
const QUESTIONS = [
  'Where do alerts come from?',
  'What can agents observe?',
  '(PROMETHEUS_URL)',
  'Which API answers as the model?',
  '(GEMINI_API_KEY)',
  'Where do results go?',
  'Which Inquest gets the alerts?',
];

const start = (parent: string) => startInTerminal(['init', join(parent, 'conf'), '--no-check'], ENV);

function contents(parent: string): Record<string, string> {
  const folder = join(parent, 'conf');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), 'utf8')]),
  );
}

/** Answers all questions with Enter, except those in `answers`. */
async function answer(parent: string, answers: Record<string, string> = {}) {
  const terminal = start(parent);
  for (const question of QUESTIONS) {
    await terminal.shows(question);
    terminal.press(`${answers[question] ?? ''}${ENTER}`);
  }
  expect({ code: await terminal.ended, output: terminal.output() }).toMatchObject({ code: 0 });
  return terminal.output();
}

describe.runIf(hasTerminal)('init on a terminal', () => {
  const asked = QUESTIONS.map((question, index) => ({ question, index }));
  it.each(IS_LONG ? asked : asked.slice(-1))(
    'leaves nothing behind after Ctrl-C at: $question',
    async ({ question, index }) => {
      const parent = temporaryFolder();
      const terminal = start(parent);
      for (const earlier of QUESTIONS.slice(0, index)) {
        await terminal.shows(earlier);
        terminal.press(ENTER);
      }
      await terminal.shows(question);
      terminal.press(CTRL_C);
      expect(await terminal.ended).toBe(130);
      expect(existsSync(join(parent, 'conf'))).toBe(false);
      expect(readdirSync(parent)).toEqual([]);
    },
  );

  it('writes the defaults after Enter at each question; a second run changes only another answer', async () => {
    const parent = temporaryFolder();
    expect(await answer(parent)).toContain('written    .env, .gitignore, agents.yaml');
    const before = contents(parent);
    expect(parseEnv(before['.env'] ?? '')).toMatchObject({ PROMETHEUS_URL: 'http://127.0.0.1:9090' });

    expect(await answer(parent)).toContain('written    nothing: no answer differs');
    expect(contents(parent)).toEqual(before);

    const answers = { '(PROMETHEUS_URL)': `${CTRL_U}http://metrics.example.com:9090` };
    expect(await answer(parent, answers)).toMatch(/^written {4}\.env\s*$/m);
    const changed = (before['.env'] ?? '').replace(
      'http://127.0.0.1:9090',
      'http://metrics.example.com:9090',
    );
    expect(contents(parent)).toEqual({ ...before, '.env': changed });
  });

  it.runIf(IS_FULL)('a second run with Ctrl-C changes nothing', async () => {
    const parent = temporaryFolder();
    await answer(parent);
    const before = contents(parent);
    const terminal = start(parent);
    await terminal.shows(QUESTIONS[0] ?? '');
    terminal.press(ENTER);
    await terminal.shows(QUESTIONS[1] ?? '');
    terminal.press(CTRL_C);
    expect(await terminal.ended).toBe(130);
    expect(contents(parent)).toEqual(before);
  });
});

it('Ctrl-C while `init` asks the servers leaves the whole configuration', async () => {
  const parent = temporaryFolder();
  const running = startCommand(['init', join(parent, 'conf'), '--yes'], ENV);
  await running.line(/^written /);
  running.kill('SIGINT');
  expect((await running.ended).code).toBe(130);
  expect(Object.keys(contents(parent)).filter((name) => name.endsWith('.new'))).toEqual([]);
  const checked = await callCommand(['check-config', join(parent, 'conf'), '--no-connect'], ENV);
  expect(checked).toMatchObject({ code: 0, stderr: [] });
  const again = await callCommand(['init', join(parent, 'conf'), '--yes', '--no-check'], ENV);
  expect(again.stdout).toContain('written    nothing: no answer differs');
});
