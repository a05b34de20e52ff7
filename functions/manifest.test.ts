// The manifest is what is deployed: by the modules of this folder, and by the commands of docs/deployment.md.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { TOPICS } from '../shared/contract/publisher.ts';
import { API, API_NAME, FUNCTION_NAMES, FUNCTIONS, type FunctionName } from './manifest.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** The commands of a document, each on one line. */
const commandsOf = (path: string) =>
  [...read(path).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
    block.replaceAll(/ *\\\n */g, ' ').split('\n'),
  );
const commands = commandsOf('../docs/deployment.md');

/** The value of a command's flag, `true` for one without a value, undefined for one that is not there. */
function flag(command: string, name: string): string | true | undefined {
  const match = new RegExp(` --${name}(?:=('[^']*'|\\S+))?(?= |$)`).exec(command);
  return match === null ? undefined : (match[1]?.replaceAll("'", '') ?? true);
}

const accountOf = (name: string): string => `${name}@PROJECT.iam.gserviceaccount.com`;

function commandWith(start: string): string {
  const found = commands.filter((command) => command.startsWith(start));
  expect(found, start).toHaveLength(1);
  return found[0] ?? '';
}

describe('the modules of this folder', () => {
  it('are one for each function, and what they share', () => {
    const modules = readdirSync(new URL('.', import.meta.url)).filter((name) => !name.endsWith('.test.ts'));
    const named = [...FUNCTION_NAMES, API_NAME].map((name) => `${name}.ts`);
    const expected = [...named, 'manifest.ts', 'startServices.ts', 'withoutDomains.ts'];
    expect(modules.sort()).toEqual(expected.sort());
  });

  it.each(FUNCTION_NAMES)('register %s with the signature it has', (name) => {
    const register = { cloudevent: 'cloudEvent', http: 'http' }[FUNCTIONS[name].signature];
    expect(read(`${name}.ts`)).toContain(`\n${register}('${name}', `);
  });
});

