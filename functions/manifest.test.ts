// The manifest is deployed: by this folder's modules, and docs/deploy-by-hand.md.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pullSubscriptionId, subscriptionId } from '../shared/contract/resourceIds.ts';
import { TOPICS } from '../shared/core/contract/publisher.ts';
import {
  API_NAME,
  FUNCTION_NAMES,
  FUNCTIONS,
  type FunctionName,
  HTTP_SERVICE_NAMES,
  HTTP_SERVICES,
  PULLED,
  PUSH,
  SERVICE_NAMES,
  SERVICES,
} from './manifest.ts';
import { serviceVariables } from './serviceVariables.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** The commands of a document, each on one line. */
const commandsOf = (path: string) =>
  [...read(path).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
    block.replaceAll(/ *\\\n */g, ' ').split('\n'),
  );
const commands = commandsOf('../docs/deploy-by-hand.md');

/** The value of a command's flag, `true` for one without a value, undefined for one that is not there. */
function flag(command: string, name: string): string | true | undefined {
  const match = new RegExp(` --${name}(?:=('[^']*'|\\S+))?(?= |$)`).exec(command);
  return match === null ? undefined : (match[1]?.replaceAll("'", '') ?? true);
}

const addressOf = (account: string): string => `${account}@PROJECT.iam.gserviceaccount.com`;
/** The account of a service that is deployed by hand. */
const accountOf = (serviceAccount: string): string => addressOf(`inquest-${serviceAccount}`);

/** The topics to which every function but `ingestChange` can publish. */
const EVERY_FUNCTION_PUBLISHES: readonly string[] = FUNCTIONS.buryIteration.rights.publishes;

/** Whether a function gets secrets of the configuration by hand, too. */
const hasKeys = (name: FunctionName): boolean =>
  FUNCTIONS[name].uses.some((use) => use !== 'telemetry' && use !== 'background');

function commandWith(start: string): string {
  const found = commands.filter((command) => command.startsWith(start));
  expect(found, start).toHaveLength(1);
  return found[0] ?? '';
}

describe('the modules of this folder', () => {
  it('are one for each function, and the shared ones', () => {
    const modules = readdirSync(new URL('.', import.meta.url)).filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
    );
    const named = [...FUNCTION_NAMES, API_NAME].map((name) => `${name}.ts`);
    const shared = [
      'functionServer.ts',
      'manifest.ts',
      'moveEnvironment.ts',
      'serve.ts',
      'serviceVariables.ts',
      'start.ts',
      'startServices.ts',
      'topicFunction.ts',
    ];
    const expected = [...named, ...shared, 'withoutDomains.ts'];
    expect(modules.sort()).toEqual(expected.sort());
  });

  it.each(FUNCTION_NAMES)('register %s for its trigger', (name) => {
    const register = { topic: 'registerTopicFunction', schedule: 'http' }[FUNCTIONS[name].trigger];
    expect(read(`${name}.ts`)).toContain(`\n${register}('${name}', `);
  });
});

