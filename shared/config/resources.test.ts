// Faults of resources.yaml, with their lines.

import { expect, it } from 'vitest';
import { resourcesFileSchema } from './resources.ts';
import { validateFile } from './validate.ts';
import { type Fault, parseYaml } from './yamlFile.ts';

function check(text: string): { faults: string[]; services: unknown } {
  const yaml = parseYaml('resources.yaml', text);
  const faults: Fault[] = [];
  const read = validateFile(yaml, resourcesFileSchema(yaml.value), faults);
  return {
    services: read?.services,
    faults: faults.map(({ position, message }) => `${position?.line}: ${message}`),
  };
}

it('reads services, with defaults', () => {
  const text = `
services:
  checkout:
    workloads: ["k8s:prod/shop/Deployment/checkout"]
    repository: git:acme/shop
    dependencies: [ledger, "host:db-1"]
  ledger: {}`;
  const empty = { workloads: [], repository: null, flags: [], dashboards: [], dependencies: [] };
  expect(check(text)).toEqual({
    faults: [],
    services: {
      checkout: {
        ...empty,
        workloads: ['k8s:prod/shop/Deployment/checkout'],
        repository: 'git:acme/shop',
        dependencies: ['ledger', 'host:db-1'],
      },
      ledger: empty,
    },
  });
  expect(check('{}')).toMatchObject({ faults: [] });
});

it('names the line of each fault', () => {
  const text = `services:
  checkout:
    workloads: ["shop/checkout"]
    repository: acme/shop
    dependencies: [leger]
  ledger:
    workloads: ["host:a"]
  other:
    workloads: ["host:a"]
    team: x`;
  const { faults } = check(text);
  expect(faults).toEqual([
    expect.stringMatching(/^3: .*must be a resource such as/),
    expect.stringMatching(/^4: .*must be git:OWNER\/REPO/),
    expect.stringMatching(/^5: .*unknown service "leger"; .*ledger/),
    expect.stringMatching(/^9: already belongs to the service "ledger"/),
    expect.stringMatching(/^10: unknown key/),
  ]);
});
