// Fresh secrets in tools' notations are masked everywhere, and harmless lines stay as they are.

import { describe, expect, it } from 'vitest';
import { createRandom, type Random } from '../../shared/engine/testing/random.ts';
import { createMasker } from '../../shared/masking/masker.ts';
import { IS_FULL, IS_LONG } from '../support/fullTests.ts';
import { drawHarmless } from './harmlessLines.ts';
import { drawForm, FORM_NAMES } from './secretForms.ts';

const masker = createMasker({ sessionKey: 'forms' });
const LOG = '2026-11-28T10:00:01Z INFO order placed for user 17\n'.repeat(20);

/** How a text comes into Inquest. */
const INPUTS: Record<string, (text: string) => string> = {
  alone: (text) => text,
  'between other lines': (text) => `${LOG}${text}\n${LOG}`,
  'in a field of an alert': (text) => JSON.stringify({ title: 'Disk full', message: text, severity: 'high' }),
  'in a long alert': (text) =>
    JSON.stringify({ title: 'Disk full', labels: { pod: 'shop-1' }, message: `${LOG}${text}\n${LOG}` }),
  'in structuredContent': (text) =>
    JSON.stringify({ structuredContent: { stdout: text, exitCode: 0 } }, null, 2),
  'in a string of JSON in JSON': (text) =>
    JSON.stringify({ content: [{ type: 'text', text: JSON.stringify({ output: text, code: 0 }) }] }),
};
const asFields = (text: string): string =>
  JSON.stringify(masker.maskJson({ title: 'Disk full', message: text }).value);

/** Rounds through all notations: 117 secrets each, the first has all inputs. */
const ROUNDS = IS_LONG ? 40 : IS_FULL ? 9 : 1;
const SEED = 20261128;

/** Notations with other secrets beside the one that is drawn, or whose mark takes in the name of its key. */
const WITH_MORE = new Set([
  'kubernetes_secret changed in a plan',
  '--from-literal with a blank',
  '--from-literal, value in quotes',
  'literals of kustomize',
  'psql',
  'CSV',
  'Cosmos, connection string',
  'keys in a table',
  '.pgpass in JSON',
  '.pgpass in JSON, one line',
  'ssh-keygen -p',
  'in a diff',
  'in a whole diff',
]);

describe('fresh secrets in the notations of tools', () => {
  it('are all that is masked', () => {
    const random = createRandom(SEED);
    const changed = FORM_NAMES.filter(([group, name]) => {
      const { raw, text } = drawForm(random, group, name);
      const masked = masker.mask(text).text;
      const hidden = masked.replaceAll(/\[masked:[a-z0-9-]+#[0-9a-f]+\]/g, '*');
      return hidden !== text.replaceAll(raw, '*') && !WITH_MORE.has(name);
    });
    expect(changed).toEqual([]);
  });

  it.each([...Object.keys(INPUTS), 'as fields'])('are masked %s', (input) => {
    const random = createRandom(SEED);
    const missed: string[] = [];
    let total = 0;
    for (let round = 0; round < ROUNDS; round++) {
      for (const [group, name] of FORM_NAMES) {
        const { raw, text } = drawForm(random, group, name);
        const masked =
          input === 'as fields' ? asFields(text) : masker.mask(INPUTS[input]?.(text) ?? text).text;
        total++;
        if (masked.includes(raw)) missed.push(`${group}, ${name}`);
      }
    }
    expect(total).toBeGreaterThanOrEqual(100 * ROUNDS);
    expect(missed.length / total, missed.join('; ')).toBeLessThanOrEqual(5 / 1000);
  });
});

describe('harmless lines', () => {
  const draw = (random: Random, count: number) => Array.from({ length: count }, () => drawHarmless(random));

  it.each(['alone', 'in a field of an alert', 'in a string of JSON in JSON'])(
    'stay as they are, %s',
    (input) => {
      const texts = draw(createRandom(SEED), IS_LONG ? 5000 : 700).map(
        (text) => INPUTS[input]?.(text) ?? text,
      );
      expect(texts.filter((text) => masker.mask(text).text !== text)).toEqual([]);
    },
  );
});