describe('the commands of docs/deploy-by-hand.md', () => {
  it('deploy each function, and nothing else', () => {
    const deployed = commands.flatMap((command) => /^gcloud run deploy (\w+)/.exec(command)?.[1] ?? []);
    expect(deployed).toEqual(FUNCTION_NAMES.map((name) => name.toLowerCase()));
  });

  it.each(FUNCTION_NAMES)('deploy %s with its time-out, instance, account and keys', (name: FunctionName) => {
    const { instance, serviceAccount, settings, timeoutSeconds } = FUNCTIONS[name];
    const command = commandWith(`gcloud run deploy ${name.toLowerCase()} `);
    expect({
      timeout: flag(command, 'timeout'),
      authenticated: flag(command, 'no-allow-unauthenticated'),
      ingress: flag(command, 'ingress'),
      keys: flag(command, 'set-secrets') !== undefined,
      instance: ['memory', 'cpu', 'concurrency', 'max-instances'].map((one) => flag(command, one)),
      account: flag(command, 'service-account'),
    }).toEqual({
      timeout: `${timeoutSeconds}`,
      authenticated: true,
      ingress: 'internal',
      keys: hasKeys(name),
      instance: [instance.memory, instance.cpus, instance.concurrency, instance.maxInstances].map(String),
      account: accountOf(serviceAccount),
    });
    // Any variable of destinations.yaml can be a secret of `deliver`.
    const isOpen = FUNCTIONS[name].uses.some((use) => use === 'destinations');
    const given = ['set-env-vars', ...(isOpen ? [] : ['set-secrets'])].flatMap(
      (one) => flag(command, one) ?? [],
    );
    const pairs = given.flatMap((list) => String(list).split(','));
    expect(pairs).toContain(`INQUEST_SERVICE=${name}`);
    const names = pairs.map((pair) => pair.split('=')[0] ?? '');
    expect(names).toContain('GOOGLE_CLOUD_PROJECT');
    const own = [...settings, ...serviceVariables(name, []).optionalSecrets];
    expect(names.filter((variable) => !own.includes(variable))).toEqual([]);
  });

  it('give each account the rights of the manifest, and secrets to the one function that needs them', () => {
    const accounts = FUNCTION_NAMES.map((name) => FUNCTIONS[name].serviceAccount);
    expect(new Set(accounts).size).toBe(accounts.length);
    const loop = commandWith('for name in ingest ');
    expect(loop).toBe(`for name in ${accounts.join(' ')}; do`);
    const bindings = commands.filter((command) => command.includes('add-iam-policy-binding'));
    const of = (account: string) =>
      bindings.filter((command) => flag(command, 'member') === `serviceAccount:${accountOf(account)}`);
    const givenTo = (account: string) =>
      of(account).map((command) => command.trim().replace(/ --(condition|member).*/, ''));
    const publishers = FUNCTION_NAMES.filter((name) => name !== 'ingestChange');
    const publisherAccounts = publishers.map((name) => FUNCTIONS[name].serviceAccount).join(' ');
    expect(commandWith('for publisher in ')).toBe(`for publisher in ${publisherAccounts}; do`);
    for (const name of FUNCTION_NAMES) {
      const { roles, publishes } = FUNCTIONS[name].rights;
      const publishing = (topics: readonly string[]) =>
        topics.map(
          (topic) => `gcloud pubsub topics add-iam-policy-binding ${topic} --role=roles/pubsub.publisher`,
        );
      expect(givenTo('$name')).toEqual(
        roles.map((role) => `gcloud projects add-iam-policy-binding PROJECT --role=${role}`),
      );
      expect(givenTo('$publisher')).toEqual(publishing(EVERY_FUNCTION_PUBLISHES));
      const own = of(FUNCTIONS[name].serviceAccount);
      const topics = own.filter((command) => command.startsWith('gcloud pubsub '));
      expect(topics.map((command) => command.trim().replace(/ --member.*/, ''))).toEqual(
        publishing(publishes.filter((topic) => !EVERY_FUNCTION_PUBLISHES.includes(topic))),
      );
      const secrets = own.filter((command) => !topics.includes(command));
      expect(secrets.map((command) => flag(command, 'role'))).toEqual(
        hasKeys(name) ? ['roles/secretmanager.secretAccessor'] : [],
      );
    }
  });

  it('let subscriptions call the functions of topics, and the schedule the rest', () => {
    const triggered = FUNCTION_NAMES.filter((name) => FUNCTIONS[name].trigger === 'topic');
    const names = triggered.map((name) => name.toLowerCase());
    expect(commandWith(`for name in ${names[0]} `)).toBe(`for name in ${names.join(' ')}; do`);
    const callers = commands
      .filter((command) => flag(command, 'role') === 'roles/run.invoker')
      .map((command) => [/binding (\S+)/.exec(command)?.[1], flag(command, 'member')]);
    expect(callers).toEqual([
      ['$name', `serviceAccount:${accountOf('push')}`],
      ['sweep', `serviceAccount:${accountOf('schedule')}`],
    ]);
    const schedule = commandWith('gcloud scheduler jobs create http ');
    expect(flag(schedule, 'oidc-service-account-email')).toBe(accountOf('schedule'));
  });

  it('create every topic', () => {
    const [create = '', grant] = commands.filter((command) => command.startsWith('for topic in '));
    expect(create).toContain(`for topic in ${Object.values(TOPICS).join(' ')}; do`);
    const dead = FUNCTION_NAMES.flatMap((name) => {
      const settings = FUNCTIONS[name];
      return settings.trigger === 'topic' && settings.deadLetters !== null
        ? [settings.deadLetters.topic]
        : [];
    });
    expect(grant).toBe(`for topic in ${dead.join(' ')}; do`);
  });

  it('create the subscription by which people read dead alerts', () => {
    const command = commandWith(
      `gcloud pubsub subscriptions create ${pullSubscriptionId(PULLED.topic, undefined)} `,
    );
    expect(/create (\S+)/.exec(command)?.[1]).toBe(pullSubscriptionId(PULLED.topic, undefined));
    expect(flag(command, 'topic')).toBe(PULLED.topic);
    expect(flag(command, 'message-retention-duration')).toBe(`${PULLED.retentionDays}d`);
    expect(flag(command, 'expiration-period')).toBe('never');
  });

  it('create the push subscription of each function with all its settings', () => {
    const dead: string[] = [];
    for (const name of FUNCTION_NAMES) {
      const settings = FUNCTIONS[name];
      if (settings.trigger === 'schedule') continue;
      const { ackDeadlineSeconds, deadLetters, topic } = settings;
      const id = subscriptionId(topic, undefined);
      const command = commandWith(`gcloud pubsub subscriptions create ${id} `);
      const flags = [
        'topic',
        'push-endpoint',
        'push-auth-service-account',
        'ack-deadline',
        'expiration-period',
      ];
      expect(flags.map((one) => flag(command, one))).toEqual([
        topic,
        `URL_OF_${name.toUpperCase()}`,
        accountOf('push'),
        `${ackDeadlineSeconds}`,
        'never',
      ]);
      const times = ['message-retention-duration', 'min-retry-delay', 'max-retry-delay'];
      const { retentionDays, minimumBackoffSeconds, maximumBackoffSeconds } = PUSH;
      expect(times.map((one) => flag(command, one))).toEqual([
        `${retentionDays}d`,
        `${minimumBackoffSeconds}s`,
        `${maximumBackoffSeconds}s`,
      ]);
      expect(flag(command, 'dead-letter-topic')).toBe(deadLetters?.topic);
      expect(flag(command, 'max-delivery-attempts')).toBe(
        deadLetters === null ? undefined : `${deadLetters.maxDeliveryAttempts}`,
      );
      if (deadLetters !== null) dead.push(id);
    }
    expect(commandWith('for subscription in ')).toBe(`for subscription in ${dead.join(' ')}; do`);
  });

  it('schedule the sweep as the manifest does', () => {
    expect(FUNCTIONS.sweep.everySeconds).toBe(60);
    const schedule = commandWith('gcloud scheduler jobs create http ');
    expect(flag(schedule, 'schedule')).toBe('* * * * *');
    expect(flag(schedule, 'http-method')).toBe('POST');
  });
});

