// The manifest is what is deployed: by the modules of this folder, and by the commands of README.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { TOPICS } from '../shared/contract/publisher.ts';
import { FUNCTION_NAMES, FUNCTIONS, type FunctionName } from './manifest.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** README's commands, each on one line. */
const commands = [...read('../README.md').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
  block.replaceAll(/ *\\\n */g, ' ').split('\n'),
);

/** The value of a command's flag, `true` for one without a value, undefined for one that is not there. */
function flag(command: string, name: string): string | true | undefined {
  const match = new RegExp(` --${name}(?:=('[^']*'|\\S+))?(?= |$)`).exec(command);
  return match === null ? undefined : (match[1]?.replaceAll("'", '') ?? true);
}

function commandWith(start: string): string {
  const found = commands.filter((command) => command.startsWith(start));
  expect(found, start).toHaveLength(1);
  return found[0] ?? '';
}

describe('the modules of this folder', () => {
  it('are one for each function, and what they share', () => {
    const modules = readdirSync(new URL('.', import.meta.url)).filter((name) => !name.endsWith('.test.ts'));
    const expected = [...FUNCTION_NAMES.map((name) => `${name}.ts`), 'manifest.ts', 'startServices.ts'];
    expect(modules.sort()).toEqual(expected.sort());
  });

  it.each(FUNCTION_NAMES)('register %s with the signature it has', (name) => {
    const register = { cloudevent: 'cloudEvent', http: 'http' }[FUNCTIONS[name].signature];
    expect(read(`${name}.ts`)).toContain(`\n${register}('${name}', `);
  });
});

describe("README's commands", () => {
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

describe('a time-out', () => {
  it.each(FUNCTION_NAMES)('of %s ends a call before its message is delivered again', (name) => {
    const settings = FUNCTIONS[name];
    if (settings.signature === 'http') expect(settings.timeoutSeconds).toBeLessThanOrEqual(3600);
    else expect(settings.timeoutSeconds).toBeLessThan(settings.ackDeadlineSeconds);
  });
});
