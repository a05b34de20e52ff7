// Texts of Terraform, its Google provider or a Google API from public reports, with sources.

import { describe, expect, it } from 'vitest';
import { findDeployProblem, PROBLEMS } from './terraformErrors.ts';

const AT = {
  project: 'shop-prod',
  region: 'europe-west1',
  stateBucket: 'shop-prod-inquest-tfstate',
  folder: '/checkout/.inquest/deploy/shop-prod-inquest',
  binary: 'terraform',
  now: new Date('2026-11-24T12:00:00Z'),
};
const PROVIDER = 'https://github.com/hashicorp/terraform-provider-google/issues';
const TERRAFORM = 'https://github.com/hashicorp/terraform/issues';

/** [id, part of the cause, part of the fix, source, text] */
const REPORTED: [string, string, string, string, string][] = [
  [
    'state-not-saved',
    'could not be written',
    'terraform -chdir=/checkout/.inquest/deploy/shop-prod-inquest state push errored.tfstate',
    'https://github.com/manheim/terraform-pipeline/issues/429',
    `╷
│ Error: Failed to persist state to backend
│
│ The error shown above has prevented Terraform from writing the updated
│ state to the configured backend. To allow for recovery, the state has been
│ written to the file "errored.tfstate" in the current working directory.`,
  ],
  [
    'network',
    'oauth2.googleapis.com cannot be reached',
    'NODE_USE_ENV_PROXY=1',
    'https://github.com/google-gemini/gemini-cli/issues/18602',
    'request to https://oauth2.googleapis.com/token failed, reason: getaddrinfo EAI_AGAIN oauth2.googleapis.com',
  ],
  [
    'network',
    'oauth2.googleapis.com cannot be reached',
    'check the connection',
    'https://github.com/googleapis/google-auth-library-nodejs/issues/1801',
    'FetchError: request to https://oauth2.googleapis.com/token failed, reason: connect ETIMEDOUT 172.217.160.74:443',
  ],
  [
    'state-denied',
    'gs://shop-prod-inquest-tfstate cannot be read or written',
    'roles/storage.objectAdmin',
    'https://github.com/runatlantis/atlantis/issues/4677',
    `╷
│ Error: Error acquiring the state lock
│
│ Error message: 2 errors occurred:
│ 	* writing "gs://bucket_name/default.tflock" failed:
│ googleapi: Error 403: Access denied., forbidden
│ 	* storage: object doesn't exist`,
  ],
  [
    'state-denied',
    'cannot be read or written',
    '--state',
    `${TERRAFORM}/17222`,
    'Error: Failed to get existing workspaces: querying Cloud Storage failed: googleapi: Error 403: deployer@example.com does not have storage.objects.list access to tf-state, forbidden',
  ],
  [
    'state-locked',
    'synhershko holds the lock of the state since 2018-03-15T12:32:34.445Z, and probably died',
    'force-unlock 6256aabb-1b46-2a04-a027-ae934d3bb2bd',
    `${TERRAFORM}/17592`,
    `Error: Error locking state: Error acquiring the state lock: writing "gs://mybucket/terraform/infra-state/default.tflock" failed: googleapi: Error 412: Precondition Failed, conditionNotMet
Lock Info:
  ID:        6256aabb-1b46-2a04-a027-ae934d3bb2bd
  Path:
  Operation: OperationTypeApply
  Who:       synhershko
  Version:   0.11.3
  Created:   2018-03-15 12:32:34.445923 +0000 UTC
  Info:`,
  ],
  [
    'state-locked',
    'another deployment runs: a process holds the lock of the state',
    'wait for its end',
    `${TERRAFORM}/30149`,
    `│ Error: Error acquiring the state lock
│
│ Error message: 2 errors occurred:
│ 	* writing
│ "gs://buket_name/bucket_prefix/dir1/terraform1/default.tflock"
│ failed: googleapi: Error 412: At least one of the pre-conditions you
│ specified did not hold., conditionNotMet
│ 	* storage: object doesn't exist`,
  ],
  [
    'state-bucket-missing',
    'gs://shop-prod-inquest-tfstate does not exist any more',
    'gcloud storage restore',
    'https://github.com/terraform-google-modules/terraform-example-foundation/issues/31',
    "Error: Failed to get existing workspaces: querying Cloud Storage failed: storage: bucket doesn't exist",
  ],
  [
    'plan-stale',
    'after the plan was made',
    'run the command again',
    'https://github.com/app-sre/qontract-reconcile/pull/1840',
    `Error: Saved plan is stale

The given plan file can no longer be applied because the state was changed by
another operation after the plan was created.`,
  ],
  [
    'interrupted',
    'interrupted',
    'continues with the missing resources',
    'https://github.com/tfxor/terrahub/issues/340',
    `^CInterrupt received.
Please wait for Terraform to exit or data loss may occur.
Gracefully shutting down...
^CTwo interrupts received. Exiting immediately. Note that data
loss may have occurred.

Error: operation canceled`,
  ],
  [
    'credentials-missing',
    'no credentials',
    'gcloud auth application-default login',
    'https://github.com/eatonc/actual-gcp/issues/3',
    `│ google: could not find default credentials. See
│ https://cloud.google.com/docs/authentication/external/set-up-adc for more
│ information`,
  ],
  [
    'quota-project',
    'for the quota of requests',
    'gcloud auth application-default set-quota-project shop-prod',
    'https://github.com/google-github-actions/auth/issues/250',
    'Caller does not have required permission to use project xxx-yyy. Grant the caller the roles/serviceusage.serviceUsageConsumer role, or a custom role with the serviceusage.services.use permission, by visiting https://console.developers.google.com/iam-admin/iam/project?project=xxx-yyy and then retry.',
  ],
  [
    'billing',
    'shop-prod has no active billing account',
    'gcloud billing projects link shop-prod',
    'https://github.com/kyegomez/zeta/issues/71',
    "FAILED_PRECONDITION: Billing account for project '522837608576' is not found. Billing must be enabled for activation of service(s) 'compute.googleapis.com,compute.googleapis.com,compute.googleapis.com' to proceed.",
  ],
  [
    'billing',
    'no active billing account',
    'linkedaccount?project=shop-prod',
    `${PROVIDER}/5208`,
    'Error: Error uploading object redis_test.sh: googleapi: Error 403: The project to be billed is associated with an absent billing account., accountDisabled',
  ],
  [
    'api-disabled',
    'serviceusage.googleapis.com is not enabled in shop-prod',
    'gcloud services enable serviceusage.googleapis.com --project=shop-prod',
    'https://github.com/terraform-google-modules/cloud-foundation-training/issues/20',
    'Error: Error reading Project Service cft-training-nyc-21/cloudfunctions.googleapis.com: Batch "project/cft-training-nyc-21/services" for request "List Project Services cft-training-nyc-21" returned error: batch request and retry as single request failed - final error: Failed to list enabled services for project cft-training-nyc-21: googleapi: Error 403: Service Usage API has not been used in project 888892115941 before or it is disabled. Enable it by visiting https://console.developers.google.com/apis/api/serviceusage.googleapis.com/overview?project=888892115941 then retry. If you enabled this API recently, wait a few minutes for the action to propagate to our systems and retry., accessNotConfigured.',
  ],
  [
    'org-policy',
    'constraints/gcp.resourceLocations',
    'exception',
    `${PROVIDER}/3555`,
    "Invalid request: 'us-central1' violates constraint 'constraints/gcp.resourceLocations' on the resource 'projects'",
  ],
  [
    'right-missing',
    'iam.serviceAccounts.create',
    'docs/deploy.md lists the roles',
    'https://github.com/jetstack/terraform-google-gke-cluster/issues/51',
    'google_service_account.default: Error creating service account: googleapi: Error 403: Permission iam.serviceAccounts.create is required to perform this operation on project projects/<GCP_PROJECT>., forbidden',
  ],
  [
    'right-missing',
    'orgpolicy.policies.create',
    'a role that contains orgpolicy.policies.create',
    'https://github.com/terraform-google-modules/terraform-google-org-policy/issues/101',
    "Error: Error creating Policy: googleapi: Error 403: Permission 'orgpolicy.policies.create' denied on resource '//cloudresourcemanager.googleapis.com/projects/<project-name-redacted>' (or it may not exist).",
  ],
  [
    'right-missing',
    'has not the right to do this in shop-prod',
    'docs/deploy.md',
    'https://github.com/terraform-google-modules/terraform-google-kubernetes-engine/issues/1492',
    'Error setting IAM policy for project "testproject": googleapi: Error 403: Policy update access denied., forbidden',
  ],
  [
    'project-unknown',
    'shop-prod does not exist',
    'check --project',
    'https://github.com/gemini-cli-extensions/nanobanana/issues/16',
    'Permission denied on resource project polynomial-coda-466015-e4., "reason": "CONSUMER_INVALID"',
  ],
  [
    'quota-instances',
    'allowed: 0',
    'iam-admin/quotas?project=shop-prod',
    'https://github.com/googlecodelabs/feedback/issues/1856',
    `spec.template.metadata.annotations[autoscaling.knative.dev/maxScale]: Max instances must be set to 0 or fewer to set the requested total CPU.
Consider running your workload in a region with greater capacity, or requesting an increase in quota for this region if you are seeing sustained usage near this limit, see https://cloud.google.com/run/quotas.

Quota violated:
CpuAllocPerProjectRegion requested: 60000 allowed: 20000`,
  ],
  [
    'quota-instances',
    'allowed: 10',
    'another region',
    'https://github.com/firebase/firebase-tools/pull/5867',
    'HTTP Error: 400, Could not create Cloud Run service helloworld. spec.template.spec.containers.resources.limits.cpu: Invalid value specified for cpu. For the specified value, maxScale may not exceed 10.',
  ],
  [
    'state-lost',
    'the state does not know it',
    'gcloud storage ls --all-versions gs://shop-prod-inquest-tfstate',
    'https://github.com/selkies-project/selkies-operator/issues/54',
    'Error: Error creating Topic: googleapi: Error 409: Resource already exists in the project (resource=gcr).',
  ],
  [
    'state-lost',
    'the state was lost',
    'another --name',
    'https://github.com/GoogleCloudPlatform/terraform-google-log-analysis/issues/25',
    'Error: Error creating service account: googleapi: Error 409: Service account bigquery-data-transfer-service already exists within project projects/<project-name>.',
  ],
];

