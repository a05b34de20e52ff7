// resources.yaml: the services of the team, with the resources that belong to each.

import * as z from 'zod';
import type { Services } from '../alerts/resource.ts';
import { asObject } from '../text/json.ts';
import { parseResource } from '../text/resource.ts';
import { describeExpected } from '../text/suggest.ts';
import { configFile, loadFile } from './configFile.ts';
import { eachOnce, type KnownNames, strictMapping } from './fields.ts';

const MAX_ITEMS = 100;
const NAME = /^[\w.-]{1,120}$/;
const FORM =
  'must be a resource such as k8s:CLUSTER/NAMESPACE/Deployment/NAME, gcp:run:PROJECT/REGION/NAME or host:NAME; "-" stands for a part that is not known';

const resource = z.string().refine((name) => parseResource(name) !== undefined, FORM);
const ofSystem = (system: string, form: string) =>
  z.string().refine((name) => parseResource(name)?.system === system, `must be ${form}`);
const uniqueList = (item: z.ZodType<string>) =>
  z.array(item).max(MAX_ITEMS).superRefine(eachOnce).default([]);

function dependencySchema(services: KnownNames) {
  return z.string().superRefine((name, context) => {
    if (parseResource(name) !== undefined || services?.includes(name) !== false) return;
    const message = `unknown service "${name}"; ${describeExpected(name, services)}, or a resource`;
    context.addIssue({ code: 'custom', message });
  });
}

/** resources.yaml. A workload belongs to one service. @param value the file, for names of services. */
export function resourcesFileSchema(value: unknown) {
  const names = Object.keys(asObject(asObject(value).services));
  const service = strictMapping({
    workloads: uniqueList(resource),
    repository: ofSystem('git', 'git:OWNER/REPO, in lower case').nullable().default(null),
    flags: uniqueList(ofSystem('flag', 'flag:NAME')),
    dashboards: uniqueList(z.url({ protocol: /^https?$/, error: 'must be an http or https URL' })),
    dependencies: uniqueList(dependencySchema(names)),
  });
  const name = z.string().regex(NAME, 'must hold only letters, digits, "_", "." and "-", at most 120');
  return strictMapping({ services: z.record(name, service).default({}) }).superRefine(
    ({ services }, context) => {
      const owners = new Map<string, string>();
      for (const [owner, { workloads }] of Object.entries(services))
        for (const [index, workload] of workloads.entries()) {
          const other = owners.get(workload);
          if (other !== undefined && other !== owner)
            context.addIssue({
              code: 'custom',
              path: ['services', owner, 'workloads', index],
              message: `already belongs to the service "${other}"`,
            });
          owners.set(workload, owner);
        }
    },
  );
}

export const resourcesFile = configFile({
  name: 'resources',
  schema: (_, value) => resourcesFileSchema(value),
});

/**
 * Loads only resources.yaml. Without the file there are no services.
 * @throws ConfigError with every fault of it.
 */
export function loadResources(folder: string): Services {
  return loadFile(resourcesFile, folder).services;
}
