import { expect, it } from 'vitest';
import { openWebhooks } from './openWebhooks.ts';

const SECRET = '0123456789abcdef';

/** Opens webhooks, and collects what is logged. */
function open(config: Parameters<typeof openWebhooks>[0]) {
  const warnings: string[] = [];
  const { sources } = openWebhooks(
    config,
    { HOOK: `${SECRET}\n`, SHORT: 'abc' },
    {
      warn: (line: unknown) => warnings.push(String(line)),
    },
  );
  return { sources, warnings };
}

it.each([
  [undefined, true],
  [true, true],
  [false, false],
])('the signed time of Grafana is %s: it is checked: %s', (signedTime, signsTime) => {
  const { sources } = open({
    grafana: { secretEnv: ['HOOK'], ...(signedTime !== undefined && { signedTime }) },
  });
  expect(sources.grafana).toMatchObject({ signsTime });
});

it('a source has its secrets, topics, chain and tenant, and else the defaults', () => {
  const topics = ['arn:aws:sns:eu-central-1:123456789012:alarms'];
  const { sources, warnings } = open({
    pagerduty: { secretEnv: ['HOOK'], chain: 'deep', tenant: 'acme' },
    sns: { topics },
    github: { secretEnv: ['HOOK'] },
    sentry: undefined,
  });
  const none = { tenantId: 'default', chain: undefined, signsTime: true };
  expect(sources).toEqual({
    pagerduty: { ...none, tenantId: 'acme', chain: 'deep', secrets: [SECRET], topics: [] },
    sns: { ...none, secrets: [], topics },
    github: { ...none, secrets: [SECRET], topics: [] },
  });
  expect(warnings).toEqual([]);
});

it('a secret that is missing or too short is logged and not used, without its value', () => {
  const { sources, warnings } = open({ generic: { secretEnv: ['HOOK', 'SHORT', 'MISSING'] } });
  expect(sources.generic?.secrets).toEqual([SECRET]);
  expect(warnings).toEqual([
    expect.stringMatching(/^webhook generic: .*SHORT.*fewer than 16 characters/),
    expect.stringMatching(/^webhook generic: .*MISSING is not set/),
  ]);
  expect(warnings.join()).not.toContain('abc');
});
