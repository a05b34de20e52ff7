// 20 processes are killed over 20 runs of an agent whose tool appends to a file.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { projectFile } from '../../shared/projectFiles.ts';
import { temporaryFolder } from '../support/ownConfig.ts';

const RUNS = 20;
const PROGRAM = projectFile('test/engine/fixtures/killable.ts');
const call = (step: number) => ({ toolCalls: [{ name: 'code.append', args: { step } }] });

/** Starts the program. `line` resolves when it has printed the line, or has ended. */
function start(...args: string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  let check = (): void => {};
  child.stdout.on('data', (data: Buffer) => {
    output += data;
    check();
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const line = (text: string) =>
    Promise.race([
      ended,
      new Promise<void>((resolve) => {
        check = () => output.includes(`${text}\n`) && resolve();
        check();
      }),
    ]);
  return { child, ended, line, read: () => output };
}

it('ends all runs, with each effect once or reported as unknown', async () => {
  const folder = temporaryFolder();
  const turns = [call(1), call(2), { text: 'Done.' }];
  writeFileSync(join(folder, 'script.json'), JSON.stringify({ conversations: [{ turns }] }));
  writeFileSync(join(folder, 'effects.txt'), '');
  const project = `demo-${randomUUID().slice(0, 8)}`;

  for (let run = 1; run <= RUNS; run++) {
    const { child, ended, line } = start(folder, project, `r${run}`);
    // Every third process dies while it opens the run or asks the model, the others while the tool runs.
    await line(run % 3 === 0 ? 'start' : 'tool');
    await delay(run % 3 === 0 ? run * 10 : (run * 7) % 50);
    child.kill('SIGKILL');
    await ended;
  }
  // A run whose start was cut off is started again, as its caller does.
  for (let run = 3; run <= RUNS; run += 3) await start(folder, project, `r${run}`).ended;
  const last = start(folder, project, 'all', String(RUNS));
  await last.ended;

  const results = JSON.parse(/^results (.*)$/m.exec(last.read())?.[1] ?? '[]') as {
    id: string;
    status: string;
    tools: { unknown: boolean }[];
  }[];
  const effects = readFileSync(join(folder, 'effects.txt'), 'utf8').split('\n').filter(Boolean);
  expect(results.map(({ status }) => status)).toEqual(Array.from({ length: RUNS }, () => 'completed'));
  expect(effects).toEqual([...new Set(effects)]);
  const reported = results.flatMap(({ id, tools }) =>
    tools.map(({ unknown }, index) => ({ key: `${id}/01-worker/${index + 1}/0`, unknown })),
  );
  expect(reported).toHaveLength(2 * RUNS);
  const known = reported.filter(({ unknown }) => !unknown).map(({ key }) => key);
  expect(known.filter((key) => !effects.includes(key))).toEqual([]);
  expect(effects.filter((key) => !reported.some((one) => one.key === key))).toEqual([]);
  // The kills have met the tool.
  expect(reported.length - known.length).toBeGreaterThan(0);
});
