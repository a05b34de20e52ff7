import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { parseEnv } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readAlert } from '../../shared/alerts/index.ts';
import { loadDestinations } from '../../shared/config/destinations.ts';
import { createMasker } from '../../shared/masking/masker.ts';
import { callCommand } from '../../test/support/callCommand.ts';
import { temporaryFolder } from '../../test/support/ownConfig.ts';
import { packNames } from '../packs/pack.ts';
import { Interrupted } from '../process/interrupt.ts';
import { askAnswers } from './askAnswers.ts';
import { ALERT_SOURCES, type AlertSource, SOURCE_NAMES, type SourceName } from './sources.ts';

const WITHOUT_KEYS = {
  GEMINI_API_KEY: undefined,
  GOOGLE_API_KEY: undefined,
  PROMETHEUS_URL: undefined,
  ALERTMANAGER_WEBHOOK_SECRET: undefined,
  SLACK_BOT_TOKEN: undefined,
  SLACK_CHANNEL: undefined,
  GOOGLE_CHAT_SPACE: undefined,
  RESULTS_WEBHOOK_URL: undefined,
  RESULTS_WEBHOOK_SECRET: undefined,
};
let folder = '';
beforeEach(() => {
  folder = join(temporaryFolder(), 'conf');
});

const init = (...args: string[]) => callCommand(['init', folder, '--no-check', ...args], WITHOUT_KEYS);
const contents = () =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [path.slice(folder.length + 1), readFileSync(path, 'utf8')];
      }),
  );
const withValues = (all: NodeJS.Dict<string>) =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
const variables = () => parseEnv(contents()['.env'] ?? '');

