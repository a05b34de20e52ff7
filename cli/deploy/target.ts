// The installation that a command is about, and the names of its buckets.

import { join } from 'node:path';
import { readInstallationName } from '../../shared/environment.ts';
import { workFile } from '../../shared/projectFiles.ts';
import { EMULATOR_VARIABLES } from '../../shared/store/emulator.ts';
import { asUsage, UsageError } from '../process/usageError.ts';

export const DEFAULT_NAME = 'inquest';
const PROJECT = /^[a-z][a-z0-9-]{4,28}[a-z0-9]$/;
const REGION = /^[a-z]+(?:-[a-z]+)+\d+$/;
const STATE = /^gs:\/\/([a-z0-9][a-z0-9._-]{1,61}[a-z0-9])\/?$/;

/** An installation in a Google Cloud project. */
export interface Target {
  project: string;
  region: string;
  /** Prefix of its resources. */
  name: string;
  /** The configuration folder as the user named it; undefined for deploy/trial. */
  config: string | undefined;
  /** Id of its Firestore database: `name`, unless deploy.tfvars.json names a restored one. */
  database: string;
  /** The bucket of Terraform's state: one of the installation, unless `--state` names another. */
  stateBucket: string;
  /** Prefix of the state's objects in it. */
  statePrefix: string;
  /** The bucket of the archives of its releases. */
  releaseBucket: string;
  /** The folder that Terraform runs in. */
  folder: string;
}

/** The options that name an installation. */
export interface TargetOptions {
  project: string;
  region: string;
  name: string;
  config?: string | undefined;
  state?: string | undefined;
}

/**
 * The installation that the options name; INQUEST_CONFIG names the configuration without `config`.
 * @throws UsageError for a project, region, name or bucket that cannot exist, and for emulators in the
 * environment.
 */
export function resolveTarget(
  { project, region, name, config, state }: TargetOptions,
  env: NodeJS.ProcessEnv = {},
): Target {
  if (!PROJECT.test(project))
    throw new UsageError(
      `--project ${JSON.stringify(project)} is no id of a project, such as my-project-123`,
    );
  if (!REGION.test(region))
    throw new UsageError(`--region ${JSON.stringify(region)} is no region, such as europe-west1`);
  asUsage(() => readInstallationName({ INQUEST_NAME: name }));
  checkNoEmulators(project, env);
  const prefix = `${project}-${name}`;
  return {
    project,
    region,
    name,
    config: config ?? (env.INQUEST_CONFIG || undefined),
    database: name,
    stateBucket: state === undefined ? ownStateBucket({ project, name }) : parseStateBucket(state),
    statePrefix: `inquest/${project}/${name}`,
    releaseBucket: `${prefix}-releases`,
    folder: workFile(join('.inquest', 'deploy', prefix)),
  };
}

function parseStateBucket(state: string): string {
  const [, bucket] = STATE.exec(state) ?? [];
  if (bucket === undefined)
    throw new UsageError(`--state ${JSON.stringify(state)} is no address of a bucket, such as gs://my-state`);
  return bucket;
}

const ownStateBucket = ({ project, name }: Pick<Target, 'project' | 'name'>): string =>
  `${project}-${name}-tfstate`;

/** Whether the state's bucket is not the default: it can be of another project, with other states. */
export const isStateShared = (target: Target): boolean => target.stateBucket !== ownStateBucket(target);

/** The environment in which the store and the publisher find the installation. */
export function composeTargetEnvironment({ project, name, database }: Target): NodeJS.ProcessEnv {
  return { ...process.env, GOOGLE_CLOUD_PROJECT: project, INQUEST_NAME: name, FIRESTORE_DATABASE: database };
}

/**
 * Refuses addresses of emulators: Google's clients would send the requests for the installation to them.
 * Google's services have no projects that start with `demo-`.
 * @throws UsageError that names the variables.
 */
function checkNoEmulators(project: string, env: NodeJS.ProcessEnv): void {
  const set = Object.values(EMULATOR_VARIABLES).filter((variable) => env[variable]);
  if (set.length === 0 || project.startsWith('demo-')) return;
  throw new UsageError(
    `${set.join(' and ')} ${set.length === 1 ? 'names an emulator' : 'name emulators'}, but ${project} is a project of Google Cloud: unset ${set.join(' ')}`,
  );
}

/** The command that deploys this installation with this configuration and state, for advice. */
export function deployCommand(target: Target, rest = ''): string {
  const state = isStateShared(target) ? `gs://${target.stateBucket}` : undefined;
  return composeTargetCommand(`deploy${rest}`, target, [['--state', state]]);
}

/** The command that checks this installation, for advice. */
export const doctorCommand = (target: Target): string => composeTargetCommand('doctor --deployed', target);

function composeTargetCommand(
  command: string,
  { project, region, name, config }: Target,
  further: [string, string | undefined][] = [],
): string {
  const all: [string, string | undefined][] = [
    ['--project', project],
    ['--region', region],
    ['--name', name === DEFAULT_NAME ? undefined : name],
    ['--config', config],
    ...further,
  ];
  const options = all.flatMap(([option, value]) =>
    value === undefined ? [] : [`${option} ${quoted(value)}`],
  );
  return `npx --no inquest ${command} ${options.join(' ')}`;
}

/** A word for a shell. */
const quoted = (text: string): string =>
  /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
