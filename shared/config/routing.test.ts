import { describe, expect, it } from 'vitest';
import { sampleAlert, samplePlan } from '../../test/support/samples.ts';
import type { Alert } from '../alerts/schema/alert.ts';
import type { AlertRule } from './alertRules.ts';
import { routeAlert } from './routing.ts';

const chain = (name: string) => ({ name, stages: [samplePlan()] });
const configOf = (alertRules: Record<string, AlertRule[]>) => ({
  chains: { shop: chain('shop'), network: chain('network'), quick: chain('quick') },
  defaultChain: 'quick',
  alertRules,
});
const alert = sampleAlert({ labels: { namespace: 'shop-eu', team: 'payments' }, severity: 'Critical' });
const body = '{"description":"The process was OOMKilled"}';
const route = (rules: AlertRule[], one: Partial<Alert> = {}) =>
  routeAlert(configOf({ shop: rules }), { ...alert, ...one }, body);

describe('a rule takes an alert', () => {
  it.each<[string, AlertRule, string]>([
    ['by its source', { source: ['json', 'alertmanager'] }, 'source is "alertmanager"'],
    [
      'by its severity, in any letter case',
      { severity: ['page', 'critical'] },
      'severity is "Critical" (critical)',
    ],
    ['by a label', { labels: { team: ['payments'] } }, 'label team is "payments"'],
    [
      'by a pattern of a label',
      { labels: { namespace: ['shop-*'] } },
      'label namespace is "shop-eu" (shop-*)',
    ],
    ['by a text of its title', { text: ['crashloop'] }, 'text has "crashloop"'],
    ['by a text of its summary', { text: ['Restarting'] }, 'text has "Restarting"'],
    ['by a text of its body', { text: ['nothing', 'oomkilled'] }, 'text has "oomkilled"'],
  ])('%s', (_, rule, text) => {
    expect(route([rule])).toMatchObject({
      chain: { name: 'shop' },
      routing: { by: 'rule', rule: 1, text: `rule 1: ${text}` },
      passed: [],
    });
  });

  it('when all its conditions hold, and names them', () => {
    const rule = { source: ['alertmanager'], labels: { namespace: ['shop-*'], team: ['payments'] } };
    expect(route([rule]).routing.text).toBe(
      'rule 1: source is "alertmanager"; label namespace is "shop-eu" (shop-*); label team is "payments"',
    );
  });

  it('when one of several rules does', () => {
    expect(route([{ source: ['json'] }, { severity: ['critical'] }]).routing).toMatchObject({ rule: 2 });
  });
});

describe('a rule leaves an alert unchanged', () => {
  it.each<[string, AlertRule, Partial<Alert>, string]>([
    ['of another source', { source: ['json', 'text'] }, {}, 'source is "alertmanager", not json or text'],
    [
      'without a severity',
      { severity: ['critical'] },
      { severity: null },
      'severity is missing, wanted critical',
    ],
    ['without the label', { labels: { zone: ['a', 'b'] } }, {}, 'label zone is missing, wanted a or b'],
    [
      'whose label every object has',
      { labels: { toString: ['*'] } },
      {},
      'label toString is missing, wanted *',
    ],
    [
      'whose label differs in letter case',
      { labels: { team: ['Payments'] } },
      {},
      'label team is "payments", not Payments',
    ],
    ['without any of the texts', { text: ['disk', 'full'] }, {}, 'text has none of disk or full'],
    [
      'when one condition of two holds',
      { source: ['alertmanager'], text: ['disk'] },
      {},
      'text has none of disk',
    ],
  ])('%s', (_, rule, one, text) => {
    expect(route([rule], one)).toMatchObject({
      chain: { name: 'quick' },
      routing: { by: 'default', rule: null, text: 'it is the default, and no rule takes the alert' },
      passed: [{ chain: 'shop', rules: [text] }],
    });
  });
});

describe('of several chains', () => {
  const config = configOf({ network: [{ text: ['packet loss'] }], shop: [{ labels: { team: ['*'] } }] });

  it('the first that takes an alert gets it, and the failed conditions of those before are reported', () => {
    expect(routeAlert(config, alert, body)).toMatchObject({
      chain: { name: 'shop' },
      passed: [{ chain: 'network', rules: ['text has none of packet loss'] }],
    });
    const both = { ...alert, summary: 'Packet loss' };
    expect(routeAlert(config, both, body)).toMatchObject({ chain: { name: 'network' }, passed: [] });
  });

  it('the one that the message asks for comes before all rules', () => {
    expect(routeAlert(config, alert, body, 'quick')).toMatchObject({
      chain: { name: 'quick' },
      routing: { by: 'message', rule: null },
    });
    expect(() => routeAlert(config, alert, body, 'quik')).toThrow('did you mean "quick"?');
  });

  it('the default is taken where there are no rules', () => {
    expect(routeAlert(configOf({}), alert, body)).toMatchObject({
      chain: { name: 'quick' },
      routing: { by: 'default', text: 'it is the default' },
    });
  });
});

it('the deciding value is quoted in part when it is long, and a long body is read once', () => {
  const values = Array.from({ length: 50 }, (_, index) => `${'x'.repeat(190)}${index}`);
  const labels = { pod: `${values[0]}${'y'.repeat(300)}` };
  const rules = [{ text: values }, { labels: { pod: ['*y'] } }];
  const { routing } = routeAlert(configOf({ shop: rules }), { ...alert, labels }, 'x'.repeat(1_000_000));
  expect(routing.rule).toBe(2);
  expect(routing.text.length).toBeLessThan(200);
});