describe('init --yes', () => {
  it('writes a configuration, with its secrets in a file that only its owner reads and git ignores', async () => {
    const { code, stdout } = await init('--yes');
    expect({ code, stdout: stdout.join('\n') }).toMatchObject({ code: 0 });
    const files = contents();
    expect(Object.keys(files).sort()).toEqual([
      '.env',
      '.gitignore',
      'agents.yaml',
      'chains.yaml',
      'models.yaml',
      'runbooks/prometheus.md',
      'servers.yaml',
      'test-alert.json',
      'webhooks.yaml',
    ]);
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
    expect(files['.gitignore']).toBe('.env\n.env.new\n');
    const { ALERTMANAGER_WEBHOOK_SECRET: secret = '', ...others } = variables();
    expect(others).toEqual({ PROMETHEUS_URL: 'http://127.0.0.1:9090', GEMINI_API_KEY: '' });
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    const written = Object.entries(files).filter(([name]) => name !== '.env');
    expect(`${written}\n${stdout}`).not.toContain(secret);
    const checked = await callCommand(['check-config', folder, '--no-connect'], WITHOUT_KEYS);
    expect(checked).toMatchObject({ code: 0, stderr: [] });
  });

  it('changes nothing in a second run, and then only the answer that differs', async () => {
    await init('--yes');
    const mine = readFileSync(join(folder, 'agents.yaml'), 'utf8').replace(
      'You only read.',
      'You only read. Be short.',
    );
    writeFileSync(join(folder, 'agents.yaml'), mine);
    const before = contents();
    expect((await init('--yes')).stdout).toContain('written    nothing: no answer differs');
    expect(contents()).toEqual(before);
    await init('--yes', '--set', 'PROMETHEUS_URL=http://prometheus:9090');
    expect(contents()).toEqual({
      ...before,
      '.env': before['.env']?.replace('http://127.0.0.1:9090', 'http://prometheus:9090'),
    });
    await init('--yes', '--set', 'PROMETHEUS_URL=');
    expect(variables().PROMETHEUS_URL).toBe('');
    await init('--yes', '--set', 'PROMETHEUS_URL=http://prometheus:9090');
    await init('--yes', '--alerts', 'grafana', '--url', 'https://inquest.example.com/');
    expect(contents()['webhooks.yaml']).toBe(
      `${before['webhooks.yaml']}grafana:\n  secretEnv: GRAFANA_WEBHOOK_SECRET\n`,
    );
    expect(variables()).toMatchObject({
      INQUEST_URL: 'https://inquest.example.com',
      PROMETHEUS_URL: 'http://prometheus:9090',
    });
  });

  it('completes a folder in which an earlier run was killed, at whichever file', async () => {
    await init('--yes');
    const { '.env': env = '', ...files } = contents();
    const names = Object.keys(files).sort();
    for (let written = 1; written <= names.length; written++) {
      rmSync(folder, { recursive: true });
      for (const name of names.slice(0, written)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), files[name] ?? '');
      }
      await init('--yes');
      const { '.env': completed = '', ...others } = contents();
      expect(others, names[written]).toEqual(files);
      expect(Object.keys(parseEnv(completed))).toEqual(Object.keys(parseEnv(env)));
    }
  });

  it('keeps the lines of a .gitignore, adds .env and .env.new once, and has secrets readable by their owner only', async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, '.gitignore'), 'node_modules\n.env.example');
    writeFileSync(join(folder, '.env.new'), '', { mode: 0o644 });
    for (const source of ['alertmanager', 'grafana']) {
      await init('--yes', '--alerts', source);
      expect(contents()['.gitignore']).toBe('node_modules\n.env.example\n.env\n.env.new\n');
      expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
    }
  });

  it('takes keys from the environment, and the project of Vertex AI', async () => {
    const args = ['init', folder, '--yes', '--no-check', '--model', 'vertex'];
    const { code } = await callCommand(args, {
      ...WITHOUT_KEYS,
      GOOGLE_CLOUD_PROJECT: 'my-project',
      GOOGLE_CLOUD_LOCATION: undefined,
    });
    expect(code).toBe(0);
    expect(variables()).toMatchObject({
      GOOGLE_CLOUD_PROJECT: 'my-project',
      GOOGLE_CLOUD_LOCATION: 'global',
      GOOGLE_GENAI_USE_VERTEXAI: 'true',
    });
  });

  it('writes no secret before .gitignore names its file', async () => {
    mkdirSync(join(folder, '.gitignore.new/x'), { recursive: true });
    expect((await init('--yes')).code).toBe(2);
    expect(existsSync(join(folder, '.env'))).toBe(false);
  });

  it.each<[string[], RegExp]>([
    [['--observe', 'nagios'], /no pack "nagios"; there are: .*prometheus/],
    [['--results', 'teams'], /--results .*Allowed choices are none, slack, googlechat, webhook/],
    [['--alerts', 'nagios'], /--alerts .*Allowed choices are alertmanager, /],
    [['--model', 'gpt'], /--model .*Allowed choices are gemini, vertex/],
    [['--observ', 'prometheus'], /unknown option '--observ' \(Did you mean --observe/],
    [['--url', 'slack'], /--url must be an address such as/],
    [['--url', 'ftp://inquest.example.com'], /--url must be an address such as/],
    [['--url', 'https://'], /--url must be an address such as/],
    [['--set', 'x'], /--set needs NAME=VALUE/],
    [
      ['--set', 'PROMETHUS_URL=http://x'],
      /--set PROMETHUS_URL: no answer uses .* did you mean "PROMETHEUS_URL"\?/,
    ],
  ])('refuses %j with the option and the fix, and writes nothing then', async (args, message) => {
    const { code, stderr } = await init('--yes', ...args);
    expect(code).toBe(2);
    expect(stderr.join('\n')).toMatch(message);
    expect(existsSync(folder)).toBe(false);
  });

  it('refuses to ask without a terminal, a file in the place of the folder, and files of another form, which stay', async () => {
    expect(await init()).toMatchObject({ code: 2, stderr: [expect.stringContaining('add --yes')] });
    expect(existsSync(folder)).toBe(false);
    writeFileSync(folder, 'mine');
    const file = await init('--yes');
    expect(file).toMatchObject({
      code: 2,
      stderr: [expect.stringMatching(/conf\/\S+ cannot be written: .*; name a folder/)],
    });
    expect(readFileSync(folder, 'utf8')).toBe('mine');
    rmSync(folder);
    mkdirSync(folder);
    const mine = 'agents: { mine: { description: x, instructions: y, tools: [] } }\n';
    writeFileSync(join(folder, 'agents.yaml'), mine);
    const form = await init('--yes');
    expect(form.code).toBe(2);
    expect(form.stderr.join('\n')).toContain('agents.yaml');
    expect(contents()).toEqual({ 'agents.yaml': mine });
  });

  it('refuses folders that cannot be created, with the reason', async () => {
    symlinkSync(join(dirname(folder), 'gone'), folder);
    const cases: [string, RegExp][] = [
      [folder, /conf is a symbolic link to a place that does not exist; create it, or remove the link/],
      [join(folder, 'below'), /conf is a symbolic link to a place that does not exist/],
      ['/proc/x', /\/proc\/x.* cannot be written: ENOENT.*; name a folder that you can write/],
      [`${folder}${'x'.repeat(300)}`, /cannot be written: ENAMETOOLONG/],
      [`${folder}\0x`, /cannot be written: .*without null bytes/],
    ];
    for (const [path, message] of cases) {
      const { code, stderr } = await callCommand(['init', path, '--yes', '--no-check'], WITHOUT_KEYS);
      expect(stderr.join('\n')).toMatch(message);
      expect(code).toBe(2);
    }
    expect(readdirSync(dirname(folder))).toEqual(['conf']);
  });

  it('with each pack and each source of alerts is accepted by check-config, once the variables that it names have a value', async () => {
    const cases = [['--observe', packNames().join(',')], ...SOURCE_NAMES.map((name) => ['--alerts', name])];
    for (const args of cases) {
      rmSync(folder, { recursive: true, force: true });
      const { code, stdout } = await init('--yes', ...args);
      expect({ args, code }).toEqual({ args, code: 0 });
      const missing = /^Set (.*) in .*\.env\. Then:$/m.exec(stdout.join('\n'))?.[1]?.split(', ') ?? [];
      expect(missing).toContain('GEMINI_API_KEY');
      // It has a default in servers.yaml.
      expect(missing).not.toContain('GCP_QUOTA_PROJECT');
      const set = missing.flatMap((name) =>
        name === 'GEMINI_API_KEY' ? [] : ['--set', `${name}=a-value-0123456789-0123456789`],
      );
      await init('--yes', ...args, ...set);
      const unset = Object.fromEntries(missing.map((name) => [name, undefined]));
      const checked = await callCommand(['check-config', folder, '--no-connect'], {
        ...WITHOUT_KEYS,
        ...unset,
      });
      // Some packs start their server with uvx.
      const faults = checked.stderr.filter((line) => !line.includes('"uvx" is not on PATH'));
      expect({ args, faults }).toEqual({ args, faults: [] });
    }
  });
});

