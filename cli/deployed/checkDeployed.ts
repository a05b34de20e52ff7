// All checks of a deployed installation.

import { readFileSync } from 'node:fs';
import { deploymentManifest } from '../../deploy/manifestFile.ts';
import { loadSessionConfig } from '../../shared/config/load.ts';
import { textAt, timeAt } from '../../shared/kits/views/fieldAt.ts';
import { paths } from '../../shared/lists/documents.ts';
import { projectFile } from '../../shared/projectFiles.ts';
import { EXTENSION_NAMES } from '../../shared/wiring/extensions.ts';
import { openRawDocuments } from '../../shared/wiring/openRawDocuments.ts';
import { projectNumber } from '../deploy/project.ts';
import { listReleases, type StoredRelease, shortDigest } from '../deploy/releases.ts';
import { enabledVersions, waitingServices } from '../deploy/secrets.ts';
import { composeTargetEnvironment, deployCommand, type Target } from '../deploy/target.ts';
import { readSettings, withDatabase } from '../deploy/variables.ts';
import type { GoogleApi } from '../google/googleApi.ts';
import { checkCanary } from './checkCanary.ts';
import { checkDocuments, checkExpiry, checkIndexes } from './checkDatabase.ts';
import { checkAgents, checkSubscriptions } from './checkDelivery.ts';
import { checkApis, checkQuota } from './checkProject.ts';
import { checkConsole, checkSecrets, checkServices } from './checkServices.ts';
import type { DeployedSystem } from './deployedSystem.ts';
import { absent, composeFailedFinding, type Finding, missing, ok } from './finding.ts';

/**
 * Checks an installation through Google's APIs, and changes nothing. A check that Google refuses is a finding
 * with the fix.
 * @param configFolder the configuration that is deployed.
 */
export async function checkDeployed(
  google: GoogleApi,
  named: Target,
  configFolder: string,
): Promise<Finding[]> {
  const settings = readSettings(configFolder, named);
  const configured = withDatabase(named, settings);
  const attempt = attemptFor(configured);
  const number = await attempt('project', () => projectNumber(google, configured));
  if (number.value === undefined) return number.faults;
  const releases = await attempt('release', () => listReleases(google, configured));
  const [release] = releases.value ?? [];
  const target = release === undefined ? configured : { ...configured, stateBucket: release.stateBucket };
  const version: string = JSON.parse(readFileSync(projectFile('package.json'), 'utf8')).version;
  const manifest = release?.manifest ?? deploymentManifest(version, configFolder);
  const versions = await attempt('secrets', () => enabledVersions(google, target, manifest, settings));
  const waiting = versions.value === undefined ? [] : waitingServices(manifest, versions.value, settings);
  const system: DeployedSystem = {
    google,
    target,
    manifest,
    settings,
    waiting,
    projectNumber: number.value,
  };
  const checks: [string, () => Promise<Finding[]> | Finding[]][] = [
    ['release', () => (releases.value === undefined ? [] : [checkRelease(release, version, target)])],
    ['APIs', () => checkApis(system)],
    ['services', () => checkServices(system, release?.digest)],
    ['secrets', () => checkSecrets(system, versions.value ?? {})],
    ['indexes', () => checkIndexes(system)],
    ['time to live', () => checkExpiry(system)],
    ['documents', () => (release === undefined ? [] : checkDocuments(system, release.documents))],
    ['subscriptions', () => checkSubscriptions(system)],
    ['agents', () => checkAgents(system)],
    ['canary', () => (release === undefined ? [] : checkCanary(system))],
    ['destinations', () => (release === undefined ? [] : checkCircuits(system))],
    ['IAP', () => checkConsole(system)],
    ['quota of CPUs', () => checkQuota(system)],
    ['Vertex AI', () => (settings.vertex === false ? [] : checkVertex(configFolder))],
  ];
  const results = await Promise.all(checks.map(([part, check]) => attempt(part, check)));
  return [
    ...releases.faults,
    ...versions.faults,
    ...results.flatMap(({ value = [], faults }) => [...value, ...faults]),
  ];
}

/** A function that reads a part. Its result has the value, or the finding of a failure. */
function attemptFor(target: Target) {
  return async <T>(
    part: string,
    read: () => Promise<T> | T,
  ): Promise<{ value: T | undefined; faults: Finding[] }> => {
    try {
      return { value: await read(), faults: [] };
    } catch (error) {
      return { value: undefined, faults: [composeFailedFinding(part, error, target)] };
    }
  };
}

function checkRelease(release: StoredRelease | undefined, version: string, target: Target): Finding {
  const part = 'release';
  if (release === undefined)
    return absent(part, `gs://${target.releaseBucket} has none: the manifest of this code is compared`);
  const text = `${release.version} (${shortDigest(release.digest)}), deployed ${release.deployedAt}`;
  if (!release.isApplied)
    return missing(
      part,
      `${text}: its apply did not succeed, and services can run an earlier release. \`${deployCommand(target)}\` repeats it`,
    );
  if (release.version === version) return ok(part, text);
  return missing(part, `${text}, but this code is ${version}. \`${deployCommand(target)}\` deploys it`);
}

const TIMEOUT_MS = 30_000;
/** As many as destinations.yaml can have. */
const MAX_DESTINATIONS = 100;

/** A finding for each destination that gets no messages at the moment, with the fix. */
async function checkCircuits({ target }: DeployedSystem, now = new Date()): Promise<Finding[]> {
  const documents = openRawDocuments(composeTargetEnvironment(target), TIMEOUT_MS);
  try {
    const found = await documents.list({ collection: paths.destinations, limit: MAX_DESTINATIONS });
    return found.flatMap(({ id, fields }) => {
      const closedUntil = timeAt(fields, 'closedUntil');
      if (closedUntil === null || new Date(closedUntil) <= now) return [];
      const [code, message] = [textAt(fields, 'failure', 'code'), textAt(fields, 'failure', 'message')];
      const next = closedUntil.startsWith('9999')
        ? 'It is disabled'
        : `The next one is tried at ${closedUntil}`;
      const text = `refuses messages (${code}): ${message} ${next}`;
      return [missing(`destination ${id}`, text)];
    });
  } finally {
    await documents.close();
  }
}

/** Whether Vertex AI supports the agents' features: it cannot combine native tools with functions. */
function checkVertex(configFolder: string): Finding[] {
  const part = 'Vertex AI';
  const { chains } = loadSessionConfig(configFolder, EXTENSION_NAMES);
  const agents = Object.values(chains)
    .flatMap(({ stages }) => stages)
    .flatMap((stage) => stage.agents);
  const combining = agents.filter(({ combineNativeTools }) => combineNativeTools).map(({ name }) => name);
  if (combining.length === 0) return [ok(part, 'supports all features that the agents use')];
  return [
    missing(
      part,
      `cannot combine native tools with others (combineNativeTools): ${[...new Set(combining)].join(', ')}. Give the native tools to an agent of their own, or use the Gemini API ("vertex": false in deploy.tfvars.json)`,
    ),
  ];
}
