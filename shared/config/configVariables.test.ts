import { expect, it } from 'vitest';
import { writeFiles } from '../../test/support/ownConfig.ts';
import { configVariables, readModelProviders, usesEventsTopic } from './configVariables.ts';

/** Each variable as `use NAME`, with ` secret` and ` optional`. */
const linesOf = (folder: string, env?: Record<string, string>) =>
  configVariables(folder, env).map(
    ({ name, use, isSecret, isOptional }) =>
      `${use} ${name}${isSecret ? ' secret' : ''}${isOptional ? ' optional' : ''}`,
  );

const GEMINI = 'gemini GEMINI_API_KEY secret optional';

it('a configuration without providers, servers and webhooks needs the key of Gemini at most', () => {
  expect(linesOf(writeFiles({ 'models.yaml': 'models: { flash: { provider: google, model: g } }' }))).toEqual(
    [GEMINI],
  );
  expect(linesOf('/nowhere')).toEqual([GEMINI]);
});

it.each([
  ['https://models.example.com/v1', 'providers OPENAI_API_KEY secret optional'],
  ['https://eu.api.openai.com/v1', 'providers OPENAI_API_KEY secret'],
  ['', 'providers OPENAI_API_KEY secret'],
])('with OPENAI_BASE_URL %j the key is %s', (OPENAI_BASE_URL, key) => {
  const folder = writeFiles({ 'models.yaml': 'models: { a: { provider: openai } }' });
  expect(linesOf(folder, { OPENAI_BASE_URL })).toContain(key);
});

it('providers need their keys, each once, and read further settings', () => {
  const models =
    'models: { a: { provider: openai }, b: { provider: openai }, c: { provider: bedrock }, d: { provider: own } }';
  expect(linesOf(writeFiles({ 'models.yaml': models }))).toEqual([
    GEMINI,
    'providers AWS_ACCESS_KEY_ID secret optional',
    'providers AWS_DEFAULT_REGION optional',
    'providers AWS_REGION optional',
    'providers AWS_SECRET_ACCESS_KEY secret optional',
    'providers OPENAI_API_KEY secret',
    'providers OPENAI_BASE_URL optional',
    'providers OPENAI_ORGANIZATION optional',
  ]);
});

it('a variable of a server is a secret by its name, in a header, or as the value of a secret', () => {
  const servers = `
servers:
  remote:
    transport: http
    url: \${MCP_URL:-http://127.0.0.1:1/mcp}
    headers: { X-Site: "\${SITE}", Accept: "\${FORMAT}", Authorization: "Bearer $\${LITERAL} \${GITHUB_TOKEN:-none}" }
    arguments: { namespace: "\${labels.namespace}" }
    tools: { scale: { probe: { tool: get, arguments: { key: "\${idempotencyKey}" } } } }
  process:
    transport: stdio
    command: node
    args: ["\${INQUEST_HOME}/server.mjs", "--site", "\${SITE:-eu}"]
    env: { PGPASSWORD: "\${DB}", REGION: "\${REGION}" }
  broken: 7
`;
  expect(linesOf(writeFiles({ 'servers.yaml': servers }))).toEqual([
    GEMINI,
    'tools DB secret',
    'tools FORMAT',
    'tools GITHUB_TOKEN secret optional',
    'tools MCP_URL optional',
    'tools REGION',
    // In a header, and required there.
    'tools SITE secret',
  ]);
});

it('webhooks need their secrets, of rotations each', () => {
  const webhooks = `
alertmanager: { secretEnv: ALERTS }
grafana: { secretEnv: [GRAFANA_NEW, GRAFANA_OLD], signedTime: false }
sns: { topics: [] }
generic: { secretEnv: 7 }
sentry: { secretEnv: [7] }
`;
  expect(linesOf(writeFiles({ 'webhooks.yaml': webhooks }))).toEqual([
    GEMINI,
    'webhooks ALERTS secret',
    'webhooks GRAFANA_NEW secret',
    'webhooks GRAFANA_OLD secret',
  ]);
});

it('settings of destinations that hold secrets are secrets, and headers of telemetry', () => {
  const folder = writeFiles({
    'destinations.yaml': `
destinations:
  team: { kind: slack, token: "\${A}", channel: "\${B}", signingSecret: "\${C}" }
  hook: { kind: webhook, url: "https://\${D}", secrets: "\${E}" }
`,
    'telemetry.yaml': `targets: [{ url: "\${F}", headers: { X-Site: "\${G}" } }]`,
  });
  expect(linesOf(folder)).toEqual([
    'destinations A secret',
    'destinations B',
    'destinations D secret',
    'destinations E secret',
    GEMINI,
    'proofs C secret',
    'telemetry F',
    'telemetry G secret',
  ]);
});

it.each([
  ['{ kind: pubsub }', true],
  ['{ kind: pubsub, topic: own }', false],
  ['{ kind: pubsub, project: own }', false],
  ['{ kind: webhook }', false],
])('a destination %s uses the topic of events: %s', (destination, isUsed) => {
  const yaml = `destinations: { a: { kind: teams }, b: ${destination} }`;
  expect(usesEventsTopic(writeFiles({ 'destinations.yaml': yaml }))).toBe(isUsed);
});

it('the providers of models are texts, each once', () => {
  const yaml = 'models: { a: { provider: openai }, b: { provider: openai }, c: { provider: 7 }, d: {} }';
  expect(readModelProviders(writeFiles({ 'models.yaml': yaml }))).toEqual(['openai']);
});