describe('init --results', () => {
  it.each([
    ['slack', 'SLACK_CHANNEL=C0123456789', { SLACK_BOT_TOKEN: '' }, 'Set SLACK_BOT_TOKEN there first.'],
    ['googlechat', 'GOOGLE_CHAT_SPACE=spaces/AAAAMpdlehY', {}, undefined],
    [
      'webhook',
      'RESULTS_WEBHOOK_URL=https://example.com/inquest',
      { RESULTS_WEBHOOK_SECRET: expect.stringMatching(/^whsec_/) },
      undefined,
    ],
  ])(
    '%s writes a destination that check-config and `deliver` accept',
    async (name, set, secrets, missing) => {
      const { stdout } = await init('--yes', '--results', name, '--set', set);
      expect(stdout.find((line) => line.includes('there first'))).toBe(missing);
      const [setting = '', value] = set.split('=');
      expect(stdout.join('\n')).toContain(`, by ${[setting, ...Object.keys(secrets)].join(' and ')} in `);
      expect(variables()).toMatchObject({ [setting]: value, ...secrets });
      expect(contents()['chains.yaml']).toMatch(new RegExp(`\n    notify:\n      - to: ${name}\n$`));
      const checked = await callCommand(['check-config', folder, '--no-connect'], WITHOUT_KEYS);
      expect(checked).toMatchObject({ code: 0, stderr: [] });
      // The form of each value is checked when variables are filled in.
      const loaded = loadDestinations(folder, {
        SLACK_BOT_TOKEN: 'xoxb-0123456789',
        ...withValues(variables()),
      });
      expect(Object.keys(loaded)).toEqual([name]);
      const before = contents();
      expect((await init('--yes')).stdout).toContain('written    nothing: no answer differs');
      expect(contents()).toEqual(before);
    },
  );

  it('adds a second destination beside the first, and none removes nothing', async () => {
    await init('--yes', '--results', 'googlechat');
    await init('--yes', '--results', 'slack');
    const before = contents();
    expect(before['chains.yaml']).toContain('    notify:\n      - to: googlechat\n      - to: slack\n');
    await init('--yes', '--results', 'none');
    expect(contents()).toEqual(before);
    expect(Object.keys(parse(before['destinations.yaml'] ?? '').destinations)).toEqual([
      'googlechat',
      'slack',
    ]);
  });
});