describe('the commands of docs/deployment.md', () => {
  it('deploy each function, and nothing else', () => {
    const deployed = commands.flatMap((command) => /^gcloud functions deploy (\w+)/.exec(command)?.[1] ?? []);
    expect(deployed).toEqual(FUNCTION_NAMES);
  });

  it.each(FUNCTION_NAMES)(
    'deploy %s with its entry point, trigger, time-out, instance and keys',
    (name: FunctionName) => {
      const settings = FUNCTIONS[name];
      const { instance } = settings;
      const command = commandWith(`gcloud functions deploy ${name} `);
      expect({
        entryPoint: flag(command, 'entry-point'),
        timeout: flag(command, 'timeout'),
        topic: flag(command, 'trigger-topic'),
        redelivery: flag(command, 'retry'),
        http: flag(command, 'trigger-http'),
        authenticated: flag(command, 'no-allow-unauthenticated'),
        keys: flag(command, 'set-secrets') !== undefined,
        instance: ['memory', 'cpu', 'concurrency'].map((name) => flag(command, name)),
      }).toEqual({
        entryPoint: name,
        timeout: `${settings.timeoutSeconds}s`,
        topic: settings.signature === 'cloudevent' ? settings.topic : undefined,
        redelivery: settings.signature === 'cloudevent' ? true : undefined,
        http: settings.signature === 'http' ? true : undefined,
        authenticated: settings.signature === 'http' ? true : undefined,
        keys: settings.needsKeys,
        instance: [instance?.memory, instance?.cpus, instance?.concurrency].map((value) => value?.toString()),
      });
    },
  );

  it.each(FUNCTION_NAMES)('run %s as an account of its own, and set nothing that is not its own', (name) => {
    const { serviceAccount, settings, signature } = FUNCTIONS[name];
    const command = commandWith(`gcloud functions deploy ${name} `);
    expect(flag(command, 'run-service-account')).toBe(accountOf(serviceAccount));
    const trigger = signature === 'cloudevent' ? accountOf('inquest-trigger') : undefined;
    expect(flag(command, 'trigger-service-account')).toBe(trigger);
    const given = ['set-env-vars', 'set-secrets'].flatMap((name) => flag(command, name) ?? []);
    const names = given.flatMap((list) => String(list).split(',')).map((pair) => pair.split('=')[0] ?? '');
    expect(names).toContain('GOOGLE_CLOUD_PROJECT');
    expect(names.filter((variable) => !settings.some((own) => own === variable))).toEqual([]);
  });

  it('give each account the rights of the manifest, and secrets to the one function that needs them', () => {
    const accounts = FUNCTION_NAMES.map((name) => FUNCTIONS[name].serviceAccount);
    expect(new Set(accounts).size).toBe(accounts.length);
    const loop = commandWith('for name in ingest-alert ');
    expect(loop).toBe(`for name in ${accounts.map((name) => name.replace('inquest-', '')).join(' ')}; do`);
    const bindings = commands.filter((command) => command.includes('add-iam-policy-binding'));
    const of = (account: string) =>
      bindings.filter((command) => flag(command, 'member') === `serviceAccount:${accountOf(account)}`);
    const everyones = of('inquest-$name').map((command) =>
      command.trim().replace(/ --(condition|member).*/, ''),
    );
    for (const name of FUNCTION_NAMES) {
      const { roles, publishes } = FUNCTIONS[name].rights;
      expect(everyones).toEqual([
        ...roles.map((role) => `gcloud projects add-iam-policy-binding PROJECT --role=${role}`),
        ...publishes.map(
          (topic) => `gcloud pubsub topics add-iam-policy-binding ${topic} --role=roles/pubsub.publisher`,
        ),
      ]);
      const secrets = of(FUNCTIONS[name].serviceAccount).map((command) => flag(command, 'role'));
      expect(secrets).toEqual(FUNCTIONS[name].needsKeys ? ['roles/secretmanager.secretAccessor'] : []);
    }
  });

  it('let the triggers call what topics trigger, and the schedule the rest', () => {
    const triggered = FUNCTION_NAMES.filter((name) => FUNCTIONS[name].signature === 'cloudevent');
    expect(commandWith(`for name in ${triggered[0]} `)).toBe(`for name in ${triggered.join(' ')}; do`);
    const callers = commands
      .filter((command) => command.includes('add-invoker-policy-binding'))
      .map((command) => [/binding (\S+)/.exec(command)?.[1], flag(command, 'member')]);
    expect(callers).toEqual([
      ['$name', `serviceAccount:${accountOf('inquest-trigger')}`],
      ['sweep', `serviceAccount:${accountOf('inquest-schedule')}`],
    ]);
    const schedule = commandWith('gcloud scheduler jobs create http ');
    expect(flag(schedule, 'oidc-service-account-email')).toBe(accountOf('inquest-schedule'));
  });

  it('create every topic', () => {
    expect(commandWith('for topic in')).toContain(`for topic in ${Object.values(TOPICS).join(' ')}; do`);
  });

  it('give the subscriptions their acknowledgement deadline, and that of the iterations its dead letters', () => {
    const all = commandWith('gcloud pubsub subscriptions update SUBSCRIPTION ');
    const iterations = commandWith('gcloud pubsub subscriptions update SUBSCRIPTION_OF_ITERATIONS ');
    for (const name of FUNCTION_NAMES) {
      const settings = FUNCTIONS[name];
      if (settings.signature === 'http') continue;
      expect(flag(all, 'ack-deadline')).toBe(`${settings.ackDeadlineSeconds}`);
      expect(settings.deadLetters !== null).toBe(settings.topic === TOPICS.iterations);
    }
    const { topic, maxDeliveryAttempts } = FUNCTIONS.runIteration.deadLetters;
    expect(flag(iterations, 'dead-letter-topic')).toBe(topic);
    expect(flag(iterations, 'max-delivery-attempts')).toBe(`${maxDeliveryAttempts}`);
  });

  it('schedule the sweep as the manifest does', () => {
    expect(FUNCTIONS.sweep.everySeconds).toBe(60);
    const schedule = commandWith('gcloud scheduler jobs create http ');
    expect(flag(schedule, 'schedule')).toBe('* * * * *');
    expect(flag(schedule, 'http-method')).toBe('POST');
  });
});

describe("the API's commands", () => {
  const ofApi = commandsOf('../docs/api.md');
  const member = `serviceAccount:${accountOf(API.serviceAccount)}`;

  it('deploy it as the manifest says, with nothing that is not its own', () => {
    const [command = '', ...others] = ofApi.filter((line) =>
      line.startsWith(`gcloud run deploy ${API_NAME} `),
    );
    expect(others).toEqual([]);
    const names = ['timeout', 'memory', 'cpu', 'concurrency', 'service-account'];
    const { memory, cpus, concurrency } = API.instance;
    expect(names.map((name) => flag(command, name))).toEqual([
      ...[`${API.timeoutSeconds}`, memory, `${cpus}`, `${concurrency}`],
      accountOf(API.serviceAccount),
    ]);
    expect(flag(command, 'allow-unauthenticated')).toBe(true);
    const variables = String(flag(command, 'set-env-vars'))
      .split(',')
      .map((pair) => pair.split('=')[0] ?? '');
    expect(variables.filter((variable) => !API.settings.includes(variable))).toEqual([]);
  });

  it('give its account the rights of the manifest', () => {
    const bindings = ofApi.filter((line) => flag(line, 'member') === member);
    expect(bindings.map((line) => flag(line, 'role'))).toEqual([
      ...API.rights.roles,
      'roles/pubsub.publisher',
    ]);
    expect(ofApi).toContain(`for topic in ${API.rights.publishes.join(' ')}; do`);
  });
});

describe('a time-out', () => {
  it.each(FUNCTION_NAMES)('of %s ends a call before its message is delivered again', (name) => {
    const settings = FUNCTIONS[name];
    if (settings.signature === 'http') expect(settings.timeoutSeconds).toBeLessThanOrEqual(3600);
    else expect(settings.timeoutSeconds).toBeLessThan(settings.ackDeadlineSeconds);
  });
});
