// Variables of the Terraform module: those that the command sets, and those of deploy.tfvars.json.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, jsonFault, parseJson } from '../../shared/text/json.ts';
import { UsageError } from '../process/usageError.ts';
import type { Tier } from './buckets.ts';
import type { SecretSettings } from './secrets.ts';
import type { Target } from './target.ts';

/** The configuration's file with further variables: console members, addresses, networks. */
export const SETTINGS_FILE = 'deploy.tfvars.json';

/** Files in the staged folder, beside the module. */
export const STAGED = {
  variables: 'terraform.tfvars.json',
  manifest: 'manifest.json',
  indexes: 'firestore.indexes.json',
  rules: 'firestore.rules',
  backend: 'backend.tf',
  /** The same variables in the language of Terraform, for Infrastructure Manager. */
  inputs: 'inputs.tfvars',
} as const;

/** The variables that the command sets. */
interface OwnVariables {
  project: string;
  project_number: string;
  region: string;
  name: string;
  tier: Tier;
  /** Paths relative to the staged folder, so that it can move to Cloud Shell or elsewhere. */
  manifest: string;
  archive: string;
  firestore_indexes: string;
  firestore_rules: string;
  /** Whether the database is new and empty: its indexes are then created at once. */
  skip_index_wait: boolean;
  /** Numbers of versions, by variable. Never `latest`: a revision would start with an unplanned value. */
  secret_versions: Record<string, string>;
  /** E-mail address of the dashboard's first member. */
  first_member?: string;
}

/** The variables that the command sets. */
export function ownVariables(
  { project, region, name }: Target,
  given: {
    projectNumber: string;
    tier: Tier;
    archive: string;
    isDatabaseNew: boolean;
    secretVersions: Record<string, string>;
    member?: string | undefined;
  },
): OwnVariables {
  return {
    project,
    project_number: given.projectNumber,
    region,
    name,
    tier: given.tier,
    manifest: `./${STAGED.manifest}`,
    archive: `./${given.archive}`,
    firestore_indexes: `./${STAGED.indexes}`,
    firestore_rules: `./${STAGED.rules}`,
    skip_index_wait: given.isDatabaseNew,
    secret_versions: given.secretVersions,
    ...(given.member !== undefined && { first_member: given.member }),
  };
}

const PROJECT_PLACEHOLDER = /\$\{project\}/g;
/** Variables that deploy.tfvars.json cannot set. */
const OWN: Record<keyof OwnVariables, true> = {
  project: true,
  project_number: true,
  region: true,
  name: true,
  tier: true,
  manifest: true,
  archive: true,
  firestore_indexes: true,
  firestore_rules: true,
  skip_index_wait: true,
  secret_versions: true,
  first_member: true,
};

/**
 * The variables of `deploy.tfvars.json`; none without the file. `${project}` in it is the project of the
 * target, so that one configuration serves several projects. Terraform checks names and values.
 * @throws UsageError when it is no JSON object, or sets a variable that the command sets.
 */
export function readSettings(
  configFolder: string,
  { project }: Pick<Target, 'project'>,
): SecretSettings & Record<string, unknown> {
  const file = join(configFolder, SETTINGS_FILE);
  if (!existsSync(file)) return {};
  const settings = parseSettings(file, project);
  const own = Object.keys(OWN).filter((name) => name in settings);
  if (own.length > 0)
    throw new UsageError(
      `${file} sets ${own.join(', ')}: the command sets ${own.length === 1 ? 'it' : 'them'}. Remove ${own.length === 1 ? 'it' : 'them'}, and use the options of \`inquest deploy\``,
    );
  return settings;
}

function parseSettings(file: string, project: string): SecretSettings & Record<string, unknown> {
  const text = readFileSync(file, 'utf8').replace(PROJECT_PLACEHOLDER, () => project);
  const parsed = parseJson(text);
  if (isObject(parsed)) return parsed;
  const place = jsonFault(text);
  throw new UsageError(
    `${file} is no JSON object${place === undefined ? '' : `: it does not fit at ${place}`}`,
  );
}

/** The target with the database that `deploy.tfvars.json` names, for example a restored one. */
export function withDatabase(target: Target, { database }: Record<string, unknown>): Target {
  return typeof database === 'string' ? { ...target, database } : target;
}
