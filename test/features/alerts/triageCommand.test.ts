// Triage as a user asks about it.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { callCommand } from '../../support/callCommand.ts';
import { startBench } from '../../support/harness.ts';
import { temporaryFolder } from '../../support/ownConfig.ts';

const payload = 'test/alerts/payloads/alertmanager.v4.firing.json';

/** A folder with this triage.yaml. */
function folderWith(text: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'triage.yaml'), text);
  return folder;
}

it('adapt prints the decision of triage at a time, its rule, and the conditions that did not hold', async () => {
  const folder = folderWith(`
rules:
  - {name: cloud, source: cloud-monitoring, action: drop}
  - {name: night, source: alertmanager, time: {from: "22:00", to: "06:00"}, action: record}
`);
  const { code, stdout } = await callCommand([
    'adapt',
    payload,
    '--config',
    folder,
    '--at',
    '2026-11-22T23:30Z',
  ]);
  expect(code).toBe(0);
  expect(stdout.slice(-3)).toEqual([
    'not         cloud: source is "alertmanager", not cloud-monitoring',
    'triage      record, by night: source is "alertmanager"; time is sun 23:30, in 22:00-06:00 UTC',
    'then        it is stored as deferred; inquest start-deferred SESSION starts it',
  ]);
  const day = await callCommand([
    'adapt',
    payload,
    '--config',
    folder,
    '--at',
    '2026-11-22T12:00Z',
    '--json',
  ]);
  expect(JSON.parse(day.stdout.join())).toMatchObject({
    investigated: true,
    triage: { action: 'investigate', rule: 'default', passed: [{ rule: 'cloud' }, { rule: 'night' }] },
  });
});

it('adapt names the fault of triage.yaml with its line', async () => {
  const folder = folderWith('timezone: Mars/Phobos\n');
  const { code, stderr } = await callCommand(['adapt', payload, '--config', folder]);
  expect(code).toBe(1);
  expect(stderr.join('\n')).toMatch(/triage\.yaml:1:11 timezone: unknown time zone "Mars\/Phobos"/);
});

it('dropped counts the dropped alerts by day and rule', async () => {
  const triage = { rules: [{ name: 'dev', text: 'in dev', action: 'drop' }] };
  const script = { conversations: [{ turns: [{ text: 'Done.' }] }] };
  const bench = await startBench({ script, triage });
  const env = { GOOGLE_CLOUD_PROJECT: bench.projectId };
  const none = await callCommand(['dropped'], env);
  expect(none.stdout.join()).toMatch(/^no alert was dropped in .* since \d{4}-\d\d-\d\d$/);
  for (const title of ['One in dev', 'Two in dev\u001b[2J']) await bench.publishAlert({ title });
  await bench.drain();
  const { code, stdout } = await callCommand(['dropped', '--days', '30'], env);
  expect(code).toBe(0);
  expect(stdout[0]).toMatch(/^\d{4}-\d\d-\d\d {2}dev {2}2 alerts, the last at /);
  expect(stdout.slice(1).map((line) => line.trim())).toEqual([
    'text has "in dev"',
    expect.stringMatching(/^"One in dev", "Two in dev/),
  ]);
  expect(stdout.join()).not.toContain('\u001b');
  const json = await callCommand(['dropped', '--days', '30', '--json'], env);
  expect(json.stdout.map((line) => JSON.parse(line))).toMatchObject([{ rule: 'dev', count: 2 }]);
});
