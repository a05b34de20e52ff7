// Checks of the services on Cloud Run: whether each runs the current release, and who can call the console.

import { composeServiceAgent } from '../deploy/apis.ts';
import { secretCommand } from '../deploy/secrets.ts';
import { RUN } from '../google/addresses.ts';
import { type DeployedSystem, grantsRole, isWaiting, type Policy, redeploy } from './deployedSystem.ts';
import { type Finding, missing, ok } from './finding.ts';

interface Service {
  name: string;
  iapEnabled?: boolean;
  terminalCondition?: { state?: string; message?: string };
  template?: { containers?: { sourceCode?: { cloudStorageSource?: { object?: string } } }[] };
}

/**
 * Whether each service exists, is ready and runs the archive of the current release.
 * @param digest of the archive; undefined when the release is not known.
 */
export async function checkServices(system: DeployedSystem, digest: string | undefined): Promise<Finding[]> {
  const { google, target, manifest, waiting } = system;
  const { project, region, name } = target;
  const parent = `${RUN}/projects/${project}/locations/${region}/services`;
  const deployed = await google.list<Service>(parent, 'services');
  const byId = new Map(deployed.map((service) => [service.name.split('/').at(-1), service]));
  return manifest.services.map((service): Finding => {
    const id = `${name}-${service.id}`;
    const part = `service ${id}`;
    const found = byId.get(id);
    const secrets = waiting.find((one) => one.service === service.name)?.missing ?? [];
    if (found === undefined && secrets.length > 0)
      return missing(
        part,
        `is not created: no version of ${secrets.join(', ')}. ${secrets.map((secret) => secretCommand(target, secret)).join('; ')}`,
      );
    if (found === undefined) return missing(part, `does not exist. ${redeploy(system)}`);
    const { state, message } = found.terminalCondition ?? {};
    if (state !== 'CONDITION_SUCCEEDED')
      return missing(part, `is not ready: ${message ?? state ?? 'no condition'}. Its log has the reason`);
    const object = found.template?.containers?.[0]?.sourceCode?.cloudStorageSource?.object;
    if (digest !== undefined && object !== undefined && !object.startsWith(digest))
      return missing(part, `runs ${object} instead of the current release ${digest}. ${redeploy(system)}`);
    return ok(part, 'is ready');
  });
}

/** Whether people reach the console: through IAP, whose agent calls the service. */
export async function checkConsole(system: DeployedSystem): Promise<Finding[]> {
  const { google, target, manifest, projectNumber } = system;
  const { project, region, name } = target;
  const agent = composeServiceAgent('iap', projectNumber);
  const consoles = manifest.services.filter(
    (service) => service.invoker === 'iap' && !isWaiting(system, service),
  );
  return await Promise.all(
    consoles.map(async ({ id }): Promise<Finding> => {
      const part = `IAP of ${name}-${id}`;
      const url = `${RUN}/projects/${project}/locations/${region}/services/${name}-${id}:getIamPolicy`;
      const policy = await google.find<Policy>({ url });
      if (policy !== undefined && grantsRole(policy, 'roles/run.invoker', agent))
        return ok(part, 'its agent calls the service');
      return missing(
        part,
        `${agent} lacks roles/run.invoker, so that every visitor gets 403. ${redeploy(system)}`,
      );
    }),
  );
}

/** Whether every secret has a version. */
export function checkSecrets(
  { target, waiting }: DeployedSystem,
  versions: Readonly<Record<string, string>>,
): Finding[] {
  const lacking = [...new Set(waiting.flatMap((service) => service.missing))];
  return [
    ...Object.entries(versions).map(([variable, version]) => ok(`secret ${variable}`, `version ${version}`)),
    ...lacking.map((variable) =>
      missing(
        `secret ${variable}`,
        `has no enabled version: ${secretCommand(target, variable)}, then deploy again`,
      ),
    ),
  ];
}