it.each([
  [[], /its line "API" has the address for the source, without \/v1; shared\/features\/webhooks\/README\.md/],
  [['--url', 'https://inquest.example.com'], /deploy this configuration: npx --no inquest deploy/],
])(
  'init %j ends with the commands that start or deploy the system, and send the test alert',
  async (args, line) => {
    const { stdout } = await init('--yes', ...args);
    expect(stdout.slice(-4)).toEqual([
      expect.stringMatching(/^Set GEMINI_API_KEY in \S+conf\/\.env\. Then:$/),
      expect.stringMatching(/^ {2}INQUEST_CONFIG=\S+conf npx --no inquest start$/),
      expect.stringMatching(line),
      expect.stringMatching(
        /^ {2}npx --no inquest send \S+conf\/test-alert\.json --url ADDRESS sends a test alert$/,
      ),
    ]);
  },
);

it('the recipe of every source names its address and its variable, and nothing is written', async () => {
  for (const name of SOURCE_NAMES) {
    const { code, stdout } = await init('--recipe', '--alerts', name, '--url', 'https://inquest.example.com');
    expect(code).toBe(0);
    const text = stdout.join('\n');
    const { title, secretEnv }: AlertSource = ALERT_SOURCES[name];
    expect(text).toContain(title);
    if (secretEnv !== undefined) expect(text).toContain(secretEnv);
    if (name === 'cloud-monitoring') expect(text).toMatch(/topics\/alerts --role=roles\/pubsub\.publisher /);
    else expect(text).toContain(`https://inquest.example.com/v1/webhooks/${name}`);
  }
  expect(existsSync(folder)).toBe(false);
});

it.each<[SourceName, file: string, settings: string[]]>([
  [
    'alertmanager',
    'shared/features/webhooks/README.md',
    [
      'send_resolved: true',
      'authorization: { type: Bearer, credentials_file: /etc/alertmanager/inquest-secret }',
    ],
  ],
  ['cloud-monitoring', 'deploy/terraform/README.md', ['@gcp-sa-monitoring-notification.iam']],
  ['grafana', 'shared/features/webhooks/README.md', ['X-Grafana-Alerting-Timestamp']],
  ['pagerduty', 'shared/features/webhooks/README.md', ['incident.*']],
  ['datadog', 'shared/features/webhooks/README.md', ['{"X-Webhook-Secret": ']],
  ['sentry', 'shared/features/webhooks/README.md', ['Alert Rule Action', 'Client Secret']],
])('the recipe of %s has the settings of %s', (name, file, settings) => {
  const plain = (text: string) => text.replaceAll('{ "', '{"');
  const docs = plain(readFileSync(file, 'utf8'));
  const recipe = ALERT_SOURCES[name].recipe('https://HOST');
  expect(settings.filter((one) => !recipe.includes(one))).toEqual([]);
  expect(settings.filter((one) => !docs.includes(one))).toEqual([]);
});

