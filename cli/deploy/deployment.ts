// One deployment: a release is staged, planned, confirmed and applied.

import type { DeploymentManifest } from '../../deploy/manifestFile.ts';
import { KEY_SECRETS, SIGNING_KEY, VERIFYING_KEYS } from '../../shared/core/contract/signatures.ts';
import { generateSecret } from '../../shared/kits/access/macs.ts';
import { generateDecisionKeys } from '../../shared/kits/access/signatures.ts';
import { asArray } from '../../shared/text/json.ts';
import type { GoogleApi } from '../google/googleApi.ts';
import { OWN_VERSIONS } from '../migration/findNewer.ts';
import { enabledFirst } from './apis.ts';
import { checkOwner, deployedTier, ensureBuckets, hasState, recordTier, type Tier } from './buckets.ts';
import { findFirstMember, memberLines } from './members.ts';
import { storesOtherVersions } from './pause.ts';
import { isEmpty, type PlanSummary, summarizePlan, summaryLines } from './planSummary.ts';
import { enableApis, isDatabaseNew, projectNumber, waitForIndexes } from './project.ts';
import {
  checkStateBucket,
  listReleases,
  type Release,
  recordRelease,
  runningReleases,
  shortDigest,
  uploadArchive,
} from './releases.ts';
import {
  addVersion,
  enabledVersions,
  type SecretSettings,
  secretCommand,
  type WaitingService,
  waitingServices,
} from './secrets.ts';
import type { Target } from './target.ts';
import type { Terraform } from './terraform.ts';
import { stageFolder } from './terraformFolder.ts';
import { ownVariables } from './variables.ts';
import { linesWithoutTerraform } from './withoutTerraform.ts';

/** An API answers minutes after it is enabled. Terraform repeats only some refused requests. */
const APIS_READY_MS = 60_000;

/** The dependencies of the steps of a deployment. */
export interface DeployTools {
  google: GoogleApi;
  target: Target;
  /** Undefined when neither Terraform nor OpenTofu is on the PATH. */
  terraform: Terraform | undefined;
  output: DeployOutput;
  /** Asks for confirmation. Throws UsageError without a terminal. */
  confirm: (question: string) => Promise<boolean>;
  /** Does `work` while the installation is paused and no iteration runs. */
  whilePaused: (work: () => Promise<void>) => Promise<void>;
  signal: AbortSignal;
  /** How long APIs that were enabled are waited for, in milliseconds. Default: 60 s. */
  apisReadyMs?: number;
}

/** Where a deployment reports. */
export interface DeployOutput {
  /** A step or a result: an object for programs, lines for people. */
  event(event: DeployEvent, lines: readonly string[]): void;
  /** Progress, for people only. */
  progress(line: string): void;
}

/** The reports of a deployment to programs. */
type DeployEvent =
  | { type: 'waiting'; services: WaitingService[] }
  | ({ type: 'plan'; isApplied: boolean } & PlanSummary)
  | { type: 'instructions'; lines: string[] }
  | { type: 'deployed'; version: string; digest: string; outputs: Record<string, unknown> }
  | { type: 'unchanged'; version: string; digest: string }
  | { type: 'member'; first: string | null }
  | { type: 'dashboard'; url: string | null; members: readonly string[] }
  | { type: 'destroyed'; remains: string[] }
  | { type: 'releases'; releases: { digest: string; version: string; deployedAt: string }[] };

/** A release with its archive. */
export interface Deployable extends Release {
  /** Path of the archive on this machine. */
  archive: string;
  /** The versions of documents that its code reads. Default: those of this code. */
  documents?: Record<string, number>;
}

interface DeployOptions {
  tier: Tier | undefined;
  /** Variables of `deploy.tfvars.json`. */
  settings: SecretSettings & Record<string, unknown>;
  /** Whether to stop after the plan. Nothing in the project changes then. */
  planOnly: boolean;
  /** Whether the caller sends a test alert afterwards. */
  test?: boolean | undefined;
  /** `--member`, an e-mail address. Default: the recorded one, else the caller. */
  member?: string | undefined;
}

