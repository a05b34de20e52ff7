import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ConfigError } from './configError.ts';
import { loadDestinations } from './destinations.ts';

const ENV = { SLACK_BOT_TOKEN: 'xoxb-1234567890-abc' };
const SLACK = 'kind: slack, token: "$${}{SLACK_BOT_TOKEN}", channel: C0123456789'.replace('$${}', '$');

/** The destinations of a file with these entries, or the faults. */
function load(entries: string, env: NodeJS.ProcessEnv = ENV) {
  const folder = mkdtempSync(join(tmpdir(), 'inquest-destinations-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'destinations.yaml'), `destinations:\n${entries}`);
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
  ['  hook: { kind: webhook, url: "https://a.example", secrets: abc }', /secrets.*must be whsec_/],
])('reports %s with its place and the fix', (entries, message) => {
  expect(load(entries)).toMatch(message);
});

it('names a variable that is not set, without values', () => {
  expect(load(`  team: { ${SLACK} }`, {})).toMatch(
    /destinations\.team\.token: environment variable SLACK_BOT_TOKEN is not set/,
  );
});
