import { describe, expect, it } from 'vitest';
import { fillLabels, fillLabelsIn, labelFault } from './labelText.ts';

const labels = { namespace: 'shop', query: 'a"} or up{b="', 'app.kubernetes.io/name': 'checkout', none: '' };

describe('fillLabels', () => {
  it.each([
    ['no label', 'no label'],
    [`\${labels.namespace}`, 'shop'],
    [
      `up{namespace="\${labels.namespace}", app="\${labels.app.kubernetes.io/name}"}`,
      'up{namespace="shop", app="checkout"}',
    ],
  ])('reads %s as %s', (text, value) => {
    expect(fillLabels(text, labels)).toEqual({ ok: true, value });
  });

  it('takes any value as the whole text, and only a plain one inside of a longer one', () => {
    expect(fillLabels(`\${labels.query}`, labels)).toEqual({ ok: true, value: labels.query });
    expect(fillLabels(`up{a="\${labels.query}"}`, labels)).toEqual({
      ok: false,
      reason: 'the label query holds characters that may not stand inside a longer text',
    });
  });

  it.each([`\${labels.pod}`, `\${labels.none}`, `\${labels.toString}`])('has no value for %s', (text) => {
    const name = text.slice(`\${labels.`.length, -1);
    expect(fillLabels(text, labels)).toEqual({ ok: false, reason: `the alert has no label ${name}` });
  });

  it('does not fill in references inside a value', () => {
    expect(fillLabels(`\${labels.a}`, { a: `\${labels.b}`, b: 'x' })).toEqual({
      ok: true,
      value: `\${labels.b}`,
    });
  });
});

describe('fillLabelsIn', () => {
  it('fills every text of a value but its keys', () => {
    const key = `\${labels.namespace}`;
    const value = { [key]: [key, 7, { deep: `${key}-x` }], on: true };
    expect(fillLabelsIn(value, labels)).toEqual({
      ok: true,
      value: { [key]: ['shop', 7, { deep: 'shop-x' }], on: true },
    });
    expect(fillLabelsIn({ a: [`\${labels.pod}`] }, labels).ok).toBe(false);
  });
});

describe('labelFault', () => {
  it('finds references that are none', () => {
    expect(labelFault(`\${labels.a} and $5`)).toBeUndefined();
    for (const text of [`\${pod}`, `\${labels.}`, `\${labels.a`, `\${ENV}`])
      expect(labelFault(text)).toBeDefined();
  });
});
