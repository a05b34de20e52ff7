import { expect, it } from 'vitest';
import { writeFiles } from '../../test/support/ownConfig.ts';
import { loadConfig } from './load.ts';

/** Loads one model with these settings as YAML. */
function load(settings: string, env: NodeJS.ProcessEnv = {}, provider = 'google') {
  const folder = writeFiles({
    'models.yaml': `default: flash\nmodels:\n  flash: {provider: ${provider}, model: gemini-3.8-flash${settings}}\n`,
    'agents.yaml': 'agents:\n  a:\n    instructions: Look.\n',
    'chains.yaml': 'default: c\nchains:\n  c:\n    stages:\n      - name: look\n        agents: [a]\n',
  });
  return loadConfig(folder, env);
}

it('the API of a model is part of its settings, so that a session keeps it', () => {
  const { chains } = load(', api: interactions, wait: background');
  expect(JSON.stringify(chains)).toContain('"api":"interactions","wait":"background"');
  expect(JSON.stringify(load('').chains)).not.toContain('"api"');
});

it('the wait for a lost question is part of its settings', () => {
  const { chains } = load(', api: interactions, wait: background, orphanWait: 30m');
  expect(JSON.stringify(chains)).toContain('"orphanWaitMs":1800000');
});

it.each([
  [
    ', api: completions',
    {},
    'google',
    'models.flash.api: unknown value "completions"; expected one of generateContent, interactions',
  ],
  [
    ', wait: later',
    {},
    'google',
    'models.flash.wait: unknown value "later"; expected one of inline, background',
  ],
  [
    ', wait: background',
    {},
    'google',
    'models.flash.wait: needs `api: interactions`; add it, or remove this',
  ],
  [
    ', api: interactions, wait: background, orphanWait: 10m',
    {},
    'google',
    'models.flash.orphanWait: must be at least 20m: a question whose model still thinks would be asked, and paid, twice',
  ],
  [
    ', api: interactions, orphanWait: 30m',
    {},
    'google',
    'models.flash.orphanWait: needs `wait: background`; add it, or remove this',
  ],
  [', api: interactions', {}, 'openai', 'models.flash.api: needs provider google; remove it'],
  [
    ', api: interactions',
    { GOOGLE_GENAI_USE_VERTEXAI: 'true' },
    'google',
    'models.yaml:3:59 models.flash.api: interactions is not known on Vertex AI',
  ],
])('is refused with the place of the fault: %s %j', (settings, env, provider, fault) => {
  expect(() => load(settings, env, provider)).toThrow(fault);
});
