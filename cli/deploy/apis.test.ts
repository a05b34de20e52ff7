import { expect, it } from 'vitest';
import { deploymentManifest } from '../../deploy/manifestFile.ts';
import { projectFile } from '../../shared/projectFiles.ts';
import { readEvaluation } from '../../test/terraform/evaluate.ts';
import { composeServiceAgent, neededApis } from './apis.ts';

const DEFAULT = deploymentManifest('1', projectFile('config'));
const WITH_SECRETS = deploymentManifest('1', projectFile('test/terraform/samples/config'));

it.each([
  ['trial', DEFAULT, {}],
  ['production', WITH_SECRETS, { budget: { billing_account: '012345-6789AB-CDEF01' } }],
  ['private-network', DEFAULT, { deploy: 'image', network: { network: 'n' } }],
] as const)('the APIs of the example %s are those that its plan enables', (example, manifest, settings) => {
  expect(neededApis(manifest, settings).sort()).toEqual(readEvaluation(example).settings.apis);
});

it.each(['pubsub', 'iap', 'monitoring-notification'] as const)(
  'the plan grants a right to the agent of %s',
  (service) => {
    const { iam_triples: rights } = readEvaluation('trial').settings;
    expect(rights).toContainEqual(
      expect.stringContaining(`${composeServiceAgent(service, '123456789012')} `),
    );
  },
);
