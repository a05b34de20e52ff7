import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readAlert } from '../../shared/alerts/index.ts';
import { alertForPrompt } from '../../shared/alerts/prompt.ts';
import { createMasker } from '../../shared/masking/masker.ts';
import { frameRule } from '../../shared/text/untrustedFrame.ts';
import { exampleNames, findExample } from '../examples.ts';
import type { NamedAlert } from './modelScript.ts';
import { isAbout } from './namedAlert.ts';
import { loadModelScript } from './startScriptedModel.ts';

const user = (text: string) => ({ role: 'user', parts: [{ text }] });
const nonce = '0123456789ab';

/** The first request about an alert as its source sends it. */
function requestAbout(alert: string | Uint8Array) {
  const reading = readAlert(Buffer.from(alert), createMasker({}));
  if (!reading.ok) throw new Error(reading.failure.message);
  const text = alertForPrompt(reading.alert, reading.body, { maxBytes: 64_000, nonce });
  return { contents: [user(`Investigate this alert.\n\n${frameRule(nonce)}\n\n${text}`)] };
}

const named = (alert: Partial<NamedAlert>): NamedAlert => ({ labels: {}, ...alert });
const FOREIGN = '{"title":"Login fails","labels":{"namespace":"shop"}}';

it.each(exampleNames())('the script of the example %s names its own alert, and no other', async (name) => {
  const { alertFile, scriptFile } = findExample(name);
  const { for: alerts = [] } = await loadModelScript(scriptFile);
  const isNamed = (alert: string | Uint8Array) => alerts.some((one) => isAbout(requestAbout(alert), one));
  expect(isNamed(readFileSync(alertFile))).toBe(true);
  expect(isNamed(FOREIGN)).toBe(false);
});

it.each([
  ['JSON', '{"title":"Disk full","labels":{"team": "shop"}}', true],
  ['JSON within a text', '{"title":"Disk full","message":"{\\"team\\":\\"shop\\"}"}', true],
  ['pairs', '{"title":"Disk full","message":"team=shop host=db-1"}', true],
  ['a longer value', '{"title":"Disk full","labels":{"team":"shop-eu"}}', false],
  ['a longer name', '{"title":"Disk full","labels":{"old_team":"shop"}}', false],
  ['no such label', '{"title":"Disk full","labels":{"owner":"shop"}}', false],
  ['another title', '{"title":"Disk slow","labels":{"team":"shop"}}', false],
])('a label and a title are found as %s', (_, alert, expected) => {
  expect(isAbout(requestAbout(alert), named({ title: 'Disk full', labels: { team: 'shop' } }))).toBe(
    expected,
  );
});

it('a request without an alert is about none, and an empty name about every request', () => {
  const question = { contents: [user('Disk full: who restarts checkout? Title: Disk full')] };
  expect(isAbout(question, named({ title: 'Disk full' }))).toBe(false);
  expect(isAbout(question, named({}))).toBe(true);
  expect(isAbout({}, named({}))).toBe(true);
});
