import { expect, it } from 'vitest';
import { writeFiles } from '../../test/support/ownConfig.ts';
import { ConfigError } from './configError.ts';
import { destinationsFileSchema, loadDestinations } from './destinations.ts';

const ENV = { SLACK_BOT_TOKEN: 'xoxb-1234567890-abc' };
const SLACK = 'kind: slack, token: "$${}{SLACK_BOT_TOKEN}", channel: C0123456789'.replace('$${}', '$');

const WHSEC = `whsec_${'A'.repeat(32)}`;

/** The destinations of a file with these entries, or the faults. */
function load(entries: string, env: NodeJS.ProcessEnv = ENV) {
  const folder = writeFiles({ 'destinations.yaml': `destinations:\n${entries}` });
  try {
    return loadDestinations(folder, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message;
  }
}

it('gives each destination its kind, its tenants and its settings with variables filled in', () => {
  expect(load(`  team: { ${SLACK} }`)).toEqual({
    team: {
      kind: 'slack',
      tenants: ['default'],
      onDoubt: 'repeat',
      settings: { token: ENV.SLACK_BOT_TOKEN, channel: 'C0123456789' },
    },
  });
});

it.each([
  ['  team: { kind: slak }', /2:\d+ destinations\.team\.kind: unknown kind "slak".*slack/],
  ['  team: { kind: outcome }', /outcome is an event, not a kind; add it to `when`/],
  [`  team: { ${SLACK}, chanel: C1 }`, /chanel: unknown key; .*channel/],
  ['  team: { kind: slack, token: "xoxb-1234567890-abc", channel: "#ops" }', /must be the id of a channel/],
  ['  team: { kind: slack, channel: C0123456789 }', /destinations\.team\.token: is missing/],
  [`  team: { ${SLACK}, tenants: ["a.b"] }`, /tenants\[0\]: must be the name of a tenant/],
  [
    `  team: { ${SLACK}, signingSecret: s }`,
    /destinations\.team\.team: is missing: buttons need it beside signingSecret/,
  ],
  [`  team: { ${SLACK}, team: T0123456789 }`, /team\.signingSecret: is missing: buttons need it beside team/],
  [`  team: { ${SLACK}, channelFrom: { label: "", allowed: [C0123456789] } }`, /channelFrom\.label: must/],
  [
    `  team: { ${SLACK}, channelFrom: { label: a, allowed: [] } }`,
    /channelFrom\.allowed: must hold at least 1/,
  ],
  [
    '  mail: { kind: email, host: a.example, password: a, from: a@b.example, to: [c@d.example] }',
    /user: is missing: a login needs it beside password/,
  ],
  ['  mail: { kind: email, host: a.example, from: a@b.example, to: [] }', /to: must hold at least 1/],
  ['  mail: { kind: email, host: a.example, port: 0, from: a@b.example, to: [c@d.example] }', /port: must/],
  ['  hook: { kind: webhook, url: "https://a.example", secrets: abc }', /secrets.*must be whsec_/],
  [`  team: { ${SLACK}, asks: { chain: a } }`, /team\.asks: needs kind: slack with signingSecret and team/],
  ['  events: { kind: pubsub, asks: { chain: a } }', /events\.asks: needs kind: slack/],
  [`  team: { ${SLACK}, team: T0123456789, signingSecret: s, asks: {} }`, /team\.asks\.chain: is missing/],
  ['  team: { tenants: [a] }', /2:\d+ destinations\.team\.kind: is missing; expected one of slack/],
  [
    `  hook: { kind: webhook, url: "https://u:p@a.example", secrets: ${WHSEC} }`,
    /url: .*without credentials/,
  ],
  [
    `  hook: { kind: webhook, url: "http://a.example", secrets: ${WHSEC} }`,
    /url: must be an https address; http is/,
  ],
  ['  team: { kind: teams, url: "http://a.example/x" }', /url: must be the https address of the workflow/],
  ['  pager: { kind: pagerduty, token: a, from: nobody }', /from: must be an address, such as/],
  ['  mail: { kind: email, host: a.example, from: a@b.example, to: ["c d"] }', /to\[0\]: must be an address/],
  [
    '  mail: { kind: email, host: a.example, user: a, from: A <a@b.example>, to: [c@d.example] }',
    /password: is missing: a login needs it beside user/,
  ],
])('reports %s with its place and the fix', (entries, message) => {
  expect(load(entries)).toMatch(message);
});

it.each(['10.0.0.1', '[fd00::1]', 'localhost:8443', 'receiver', 'hooks.shop.internal'])(
  'refuses the private address %s of webhooks and Teams, with its place and the fix',
  (host) => {
    expect(load(`  hook: { kind: webhook, url: "https://${host}/x", secrets: ${WHSEC} }`)).toMatch(
      /2:\d+ destinations\.hook\.url: is a private address; .*private: true/,
    );
    expect(load(`  team: { kind: teams, url: "https://${host}/x" }`)).toMatch(
      /team\.url: must be the public address of the workflow/,
    );
  },
);

it('takes all settings of Slack and of mail', () => {
  const channels = 'channelFrom: { label: team, allowed: [C0123456789, C0123456788] }';
  const mail = 'kind: email, host: a.example, port: 587, user: a, password: b, from: a@b.example';
  expect(
    load(
      `  team: { ${SLACK}, team: T0123456789, signingSecret: s, ${channels} }\n  mail: { ${mail}, to: [c@d.example, e@d.example] }`,
    ),
  ).toMatchObject({
    team: { settings: { channelFrom: { label: 'team', allowed: ['C0123456789', 'C0123456788'] } } },
    mail: { settings: { port: 587, to: ['c@d.example', 'e@d.example'] } },
  });
});

it('takes a private address that is intended, and names that must be resolved first', () => {
  const hook = (host: string, more: string) =>
    `  hook: { kind: webhook, url: "https://${host}", secrets: ${WHSEC}${more} }`;
  for (const entry of [hook('10.0.0.1', ', private: true'), hook('a.example', ''), hook('8.8.8.8', '')])
    expect(load(entry)).toHaveProperty('hook');
  const url = 'https://$'.concat('{HOST}/x');
  const unfilled = { destinations: { hook: { kind: 'webhook', url, secrets: WHSEC } } };
  expect(destinationsFileSchema('none').safeParse(unfilled).success).toBe(true);
});

it('names a variable that is not set, without values', () => {
  expect(load(`  team: { ${SLACK} }`, {})).toMatch(
    /destinations\.team\.token: environment variable SLACK_BOT_TOKEN is not set/,
  );
});
