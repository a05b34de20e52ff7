import { describe, expect, it } from 'vitest';
import { EmulatorUnavailableError, findEmulators, type Machine } from './findEmulators.ts';

const FIRESTORE_JAR = 'platform/cloud-firestore-emulator/cloud-firestore-emulator.jar';
const PUBSUB_SCRIPT = 'platform/pubsub-emulator/bin/cloud-pubsub-emulator';

/** A machine that has exactly these files, all executable; `links` are symbolic links among them. */
function machine(env: Machine['env'], files: string[] = [], links: Record<string, string> = {}): Machine {
  const has = (path: string) => files.includes(path) || path in links;
  return {
    env,
    homeFolder: '/home/ada',
    projectFolder: '/project',
    isFile: has,
    isExecutable: has,
    realPath: (path) => links[path] ?? path,
  };
}

function sdkAt(folder: string): string[] {
  return [`${folder}/${FIRESTORE_JAR}`, `${folder}/${PUBSUB_SCRIPT}`];
}

describe('emulators are found', () => {
  it('running, before anything else', () => {
    const env = {
      FIRESTORE_EMULATOR_HOST: 'localhost:8080',
      PUBSUB_EMULATOR_HOST: 'localhost:8085',
      PATH: '/bin',
    };
    const found = findEmulators(machine(env, [...sdkAt('/usr/lib/google-cloud-sdk'), '/bin/java']), true);
    expect(found).toEqual({
      firestore: { from: 'environment', host: 'localhost:8080' },
      pubsub: { from: 'environment', host: 'localhost:8085' },
    });
  });

  it('each on its own: one running, one of the SDK', () => {
    const env = { FIRESTORE_EMULATOR_HOST: 'localhost:8080', PATH: '/bin' };
    const found = findEmulators(machine(env, [...sdkAt('/usr/lib/google-cloud-sdk'), '/bin/java']), true);
    expect([found.firestore.from, found.pubsub.from]).toEqual(['environment', 'gcloud']);
  });

  it.each([
    ['where CLOUDSDK_ROOT_DIR says', { CLOUDSDK_ROOT_DIR: '/sdk' }, '/sdk', {}],
    ['where gcloud on PATH leads', {}, '/far/sdk', { '/usr/bin/gcloud': '/far/sdk/bin/gcloud' }],
    ['in the home folder', {}, '/home/ada/google-cloud-sdk', {}],
    [
      'where a package put it, behind a wrapper',
      {},
      '/usr/lib/google-cloud-sdk',
      { '/usr/bin/gcloud': '/usr/bin/gcloud' },
    ],
    ['where Homebrew put it', {}, '/opt/homebrew/share/google-cloud-sdk', {}],
  ])('in a gcloud SDK %s', (_where, env, folder, links) => {
    const files = [...sdkAt(folder), '/usr/bin/java'];
    const found = findEmulators(machine({ PATH: '/sbin:/usr/bin', ...env }, files, links), true);
    expect(found).toEqual({
      firestore: { from: 'gcloud', path: `${folder}/${FIRESTORE_JAR}`, java: '/usr/bin/java' },
      pubsub: { from: 'gcloud', path: `${folder}/${PUBSUB_SCRIPT}`, java: '/usr/bin/java' },
    });
  });

  it('with the Java of JAVA_HOME before the one on PATH', () => {
    const files = [...sdkAt('/usr/lib/google-cloud-sdk'), '/jdk/bin/java', '/usr/bin/java'];
    const found = findEmulators(machine({ PATH: '/usr/bin', JAVA_HOME: '/jdk' }, files), true);
    expect(found.firestore).toMatchObject({ java: '/jdk/bin/java' });
  });

  it('with the Java on PATH when JAVA_HOME is wrong', () => {
    const files = [...sdkAt('/usr/lib/google-cloud-sdk'), '/usr/bin/java'];
    const found = findEmulators(machine({ PATH: '/usr/bin', JAVA_HOME: '/gone' }, files), true);
    expect(found.firestore).toMatchObject({ java: '/usr/bin/java' });
  });

  it('in firebase-tools of the project, before those on PATH', () => {
    for (const command of [
      '/project/node_modules/.bin/firebase',
      '/project/deploy/node_modules/.bin/firebase',
    ]) {
      const found = findEmulators(machine({ PATH: '/usr/bin' }, [command, '/usr/bin/firebase']), true);
      expect(found.firestore).toEqual({ from: 'firebase-tools', command });
    }
  });

  it('in firebase-tools for features that the SDK lacks', () => {
    const files = [`/usr/lib/google-cloud-sdk/${PUBSUB_SCRIPT}`, '/usr/bin/java', '/usr/bin/firebase'];
    const found = findEmulators(machine({ PATH: '/usr/bin' }, files), true);
    expect([found.firestore.from, found.pubsub.from]).toEqual(['firebase-tools', 'gcloud']);
  });

  it('ignoring variables that are empty', () => {
    const env = {
      FIRESTORE_EMULATOR_HOST: '',
      PUBSUB_EMULATOR_HOST: '',
      CLOUDSDK_ROOT_DIR: '',
      PATH: '/usr/bin',
    };
    const found = findEmulators(machine(env, ['/usr/bin/firebase']), true);
    expect([found.firestore.from, found.pubsub.from]).toEqual(['firebase-tools', 'firebase-tools']);
  });
});

it('the local cloud serves requests unless the official emulators are requested', () => {
  const env = { FIRESTORE_EMULATOR_HOST: 'localhost:8080', PATH: '/bin' };
  expect(findEmulators(machine(env, [...sdkAt('/usr/lib/google-cloud-sdk'), '/bin/java']))).toEqual({
    firestore: { from: 'environment', host: 'localhost:8080' },
    pubsub: { from: 'local' },
  });
});

describe('when an emulator cannot be had', () => {
  const messageOf = (of: Machine): string => {
    try {
      findEmulators(of, true);
    } catch (error) {
      if (error instanceof EmulatorUnavailableError) return error.message;
      throw error;
    }
    throw new Error('emulators were found');
  };

  it('the error names the program that was looked for and each way to get it', () => {
    const message = messageOf(machine({}));
    expect(message).toContain('No official Firestore and Pub/Sub emulator was found');
    expect(message).toContain('FIRESTORE_EMULATOR_HOST and PUBSUB_EMULATOR_HOST: not set');
    expect(message).toContain('/usr/lib/google-cloud-sdk');
    expect(message).toContain(
      'sudo apt-get install google-cloud-cli-firestore-emulator google-cloud-cli-pubsub-emulator default-jre-headless',
    );
    expect(message).toContain('gcloud components install cloud-firestore-emulator pubsub-emulator');
    expect(message).toContain('Java 21 or newer');
    expect(message).toContain('npm ci --prefix /project/deploy');
  });

  it('the error names only the missing parts', () => {
    const message = messageOf(machine({ FIRESTORE_EMULATOR_HOST: 'localhost:8080' }));
    expect(message).toContain('No official Pub/Sub emulator was found');
    expect(message).not.toContain('cloud-firestore-emulator');
  });

  it('an SDK without Java is named as such', () => {
    const message = messageOf(machine({ JAVA_HOME: '/gone' }, sdkAt('/usr/lib/google-cloud-sdk')));
    expect(message).toContain('a gcloud SDK with the emulator: /usr/lib/google-cloud-sdk\n');
    expect(message).toContain('Java: not in JAVA_HOME (/gone), not on PATH');
  });
});