/**
 * Deploys a release, or prints the changes it would make.
 * @returns whether the release is deployed now.
 */
export async function deployRelease(
  tools: DeployTools,
  release: Deployable,
  { tier: wantedTier, settings, planOnly, test, member: wantedMember }: DeployOptions,
): Promise<boolean> {
  const { google, target, terraform, output } = tools;
  const isChanging = terraform !== undefined && !planOnly;
  const deployed = await deployedTier(google, target);
  const tier = wantedTier ?? deployed ?? 'trial';
  if (isChanging) {
    const { apisReadyMs: readyMs = APIS_READY_MS, signal } = tools;
    const apis = enabledFirst(release.manifest, settings);
    await enableApis(google, target, apis, { progress: output.progress, readyMs, signal });
  }
  const number = await projectNumber(google, target);
  const releases = await listReleases(google, target);
  checkStateBucket(releases, target);
  const secretVersions = await enabledVersions(google, target, release.manifest, settings);
  const isNew = await isDatabaseNew(google, target);
  reportWaiting(tools, waitingServices(release.manifest, secretVersions, settings));
  const member = await findFirstMember(google, { settings, releases, wanted: wantedMember });
  output.event({ type: 'member', first: member ?? null }, memberLines(settings, member));

  await (isChanging ? ensureBuckets : checkOwner)(google, target, number);
  const withBackend = terraform !== undefined && (isChanging || (await hasState(google, target)));
  const archive = { file: release.archive, name: `${release.digest}.tar.gz` };
  const own = ownVariables(target, {
    projectNumber: number,
    tier,
    archive: archive.name,
    isDatabaseNew: isNew,
    secretVersions,
    member,
  });
  await stageFolder(target, {
    variables: { ...settings, ...own },
    manifest: release.manifest,
    archive,
    withBackend,
  });
  if (terraform === undefined) {
    const lines = linesWithoutTerraform(target, { tier: wantedTier, test, member: wantedMember });
    output.event({ type: 'instructions', lines }, lines);
    return false;
  }

  const documents = release.documents ?? OWN_VERSIONS;
  const record = async (isApplied: boolean) => {
    await uploadArchive(google, target, { digest: release.digest, file: release.archive });
    await recordRelease(google, target, { ...release, documents, isApplied, member }, new Date());
  };
  const apply = async () => {
    // Before the apply: --destroy also deletes a failed one's resources, and refuses production.
    await record(false);
    if (tier === 'production') await recordTier(google, target, tier);
    const isUpgrade =
      !isNew && runningReleases(releases).some((one) => storesOtherVersions(one.documents, documents));
    await (isUpgrade ? tools.whilePaused(terraform.apply) : terraform.apply());
    await record(true);
  };
  const outcome = await planAndApply(tools, terraform, { isDestroy: false, planOnly, apply });
  if (outcome === 'planned' || outcome === 'declined') return false;
  const keys = await addMissingKeys(google, target, { manifest: release.manifest, settings }, secretVersions);
  if (keys.length > 0) {
    output.progress(`created ${keys.join(', ')}; deploying again, because services get them when they start`);
    const confirmed = { ...tools, confirm: async () => true };
    return deployRelease(confirmed, release, { tier, settings, planOnly, test, member });
  }
  const [latest] = releases;
  // An earlier deployment was applied, and could not record it.
  if (outcome === 'unchanged' && !(latest?.isApplied && latest.digest === release.digest)) await record(true);
  if (isNew)
    await waitForIndexes(google, target, {
      onWait: (left) => output.progress(`waiting for ${left} indexes of the new database`),
      signal: tools.signal,
    });
  if (tier !== deployed) await recordTier(google, target, tier);
  const { version, digest } = release;
  const name = `Inquest ${version} (${shortDigest(digest)})`;
  if (outcome === 'unchanged')
    output.event({ type: 'unchanged', version, digest }, [`${name} is deployed already`]);
  else {
    const outputs = await terraform.outputs();
    output.event({ type: 'deployed', version, digest, outputs }, [
      `deployed ${name}`,
      ...outputLines(outputs),
    ]);
  }
  return true;
}