describe.each(HTTP_SERVICE_NAMES)('the commands of %s in docs/api.md', (name) => {
  const ofApi = commandsOf('../docs/api.md');
  const { instance, invoker, rights, serviceAccount, settings, timeoutSeconds } = HTTP_SERVICES[name];

  it('deploy it as the manifest describes, and nothing else', () => {
    const [command = '', ...others] = ofApi.filter((line) => line.startsWith(`gcloud run deploy ${name} `));
    expect(others).toEqual([]);
    const flags = ['timeout', 'memory', 'cpu', 'concurrency', 'max-instances', 'service-account'];
    const { memory, cpus, concurrency, maxInstances } = instance;
    expect(flags.map((one) => flag(command, one))).toEqual([
      `${timeoutSeconds}`,
      memory,
      `${cpus}`,
      `${concurrency}`,
      `${maxInstances}`,
      accountOf(serviceAccount),
    ]);
    expect(flag(command, 'allow-unauthenticated')).toBe(invoker === 'public' ? true : undefined);
    expect(flag(command, 'iap')).toBe(invoker === 'iap' ? true : undefined);
    const variables = String(flag(command, 'set-env-vars')).split(',');
    expect(variables).toContain(`INQUEST_SERVICE=${name}`);
    const names: string[] = variables.map((pair) => pair.split('=')[0] ?? '');
    expect(names.filter((variable) => !settings.some((own) => own === variable))).toEqual([]);
  });

  it('give its account the rights of the manifest', () => {
    expect(ofApi).toContain(`for name in ${HTTP_SERVICE_NAMES.join(' ')}; do`);
    const bindings = ofApi.filter((line) => flag(line, 'member') === `serviceAccount:${accountOf('$name')}`);
    expect(bindings.map((line) => flag(line, 'role'))).toEqual([...rights.roles, 'roles/pubsub.publisher']);
    expect(ofApi).toContain(`  for topic in ${rights.publishes.join(' ')}; do`);
  });
});

describe('a time-out', () => {
  it.each(FUNCTION_NAMES)('of %s ends a call before its message is delivered again', (name) => {
    const settings = FUNCTIONS[name];
    if (settings.trigger === 'schedule') expect(settings.timeoutSeconds).toBeLessThanOrEqual(3600);
    else expect(settings.timeoutSeconds).toBeLessThan(settings.ackDeadlineSeconds);
  });
});

it('a service account has an id of its own, which Google accepts behind a prefix of 4 to 16 characters', () => {
  const ids = SERVICE_NAMES.map((name) => SERVICES[name].serviceAccount);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) {
    expect(`four-${id}`.length).toBeGreaterThanOrEqual(6);
    expect(`${'p'.repeat(16)}-${id}`.length).toBeLessThanOrEqual(30);
  }
});
