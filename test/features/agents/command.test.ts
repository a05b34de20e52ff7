// What a person does with agents on the command line, and what a session makes of it.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { loadSessionConfig } from '../../../shared/config/load.ts';
import { createStoredAgents } from '../../../shared/kits/agents/storedAgents.ts';
import { callCommand } from '../../support/callCommand.ts';
import { startBench } from '../../support/harness.ts';
import { ownConfig, temporaryFolder } from '../../support/ownConfig.ts';

const AGENT = `# Written by hand.
type: object
description: Look twice.
properties:
  answer: {type: string}
json_schema_extra:
  name: looker
  version: "2.0.0"
  structured_output: true
  team: payments # kept
`;

it('an agent is pushed, listed, used by the next session, pulled byte for byte, and removed', async () => {
  const folder = ownConfig({});
  const file = path.join(temporaryFolder(), 'mine.yaml');
  writeFileSync(file, AGENT);
  const script = { conversations: [{ turns: [{ text: '{"answer": "Out of memory."}' }] }] };
  const bench = await startBench({ script, readConfig: () => loadSessionConfig(folder) });
  bench.deps.storedAgents = createStoredAgents(bench.deps);
  const call = (...args: string[]) =>
    callCommand(['agents', ...args], {
      GOOGLE_CLOUD_PROJECT: bench.projectId,
      INQUEST_CONFIG: folder,
      NO_COLOR: '1',
    });

  expect((await call('list')).stdout).toEqual([`looker  agents.yaml  native-thinking, gemini-3.8-flash`]);
  const pushed = await call('push', file, '--by', 'anna');
  expect(pushed).toMatchObject({
    code: 0,
    stdout: [expect.stringMatching(/^looker: created in project demo-/)],
  });
  expect((await call('push', file)).stdout[0]).toMatch(/^looker: unchanged in /);
  expect((await call('list', '--json')).stdout.map((line) => JSON.parse(line))).toMatchObject([
    { name: 'looker', from: 'store', structured: true, fault: null },
  ]);
  const shown = await call('show', 'looker');
  expect(`${shown.stdout.join('\n')}\n`).toBe(AGENT);
  expect(shown.stderr).toEqual([expect.stringMatching(/^from the store, since .* by anna$/)]);
  expect((await call('show', 'looker', '--prompt')).stdout).toEqual(['Look twice.']);

  const sessionId = await bench.publishAlert();
  await bench.drain();
  const { session, timeline } = await bench.read(sessionId);
  expect(session.chain.stages[0]?.agents[0]).toMatchObject({ instructions: 'Look twice.' });
  expect(session.finalAnalysis).toBe('Out of memory.');
  const analysis = timeline.find(({ eventType }) => eventType === 'final_analysis');
  expect(analysis?.metadata).toMatchObject({ output: '{"answer":"Out of memory."}' });

  const output = path.join(temporaryFolder(), 'agents');
  expect((await call('pull', '--output', output)).stdout).toEqual([path.join(output, 'looker.yaml')]);
  expect(readFileSync(path.join(output, 'looker.yaml'), 'utf8')).toBe(AGENT);
  writeFileSync(path.join(output, 'looker.yaml'), 'other');
  const refused = await call('pull', 'looker', '--output', output);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr.join()).toContain('looker.yaml holds something else; give --force');
  expect((await call('remove', 'looker')).stdout[0]).toMatch(/^looker: removed from /);
  expect((await call('show', 'looker', '--prompt')).stdout).toEqual(['Look.']);
});

it('an invalid agent is not stored; each fault has file, line and remedy', async () => {
  const folder = ownConfig({});
  mkdirSync(path.join(folder, 'agents'));
  const file = path.join(folder, 'wrong.yaml');
  const call = (...args: string[]) =>
    callCommand(['agents', ...args], {
      INQUEST_CONFIG: folder,
      FIRESTORE_EMULATOR_HOST: undefined,
      GOOGLE_CLOUD_PROJECT: undefined,
    });
  writeFileSync(file, AGENT.replace('structured_output: true', 'override_model: gpt'));
  for (const args of [
    ['validate', file],
    ['push', file],
  ]) {
    const { code, stdout, stderr } = await call(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: [] });
    expect(stderr.join()).toContain(
      `${file}:9:19 json_schema_extra.override_model: unknown model "gpt"; expected one of flash`,
    );
  }
  writeFileSync(file, AGENT.replace('team: payments', 'stratgy: react'));
  expect(await call('validate', file)).toMatchObject({
    code: 0,
    stdout: [
      `note: ${file}:10:3 json_schema_extra.stratgy: is kept and has no effect; did you mean strategy?`,
      `${file}: the agent looker can be used`,
    ],
  });
  expect(await call('push', file)).toMatchObject({
    code: 2,
    stderr: [expect.stringContaining('no database is named')],
  });
  expect(await call('show', 'loker')).toMatchObject({
    code: 2,
    stderr: [
      expect.stringMatching(
        /there is no agent "loker" in .*; expected one of .*looker.*; did you mean "looker"\?$/,
      ),
    ],
  });
  expect((await call('show', 'looker')).stdout).toEqual([
    'type: object',
    'description: Look.',
    'json_schema_extra:',
    '  kind: agent',
    '  name: looker',
    '  fallback: []',
  ]);
  expect(await call('validate')).toMatchObject({ code: 0, stdout: ['1 agents can be used: looker'] });
});

it('`agents validate` names tools of an agent that its servers do not have', async () => {
  const assessor = path.join('examples', 'assessment', 'config', 'agents', 'assessor.yaml');
  const file = path.join(temporaryFolder(), 'assessor.yaml');
  writeFileSync(file, readFileSync(assessor, 'utf8').replace('- name: list_pods', '- name: list_podz'));
  const { stdout } = await callCommand(['agents', 'validate', file], {
    INQUEST_CONFIG: path.join('examples', 'assessment', 'config'),
  });
  expect(stdout).toEqual([
    expect.stringMatching(
      /^note: .*assessor\.yaml: the server "kubernetes" has no tool "list_podz"; .*did you mean "kubernetes\.list_pods"\?$/,
    ),
    `${file}: the agent assessor can be used`,
  ]);
});