/**
 * Plans, reports the plan, asks, and applies.
 * @param options.apply applies the plan, after the confirmation. Default: without further steps.
 */
export async function planAndApply(
  { output, confirm, target }: DeployTools,
  terraform: Terraform,
  {
    isDestroy,
    planOnly,
    apply = terraform.apply,
  }: { isDestroy: boolean; planOnly: boolean; apply?: () => Promise<void> },
): Promise<'applied' | 'unchanged' | 'planned' | 'declined'> {
  output.progress(`${terraform.name} ${terraform.version}: planning in ${target.folder}`);
  await terraform.init();
  const summary = summarizePlan(await terraform.plan({ isDestroy, isApplied: !planOnly }));
  const isApplied = !planOnly && !isEmpty(summary);
  output.event({ type: 'plan', isApplied, ...summary }, [
    ...summaryLines(summary),
    `the whole plan: ${terraform.name} -chdir=${target.folder} show plan.tfplan`,
  ]);
  if (planOnly) return 'planned';
  if (isEmpty(summary)) return 'unchanged';
  const question = isDestroy ? `delete ${target.name} in ${target.project}?` : `apply to ${target.project}?`;
  if (!(await confirm(question))) {
    output.progress('nothing was changed');
    return 'declined';
  }
  await apply();
  return 'applied';
}

function reportWaiting({ output, target }: DeployTools, services: WaitingService[]): void {
  if (services.length === 0) return;
  const missing = [...new Set(services.flatMap((one) => one.missing))];
  output.event({ type: 'waiting', services }, [
    ...services.map((one) => `${one.service} is not created: no version of ${one.missing.join(', ')}`),
    'After this deployment, add the values and deploy again:',
    ...missing.map((variable) => `  ${secretCommand(target, variable)}`),
  ]);
}

/** Text outputs, one a line, then next steps. The dashboard's address is the last line. */
function outputLines({
  next_steps: steps,
  console_url: _,
  console_members: _members,
  ...outputs
}: Record<string, unknown>): string[] {
  const texts = Object.entries(outputs).flatMap(([name, value]) => {
    return typeof value === 'string' ? [`  ${name}: ${value}`] : [];
  });
  return [...texts, ...asArray(steps).map((step) => `  next: ${step}`)];
}

// The keys that every installation has. The command creates them after Terraform has created their secrets: a
// key that Terraform created would be in its state.

/**
 * Adds the keys of decisions and the secret of API keys where the manifest names them and one has no version.
 * Both keys of decisions are added: a pair that an interrupted deployment left incomplete is replaced.
 * @param versions of the secrets that have one, by variable.
 * @returns the variables that have a new version; empty for an installation that has its keys.
 * @throws as `addVersion`.
 */
async function addMissingKeys(
  google: GoogleApi,
  target: Target,
  { manifest, settings }: { manifest: DeploymentManifest; settings: SecretSettings },
  versions: Readonly<Record<string, string>>,
): Promise<string[]> {
  const named = new Set(manifest.services.flatMap(({ optionalSecrets = [] }) => optionalSecrets));
  const added: string[] = [];
  const add = async (variable: string, value: string) => {
    await addVersion(google, target, { variable, value: Buffer.from(value), settings });
    added.push(variable);
  };
  const isMissing = (one: string) => named.has(one) && versions[one] === undefined;
  if (isMissing(KEY_SECRETS)) await add(KEY_SECRETS, generateSecret());
  if ([SIGNING_KEY, VERIFYING_KEYS].some(isMissing)) {
    const { privateKey, publicKey } = generateDecisionKeys();
    // The private key last: without the public key, no service could verify decisions.
    await add(VERIFYING_KEYS, publicKey);
    await add(SIGNING_KEY, privateKey);
  }
  return added;
}
