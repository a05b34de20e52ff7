import { cpSync } from 'node:fs';
import { expect, it } from 'vitest';
import { listFaults, temporaryFolder, writeFiles } from '../../test/support/ownConfig.ts';
import { projectFile } from '../projectFiles.ts';
import { loadSessionConfig } from './load.ts';
import { loadOff } from './switches.ts';

/** The configuration of an example, with other files. */
function withFiles(files: Record<string, string>): string {
  const folder = temporaryFolder();
  cpSync(projectFile('examples/crashloop/config'), folder, { recursive: true });
  return writeFiles(files, folder);
}

const faults = (files: Record<string, string>) => listFaults(() => loadSessionConfig(withFiles(files)));

it('turns off what system.yaml names, and nothing else', () => {
  const folder = withFiles({ 'system.yaml': 'features: { knowledge: off, changes: on, chat: off }' });
  expect([...loadOff(folder)]).toEqual(['knowledge', 'chat']);
  expect([...(loadSessionConfig(folder).off ?? [])]).toEqual(['knowledge', 'chat']);
  expect(loadOff(withFiles({})).size).toBe(0);
  expect(loadOff('/nowhere').size).toBe(0);
});

it('refuses names and values that do not exist', () => {
  expect(faults({ 'system.yaml': 'features: { knowlege: off, chat: no }' })).toEqual([
    'system.yaml:1:13 features.knowlege: unknown key; expected one of deliveries, changes, knowledge, schedules, telemetry, chat, outcomes, topology; did you mean "knowledge"?',
    expect.stringMatching(/^system.yaml:1:34 features.chat: .*on.*off/),
  ]);
});

it('gives chains of a configuration without chat no agent for questions', () => {
  const chains = (system: string) =>
    Object.values(loadSessionConfig(withFiles({ 'system.yaml': system })).chains);
  expect(chains('').every(({ chat }) => chat !== undefined)).toBe(true);
  expect(chains('features: { chat: off }').some(({ chat }) => chat !== undefined)).toBe(false);
});

it.each<[string, string, string]>([
  ['deliveries', 'destinations.yaml', 'destinations: {}'],
  ['schedules', 'schedules.yaml', 'schedules: {}'],
  ['telemetry', 'telemetry.yaml', 'sample: 1'],
  ['changes', 'webhooks.yaml', 'github: { secretEnv: HOOK }'],
  ['changes', 'schedules.yaml', 'afterChanges: {}'],
])('names a setting of %s in %s that has no effect while they are off', (feature, file, content) => {
  const system = `features: { ${feature}: off }`;
  expect(faults({ [file]: content, 'system.yaml': system })).toEqual([
    expect.stringContaining(`${file}:1:1 ${content.split(':')[0]}: has no effect: ${feature}`),
  ]);
  expect(faults({ [file]: '# nothing\n', 'system.yaml': system })).toEqual([]);
  expect(faults({ [file]: content, 'system.yaml': '' }).join()).not.toContain('has no effect');
});

it('names a service map that has no effect', () => {
  const servers = 'servers: { tracing: { url: "https://tracing.example.com", fields: servicemap } }';
  expect(faults({ 'servers.yaml': servers, 'system.yaml': 'features: { topology: off }' }).join()).toContain(
    'servers.yaml:1:59 servers.tracing.fields: has no effect: topology is off in this installation',
  );
});

it('names a model for embeddings, and agents for questions, that have no effect', () => {
  expect(faults({ 'system.yaml': 'embeddingModel: some-model\nfeatures: { knowledge: off }' })).toEqual([
    'system.yaml:1:1 embeddingModel: has no effect: knowledge is off in this installation: `features` of system.yaml has `knowledge: off`; remove one of the two settings',
  ]);
  const chains = 'chains: { more: { chat: investigator, stages: [{ name: one, agents: [investigator] }] } }';
  expect(faults({ 'chains/more.yaml': chains, 'system.yaml': 'features: { chat: off }' }).join()).toContain(
    'chains/more.yaml:1:19 chains.more.chat: has no effect: chat is off',
  );
});