it('an alert with the payload of the recipe of Datadog is read with its identity', () => {
  const recipe = ALERT_SOURCES.datadog.recipe('https://HOST');
  const payload = /\{"alert_id"[^}]*\}/.exec(recipe)?.[0].replaceAll('$ALERT_TRANSITION', 'Triggered') ?? '';
  const reading = readAlert(Buffer.from(payload), createMasker({}), { receivedAt: new Date() });
  expect(reading).toMatchObject({
    alert: { source: 'datadog', title: '$ALERT_TITLE', status: 'firing', identity: '$ALERT_CYCLE_KEY' },
  });
});

describe('the questions', () => {
  const known = {
    given: {},
    usual: {
      alerts: 'alertmanager',
      packs: ['prometheus'],
      model: 'gemini',
      results: 'none',
      system: 'here',
    },
    set: {},
    variables: {},
  } as const;

  /** Answers each question with the next keys, once it is on the screen. */
  const dialog = (...answers: string[]) => {
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
    const output = Object.assign(new PassThrough(), { isTTY: true, columns: 120, rows: 40 });
    output.on('data', (text: Buffer) => {
      const keys = /[◆▲]/.test(text.toString()) ? answers.shift() : undefined;
      if (keys !== undefined) setImmediate(() => input.write(keys));
    });
    return { input, output };
  };

  it('take the default of each when Enter is pressed', async () => {
    const enter = Array.from({ length: 20 }, () => '\r');
    const answers = await askAnswers(
      { ...known, given: {}, usual: { ...known.usual, packs: ['prometheus'] } },
      dialog(...enter),
    );
    expect(answers).toMatchObject({
      alerts: 'alertmanager',
      packs: [{ name: 'prometheus' }],
      model: 'gemini',
      results: 'none',
      system: 'here',
      variables: { PROMETHEUS_URL: 'http://127.0.0.1:9090', GEMINI_API_KEY: '' },
    });
  });

  it('ask for the channel of Slack, and not for its token', async () => {
    const down = '\x1b[B';
    const keys = ['\r', '\r', '\r', '\r', '\r', `${down}\r`, 'C0123456789\r', '\r'];
    const answers = await askAnswers(
      { ...known, usual: { ...known.usual, packs: ['prometheus'] } },
      dialog(...keys),
    );
    expect(answers).toMatchObject({
      results: 'slack',
      system: 'here',
      variables: { SLACK_CHANNEL: 'C0123456789' },
    });
    expect(answers.variables).not.toHaveProperty('SLACK_BOT_TOKEN');
  });

  it('repeat the one for an address, with the reason, until it is an address', async () => {
    const keys = [...Array.from({ length: 6 }, () => '\r'), 'ftp://x\r', '\x15https://inquest.example.com\r'];
    const on = dialog(...keys);
    let shown = '';
    on.output.on('data', (text) => {
      shown += text;
    });
    const answers = await askAnswers({ ...known, usual: { ...known.usual, packs: ['prometheus'] } }, on);
    expect(answers.system).toEqual({ url: 'https://inquest.example.com' });
    expect(shown).toContain('must be an address such as https://…');
  });

  it('end at Ctrl-C, at the first one and at a later one', async () => {
    for (const before of [0, 1, 3]) {
      const keys = [...Array.from({ length: before }, () => '\r'), '\x03'];
      const asked = askAnswers(
        { ...known, usual: { ...known.usual, packs: ['prometheus'] } },
        dialog(...keys),
      );
      await expect(asked).rejects.toThrow(Interrupted);
    }
  });
});
