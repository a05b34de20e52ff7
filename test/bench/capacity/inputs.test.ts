import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../support/ownConfig.ts';
import { defaultInputs, describeInputs, parseProfile, readProfile } from './inputs.ts';

it('a profile overrides inputs by name, in YAML or JSON', () => {
  const expected = { ...defaultInputs(), model: { ...defaultInputs().model, seconds: 12 } };
  const file = join(temporaryFolder(), 'profile.yaml');
  writeFileSync(file, 'model:\n  seconds: 12\n');
  expect(readProfile(file)).toEqual(expected);
  expect(parseProfile('{"model": {"seconds": 12}}', 'profile.json')).toEqual(expected);
  expect(parseProfile('', 'profile.yaml')).toEqual(defaultInputs());
});

it.each([
  [
    'model: { secnods: 12 }',
    'model.secnods: unknown; expected one of seconds, spread, requestsPerMinute, tokensPerMinute; did you mean "seconds"?',
  ],
  [
    'modle: { seconds: 12 }',
    /^modle: unknown; expected one of investigation, model, .*; did you mean "model"\?$/,
  ],
  ['model: { seconds: "12" }', 'model.seconds: must be a number, not text'],
  ['model: { seconds: -1 }', 'model.seconds: must be at least 0'],
  ['runIteration: { maxInstances: 1.5 }', 'runIteration.maxInstances: must be a whole number'],
  ['runIteration: { concurrency: 0 }', 'runIteration.concurrency: must be at least 1'],
  ['model: 12', /^model: must be /],
  ['- 12', /^the profile: must be /],
])('refuses the profile %s', (text, fault) => {
  const read = () => parseProfile(text, 'profile.yaml');
  expect(read).toThrow(/^profile\.yaml: /);
  try {
    read();
  } catch (error) {
    expect((error as Error).message.replace('profile.yaml: ', '')).toMatch(fault);
  }
});

it('lists each input with its value and its source, and says which are of the profile', () => {
  const lines = describeInputs(parseProfile('model: { seconds: 12 }', 'profile.yaml'));
  expect(lines).toContainEqual(expect.stringMatching(/^model\.seconds +12 s an answer \(the profile\)$/));
  expect(lines).toContainEqual(
    expect.stringMatching(/^runIteration\.concurrency +20 .* \(functions\/manifest\.ts\)$/),
  );
  expect(lines.every((line) => /^\w+\.\w+ +\S+ .*\(.+\)$/.test(line))).toBe(true);
});