describe('a failure of Terraform or Google', () => {
  it.each(REPORTED)('%s: %s', (id, cause, fix, _source, text) => {
    const problem = findDeployProblem(text, AT);
    expect(problem).toMatchObject({ id });
    expect(problem?.cause).toContain(cause);
    expect(problem?.fix).toContain(fix);
  });

  it('without a known text has no fix', () => {
    expect(findDeployProblem('Error: Invalid function argument', AT)).toBeUndefined();
  });
});

/**
 * Rows without a public report that quotes the whole text: constructed after the pages of Google and the
 * sources of Terraform. [id, part of the cause, text]
 */
const CONSTRUCTED: [string, string, string][] = [
  [
    'state-locked',
    'another deployment runs: ci@runner holds the lock of the state since 2026-11-24T11:50:00.000Z',
    'Error: Error acquiring the state lock\nLock Info:\n  ID: 1700000000000001\n  Who: ci@runner\n  Created: 2026-11-24 11:50:00.000001 +0000 UTC',
  ],
  ['terraform-version', 'does not support', 'Error: Unsupported Terraform Core version'],
  ['providers-unreachable', 'downloaded', 'Error: Failed to query available provider packages'],
  [
    'credentials-missing',
    'no credentials',
    'Could not load the default credentials. Browse to https://cloud.google.com/docs/authentication/getting-started',
  ],
  ['credentials-expired', 'expired', 'oauth2: "invalid_grant" "reauth related error (invalid_rapt)"'],
  [
    'act-as',
    'service accounts',
    "Permission 'iam.serviceaccounts.actAs' denied on service account x (or it may not exist).",
  ],
  [
    'quota',
    'used up',
    "Error 429: Quota exceeded for quota metric 'Write requests' and limit 'Write requests per minute'",
  ],
  [
    'secret-missing',
    'inquest-pager-token has no version',
    'Secret projects/1/secrets/inquest-pager-token/versions/1 was not found',
  ],
  [
    'deletion-protected',
    'protected',
    'cannot destroy service without setting deletion_protection=false and running `terraform apply`',
  ],
  [
    'bucket-taken',
    'another project',
    'The requested bucket name is not available. The bucket namespace is shared by all users of the system.',
  ],
  [
    'not-yet-consistent',
    'not yet published',
    'Error 400: Service account a@b.iam.gserviceaccount.com does not exist., badRequest',
  ],
  ['google-unavailable', 'did not answer', 'googleapi: Error 503: Service unavailable., backendError'],
];

describe('a constructed failure', () => {
  it.each(CONSTRUCTED)('%s: %s', (id, cause, text) => {
    const problem = findDeployProblem(text, AT);
    expect(problem).toMatchObject({ id });
    expect(problem?.cause).toContain(cause);
  });
});

it('each row has a text', () => {
  const tried = new Set([...REPORTED, ...CONSTRUCTED].map(([id]) => id));
  expect(PROBLEMS.map(({ id }) => id).filter((id) => !tried.has(id))).toEqual([]);
});
