// One message of each source, in the form that its documentation shows, and what is read of it.

import { describe, expect, it } from 'vitest';
import { DEFAULT_MASKING } from '../masking/masker.ts';
import { createMaskers } from '../masking/maskers.ts';
import { CHANGE_ADAPTERS } from './adapters.ts';
import { readChanges } from './readChange.ts';
import { CHANGE_SOURCE_NAMES } from './sourceNames.ts';

const masker = createMaskers({ rules: DEFAULT_MASKING })('a'.repeat(32));
const AT = '2026-11-05T10:00:00.000Z';
const receivedAt = new Date('2026-11-05T10:01:00Z');

const read = (payload: unknown, attributes: Record<string, string> = {}) =>
  readChanges(payload === null ? Buffer.of() : Buffer.from(JSON.stringify(payload)), masker, {
    attributes,
    receivedAt,
  });

const asset = (image: string) => ({
  name: '//run.googleapis.com/projects/shop/locations/europe-west1/services/cart',
  assetType: 'run.googleapis.com/Service',
  resource: { data: { spec: { image }, status: { observed: image } } },
  updateTime: AT,
});
const application = {
  metadata: { name: 'checkout', namespace: 'argocd' },
  spec: {
    destination: { name: 'prod', namespace: 'shop' },
    source: { repoURL: 'https://github.com/acme/deploy' },
  },
  status: {
    operationState: {
      phase: 'Succeeded',
      startedAt: '2026-11-05T09:58:00Z',
      finishedAt: AT,
      syncResult: {
        revision: 'a1b2c3d4e5f6',
        resources: [{ kind: 'Deployment', namespace: 'shop', name: 'checkout' }],
      },
      operation: { initiatedBy: { username: 'ada' } },
    },
  },
};
const flag = {
  _id: '5f',
  kind: 'flag',
  name: 'New cart',
  date: Date.parse(AT),
  accesses: [],
  titleVerb: 'turned on the flag',
  member: { email: 'ada@example.com' },
  target: { resources: ['proj/shop:env/production:flag/new-cart'] },
  currentVersion: { environments: { production: { on: true, version: 4 } } },
  previousVersion: { environments: { production: { on: false, version: 3 } } },
};
const run = (notification: object) => ({
  payload_version: 1,
  run_id: 'run-1',
  run_url: 'https://app.terraform.io/app/acme/shop/runs/run-1',
  run_message: 'Raise memory',
  run_created_by: 'ada',
  workspace_name: 'shop',
  organization_name: 'acme',
  notifications: [notification],
});

/** Source, payload, attributes, and the fields of the change. */
const CHANGES: [source: string, payload: unknown, attributes: Record<string, string>, expected: object][] = [
  [
    'cloud-deploy',
    null,
    {
      ResourceType: 'Rollout',
      Action: 'Succeed',
      Resource: 'projects/1/locations/europe-west1/deliveryPipelines/cart/releases/r-7/rollouts/r-7-to-prod',
      DeliveryPipelineId: 'cart',
      ReleaseId: 'r-7',
      RolloutId: 'r-7-to-prod',
      TargetId: 'prod',
      Location: 'europe-west1',
    },
    {
      kind: 'deploy',
      status: 'done',
      resource: 'gcp:clouddeploy:1/europe-west1/cart',
      title: 'Rollout r-7-to-prod of r-7 to prod: Succeed',
    },
  ],
  [
    'cloud-build',
    {
      id: 'b-1',
      projectId: 'shop',
      status: 'SUCCESS',
      finishTime: AT,
      steps: [{ name: 'gcr.io/cloud-builders/gcloud', args: ['run', 'deploy', 'cart'] }],
      substitutions: { TRIGGER_NAME: 'cart-main', _SERVICE_NAME: 'cart', COMMIT_SHA: 'abc' },
    },
    { buildId: 'b-1', status: 'SUCCESS' },
    {
      kind: 'deploy',
      status: 'done',
      resource: 'gcp:cloudbuild:shop/-/cart',
      title: 'Build cart-main: SUCCESS',
    },
  ],
  [
    'gke',
    { note: 'Master is upgrading.' },
    {
      type_url: 'type.googleapis.com/google.container.v1beta1.UpgradeEvent',
      cluster_name: 'prod',
      cluster_location: 'europe-west1',
      project_id: 'shop',
      payload: JSON.stringify({
        resourceType: 'MASTER',
        operation: 'op-1',
        operationStartTime: AT,
        currentVersion: '1.33.1',
        targetVersion: '1.34.0',
      }),
    },
    {
      kind: 'upgrade',
      status: 'running',
      resource: 'gcp:container:shop/europe-west1/prod',
      before: '1.33.1',
      after: '1.34.0',
      at: new Date(AT),
    },
  ],
  [
    'asset-feed',
    { asset: asset('cart:2'), priorAsset: asset('cart:1'), window: { startTime: AT } },
    {},
    {
      kind: 'deploy',
      resource: 'gcp:run:shop/europe-west1/cart',
      before: '{"image":"cart:1"}',
      after: '{"image":"cart:2"}',
      actor: null,
      joins: 'audit-log',
    },
  ],
  [
    'google-incident',
    {
      logName: 'projects/shop/logs/servicehealth.googleapis.com%2Factivity',
      timestamp: AT,
      jsonPayload: {
        '@type': 'type.googleapis.com/google.cloud.servicehealth.logging.v1.EventLog',
        name: 'projects/shop/locations/global/events/abc',
        title: 'Cloud SQL: connection failures',
        detailedState: 'CONFIRMED',
        impactedProducts: ['Cloud SQL'],
        impactedLocations: ['europe-west1'],
        startTime: AT,
      },
    },
    {},
    {
      kind: 'provider',
      status: 'running',
      resource: 'gcp:incident:-/europe-west1/Cloud%20SQL',
      title: 'Google: Cloud SQL: connection failures (CONFIRMED)',
    },
  ],
  [
    'gitlab',
    {
      object_kind: 'deployment',
      status: 'success',
      deployment_id: 15,
      environment: 'production',
      short_sha: '279484c0',
      commit_title: 'Add cart',
      status_changed_at: '2026-11-05 12:00:00 +0200',
      user: { username: 'ada' },
      project: { path_with_namespace: 'acme/sub/cart' },
    },
    { 'x-gitlab-event': 'Deployment Hook' },
    { kind: 'deploy', status: 'done', resource: 'git:acme%2Fsub/cart', actor: 'ada', at: new Date(AT) },
  ],
  [
    'argocd',
    { app: application },
    {},
    {
      kind: 'deploy',
      status: 'done',
      resource: 'k8s:prod/shop/Application/checkout',
      actor: 'ada',
      at: new Date(AT),
      scopes: expect.arrayContaining([
        'k8s:prod/shop/Deployment/checkout',
        'namespace:shop',
        'name:checkout',
      ]),
    },
  ],
  [
    'argo-rollouts',
    {
      rollout: {
        kind: 'Rollout',
        metadata: { name: 'cart', namespace: 'shop', uid: 'u' },
        spec: { template: { spec: { containers: [{ image: 'cart:2' }] } } },
        status: {
          phase: 'Healthy',
          currentPodHash: 'h2',
          stableRS: 'h1',
          conditions: [{ type: 'Progressing', lastUpdateTime: AT }],
        },
      },
    },
    {},
    {
      kind: 'deploy',
      status: 'done',
      resource: 'k8s:-/shop/Rollout/cart',
      at: new Date(AT),
      scopes: expect.arrayContaining(['k8s:-/shop/Deployment/cart']),
    },
  ],
  [
    'flux',
    {
      involvedObject: {
        kind: 'HelmRelease',
        namespace: 'shop',
        name: 'cart',
        apiVersion: 'helm.toolkit.fluxcd.io/v2',
      },
      severity: 'error',
      timestamp: AT,
      message: 'Helm upgrade failed',
      reason: 'UpgradeFailed',
      metadata: { revision: '1.2.3' },
      reportingController: 'helm-controller',
    },
    {},
    {
      kind: 'deploy',
      status: 'attempted',
      resource: 'k8s:-/shop/HelmRelease/cart',
      after: '1.2.3',
      at: new Date(AT),
    },
  ],
  [
    'cdevents',
    {
      context: {
        version: '0.4.1',
        id: 'e-1',
        source: '/ci',
        type: 'dev.cdevents.service.upgraded.0.2.0',
        timestamp: AT,
      },
      subject: { id: 'cart', content: { environment: { id: 'prod' }, artifactId: 'pkg:oci/cart@sha256:1' } },
    },
    {},
    {
      kind: 'deploy',
      resource: 'service:cart',
      title: 'service cart was upgraded in prod',
      at: new Date(AT),
    },
  ],
  [
    'launchdarkly',
    flag,
    {},
    {
      kind: 'flag',
      resource: 'flag:new-cart',
      title: 'turned on the flag New cart in production',
      actor: 'ada@example.com',
      before: '{"on":false,"version":3}',
      after: '{"on":true,"version":4}',
      at: new Date(AT),
    },
  ],
  [
    'unleash',
    {
      id: 9,
      type: 'feature-environment-enabled',
      createdBy: 'ada',
      createdAt: AT,
      environment: 'production',
      project: 'default',
      featureName: 'new-cart',
      data: null,
      preData: null,
    },
    {},
    {
      kind: 'flag',
      resource: 'flag:new-cart',
      title: 'feature environment enabled: new-cart in production (default)',
      at: new Date(AT),
    },
  ],
  [
    'terraform-cloud',
    run({ trigger: 'run:completed', run_status: 'applied', run_updated_at: AT }),
    {},
    {
      kind: 'config',
      status: 'done',
      resource: 'service:shop',
      title: 'Terraform run of acme/shop: Raise memory',
      actor: 'ada',
      at: new Date(AT),
    },
  ],
  [
    'audit-log',
    {
      insertId: 'i',
      logName: 'projects/shop/logs/cloudaudit.googleapis.com%2Factivity',
      timestamp: AT,
      protoPayload: {
        '@type': 'type.googleapis.com/google.cloud.audit.AuditLog',
        serviceName: 'k8s.io',
        methodName: 'io.k8s.core.v1.secrets.create',
        resourceName: 'core/v1/namespaces/shop/secrets/sh.helm.release.v1.cart.v12',
        authenticationInfo: { principalEmail: 'ada@example.com' },
      },
      resource: { type: 'k8s_cluster', labels: { cluster_name: 'prod', project_id: 'shop' } },
    },
    {},
    { kind: 'deploy', resource: 'k8s:prod/shop/HelmRelease/cart', title: 'Helm release cart, revision 12' },
  ],
  [
    'audit-log',
    {
      insertId: 'i',
      logName: 'projects/shop/logs/cloudaudit.googleapis.com%2Factivity',
      timestamp: AT,
      protoPayload: {
        '@type': 'type.googleapis.com/google.cloud.audit.AuditLog',
        serviceName: 'cloudresourcemanager.googleapis.com',
        methodName: 'SetIamPolicy',
        resourceName: 'projects/shop',
        authenticationInfo: { principalEmail: 'ada@example.com' },
        serviceData: {
          policyDelta: { bindingDeltas: [{ action: 'REMOVE', role: 'roles/cloudsql.client' }] },
        },
      },
      resource: { type: 'project', labels: { project_id: 'shop' } },
    },
    {},
    {
      kind: 'iam',
      actor: 'ada@example.com',
      after: '[{"action":"REMOVE","role":"roles/cloudsql.client"}]',
      scopes: expect.arrayContaining(['project:shop']),
    },
  ],
  [
    'json',
    { changes: [{ id: 1, service: 'cart', title: 'Bumped the pool', kind: 'config', at: AT }] },
    {},
    { kind: 'config', resource: 'service:cart', at: new Date(AT) },
  ],
];

it.each(CHANGES)('reads a change of %s', (source, payload, attributes, expected) => {
  const reading = read(payload, attributes);
  expect(reading).toMatchObject({ source, ignored: null, changes: [expected] });
});

const rollout = (change: object) => ({
  ResourceType: 'Rollout',
  Resource: 'projects/7/locations/eu/deliveryPipelines/cart/releases/r-7/rollouts/r-7-to-prod',
  ...change,
});
const build = (change: object) => ({
  ...{ id: 'b-2', projectId: 'shop', logUrl: 'https://console.example.com/b-2', startTime: AT },
  steps: [{ name: 'gcr.io/cloud-builders/kubectl' }],
  ...change,
});
const upgrade = (state: string, type = 'UpgradeEvent') => ({
  type_url: `type.googleapis.com/google.container.v1.${type}`,
  ...{ cluster_name: 'prod', cluster_location: 'eu', project_id: 'shop' },
  payload: JSON.stringify({
    ...{ resourceType: 'NODE_POOL', resource: 'projects/1/nodePools/big', operation: 'op-2' },
    ...{ state, currentVersion: '1', targetVersion: '2', endTime: AT, operationStartTime: '2026-11-05' },
  }),
});
const feed = (name: string, assetType: string, change: object = {}, other: object = {}) => ({
  asset: { name, assetType, updateTime: AT, ...change },
  window: { startTime: '2026-11-05' },
  ...other,
});
const audit = (protoPayload: object, other: object = {}) => ({
  insertId: 'i',
  logName: 'projects/shop/logs/cloudaudit.googleapis.com%2Factivity',
  timestamp: AT,
  protoPayload: { authenticationInfo: { principalSubject: 'user:ada' }, ...protoPayload },
  ...other,
});
const onCluster = (resourceName: string, other: object = {}) =>
  audit(
    { serviceName: 'k8s.io', methodName: 'io.k8s.apps.v1.deployments.patch', resourceName, ...other },
    { resource: { type: 'k8s_cluster', labels: { cluster_name: 'prod', project_id: 'shop' } } },
  );
const hub = {
  full_name: 'acme/cart',
  node_id: 'R_1',
  default_branch: 'main',
  html_url: 'https://g.example/c',
};
const deployment = (state: string, change: object = {}) => ({
  repository: hub,
  deployment: {
    ...{ id: 3, sha: 'abc', ref: 'v2', environment: 'prod', task: 'deploy', creator: { login: 'ada' } },
    ...{ description: 'Raise memory', payload: { app: 'cart' }, updated_at: AT, ...change },
  },
  deployment_status: { state, created_at: AT, log_url: 'https://g.example/log' },
});
const lab = { path_with_namespace: 'acme/cart', default_branch: 'main', web_url: 'https://l.example/cart' };
const flags = (change: object) => ({ ...flag, ...change });
const toggle = (change: object) => ({
  ...{ id: 9, type: 'feature-created', createdBy: 'ada', createdAt: AT, featureName: 'cart', ...change },
});

/** Further forms as source, payload and attributes. The golden file has what is read of them. */
const FORMS: [source: string, payload: unknown, attributes?: Record<string, string>][] = [
  ['cloud-deploy', null, rollout({ Action: 'Start', RolloutType: 'ROLLBACK', ProjectNumber: '9' })],
  ['cloud-deploy', null, rollout({ Action: 'Failure', Target: 'prod', ReleaseId: 'r-7' })],
  ['cloud-deploy', null, rollout({ Action: 'Approve' })],
  ['cloud-build', build({ status: 'WORKING', images: ['cart:2'], finishTime: '2026-11-05T10:00:30Z' })],
  ['cloud-build', build({ status: 'FAILURE', substitutions: { REPO_NAME: 'cart', BRANCH_NAME: 'main' } })],
  ['cloud-build', build({ status: 'QUEUED' })],
  ['gke', null, upgrade('SUCCEEDED')],
  ['gke', null, upgrade('FAILED', 'UpgradeInfoEvent')],
  ['gke', null, upgrade('', 'SecurityBulletinEvent')],
  [
    'asset-feed',
    feed(
      '//container.googleapis.com/projects/shop/zones/eu-a/clusters/prod/k8s/namespaces/shop/apps/cart',
      'apps.k8s.io/Deployment',
    ),
  ],
  [
    'asset-feed',
    feed(
      '//container.googleapis.com/projects/shop/zones/eu-a/clusters/prod/k8s/rbac.authorization.k8s.io/clusterroles/ops',
      'rbac.authorization.k8s.io/ClusterRole',
      {},
      { deleted: true, priorAsset: { resource: { data: { rules: [1] } } } },
    ),
  ],
  [
    'asset-feed',
    feed('//sqladmin.googleapis.com/projects/shop/instances/orders', 'sqladmin.googleapis.com/Instance', {
      resource: { data: { settings: { tier: 'db-1' }, status: { a: 1 }, metadata: { b: 1 } } },
    }),
  ],
  [
    'asset-feed',
    feed('//secretmanager.googleapis.com/projects/shop/secrets/key', 'secretmanager.googleapis.com/Secret', {
      updateTime: undefined,
    }),
  ],
  [
    'asset-feed',
    feed('//cloudfunctions.googleapis.com/projects/shop/regions/eu/functions/cart', 'f/Function', {
      iamPolicy: { bindings: [{ role: 'roles/run.invoker' }] },
    }),
  ],
  [
    'google-incident',
    {
      logName: 'projects/shop/logs/servicehealth.googleapis.com%2Factivity',
      timestamp: AT,
      jsonPayload: {
        ...{ parentEvent: 'events/p', state: 'CLOSED', description: 'Fixed.' },
        impactedProducts: [{ productName: 'Cloud Run' }, { id: 'sql' }],
        impactedLocations: 'eu, us,',
      },
    },
  ],
  [
    'google-incident',
    { insertId: 'i-1', jsonPayload: { '@type': 'x.servicehealth.y', detailedState: 'FALSE_POSITIVE' } },
  ],
  ['audit-log', onCluster('apps/v1/namespaces/shop/deployments/cart')],
  ['audit-log', onCluster('apps/v1/namespaces/shop/deployments/cart/status')],
  [
    'audit-log',
    onCluster('apps/v1/namespaces/shop/deployments/cart', {
      authenticationInfo: { principalEmail: 'system:hpa' },
    }),
  ],
  ['audit-log', onCluster('coordination.k8s.io/v1/namespaces/shop/leases/cart')],
  ['audit-log', audit({ methodName: 'google.cloud.run.v2.Services.GetService', resourceName: 'x' })],
  ['audit-log', audit({}, { logName: 'projects/shop/logs/cloudaudit.googleapis.com%2Fdata_access' })],
  [
    'audit-log',
    audit(
      {
        ...{ serviceName: 'run.googleapis.com', methodName: 'google.cloud.run.v2.Services.UpdateService' },
        resourceName: 'projects/shop/locations/eu/services/cart',
        status: { code: 7, message: 'denied' },
        request: { updateMask: 'template', service: { template: { timeout: '5s' } } },
        resourceOriginalState: { timeout: '9s' },
      },
      {
        resource: { type: 'cloud_run_revision', labels: { service_name: 'cart', location: 'eu' } },
        operation: { id: 'op', first: true },
      },
    ),
  ],
  [
    'audit-log',
    audit(
      {
        serviceName: 'container.googleapis.com',
        methodName: 'google.container.v1.ClusterManager.SetNodePoolSize',
        resourceName: 'projects/shop/zones/eu-a/clusters/prod/nodePools/big',
      },
      {
        operation: { id: 'op', first: true, last: true },
        logName: 'folders/1/logs/cloudaudit.googleapis.com%2Factivity',
      },
    ),
  ],
  ['github', deployment('success'), { 'x-github-event': 'deployment_status' }],
  ['github', deployment('failure', { task: 'rollback', description: '', payload: {} })],
  ['github', deployment('inactive')],
  [
    'github',
    {
      repository: hub,
      ...{ ref: 'refs/heads/main', before: 'a', after: 'b', compare: 'https://g.example/a..b' },
      ...{ pusher: { name: 'ada' }, head_commit: { message: 'Bump\nmore', timestamp: AT }, commits: [1] },
    },
  ],
  ['github', { repository: hub, ref: 'refs/heads/x', commits: [] }],
  ['github', { repository: hub, ref: 'refs/heads/main', deleted: true, commits: [] }],
  [
    'github',
    {
      repository: hub,
      action: 'released',
      release: { id: 5, tag_name: 'v2', name: 'Carts', author: { login: 'ada' }, published_at: AT },
    },
  ],
  ['github', { repository: hub, action: 'edited', release: {} }],
  [
    'github',
    {
      repository: hub,
      action: 'completed',
      sender: { login: 'ada' },
      workflow_run: {
        ...{
          id: 8,
          name: 'Deploy',
          head_branch: 'main',
          head_sha: 'abc',
          conclusion: 'failure',
          event: 'push',
        },
        ...{ html_url: 'https://g.example/8', updated_at: AT },
      },
    },
  ],
  ['github', { repository: hub, action: 'requested', workflow_run: { name: 'Deploy' } }],
  ['github', { repository: hub, action: 'completed', workflow_run: { name: 'Test' } }],
  ['github', { repository: hub, zen: 'x' }, { 'x-github-event': 'ping' }],
  ['gitlab', { object_kind: 'deployment', project: lab, status: 'canceled' }],
  [
    'gitlab',
    {
      object_kind: 'deployment',
      project: lab,
      status: 'failed',
      deployment_id: 1,
      ref: 'v2',
      environment: 'prod',
      status_changed_at: '2026-11-05 10:00:00 UTC',
    },
  ],
  [
    'gitlab',
    {
      object_kind: 'deployment',
      project: lab,
      status: 'running',
      deployment_id: 2,
      short_sha: 'abc',
      environment: 'prod',
      deployable_url: 'https://l.example/1',
      status_changed_at: AT,
    },
  ],
  [
    'gitlab',
    {
      ...{
        object_kind: 'push',
        project: lab,
        ref: 'refs/heads/main',
        before: 'a',
        after: 'b',
        user_name: 'Ada',
      },
      commits: [{ message: 'First' }, { message: 'Bump\nmore', timestamp: AT }],
    },
  ],
  [
    'gitlab',
    {
      ...{ object_kind: 'push', project: lab, ref: 'refs/heads/main', before: 'b', after: 'c' },
      commits: [{ message: 'Only', timestamp: AT }],
    },
  ],
  [
    'gitlab',
    {
      ...{ object_kind: 'release', project: lab, action: 'create', id: 4, tag: 'v2', name: 'Carts' },
      ...{
        url: 'https://l.example/v2',
        released_at: '2026-11-05 10:00:00',
        commit: { author: { name: 'Ada' } },
      },
    },
  ],
  ['gitlab', { object_kind: 'release', project: lab, action: 'update' }],
  ['gitlab', { object_kind: 'note', project: lab }],
  ['argocd', { application: { metadata: { name: 'cart' }, spec: {} } }],
  [
    'argocd',
    {
      kind: 'Application',
      metadata: { name: 'cart' },
      spec: { destination: { server: 'in-cluster', namespace: 'shop' }, source: { path: 'cart' } },
      status: {
        history: [{ revision: 'old' }, { revision: 'new' }],
        operationState: {
          ...{
            phase: 'Failed',
            startedAt: AT,
            message: 'no quota',
            operation: { initiatedBy: { automated: true } },
          },
          syncResult: {
            resources: [
              { kind: 'Secret', name: 'key' },
              { kind: 'ConfigMap', namespace: 'shop', name: 'env' },
            ],
          },
        },
      },
    },
  ],
  [
    'argo-rollouts',
    {
      cluster: 'prod',
      kind: 'Rollout',
      metadata: { name: 'cart', creationTimestamp: AT },
      spec: {},
      status: {
        phase: 'Degraded',
        currentPodHash: 'h2',
        abort: true,
        conditions: [{ type: 'Progressing', message: 'timed out' }],
      },
    },
  ],
  [
    'argo-rollouts',
    {
      kind: 'Rollout',
      metadata: { name: 'cart' },
      spec: {},
      status: { phase: 'Progressing', currentPodHash: 'h3' },
    },
  ],
  [
    'flux',
    {
      ...{
        reportingController: 'k',
        involvedObject: { kind: 'Kustomization', name: 'apps', namespace: 'flux' },
      },
      ...{ severity: 'info', timestamp: AT, reason: 'ReconciliationSucceeded', metadata: { env: 'prod' } },
    },
  ],
  ['flux', { reportingController: 'k', involvedObject: { kind: 'HelmRelease' }, reason: 'Progressing' }],
  ['flux', { reportingController: 'k', involvedObject: { kind: 'GitRepository' } }],
  [
    'cdevents',
    {
      context: { type: 'dev.cdevents.environment.modified.0.1', id: 'e', timestamp: AT },
      subject: { id: 'a/prod' },
    },
  ],
  ['cdevents', { context: { type: 'dev.cdevents.artifact.packaged.0.1' } }],
  [
    'launchdarkly',
    flags({
      kind: 'segment',
      title: 'Ada changed it',
      member: {},
      token: { name: 'ci' },
      _links: { site: { href: '/x' } },
      target: { resources: ['proj/shop:segment/beta'] },
    }),
  ],
  ['launchdarkly', flags({ kind: 'member' })],
  [
    'launchdarkly',
    flags({
      accesses: undefined,
      _id: undefined,
      _links: { site: { href: 'https://x.example' } },
      previousVersion: {},
      target: {},
    }),
  ],
  ['unleash', toggle({ data: { on: true }, preData: { on: false } })],
  ['unleash', toggle({ type: 'feature-tagged' })],
  ['unleash', toggle({ type: 'segment-created', featureName: undefined })],
  ['terraform-cloud', run({ trigger: 'run:errored', run_status: 'errored', run_updated_by: 'bob' })],
  ['terraform-cloud', run({ trigger: 'run:applying', run_status: 'applying' })],
  [
    'json',
    [
      {
        app: 'cart',
        summary: 'A',
        status: 'failed',
        type: 'scale',
        from: 1,
        to: 2,
        by: 'ada',
        link: 'https://x.example',
        time: AT,
      },
      { app: 'cart' },
      { title: 'x' },
    ],
  ],
  [
    'json',
    {
      resource: 'k8s:prod/shop/Deployment/cart',
      title: 'B',
      status: 'running',
      kind: 'nosuch',
      date: Date.parse(AT),
    },
  ],
];

it('all of each change is read as recorded', async () => {
  const blocks = [...CHANGES, ...FORMS].map(([source, payload, attributes = {}]) => {
    const { reason, changes, ignored, ...reading } = read(payload, attributes);
    expect(reading.source).toBe(source);
    const input = { payload, attributes, receivedAt };
    const facts = CHANGE_ADAPTERS.find((adapter) => adapter.source === source)?.read(input);
    const ids = Array.isArray(facts) ? facts.map(({ sourceId }) => sourceId) : [];
    const texts = changes.map(({ key, ...change }) =>
      Object.entries(change)
        .filter(([name, value]) => value !== null && name !== 'source')
        .map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`)
        .join('\n'),
    );
    const all = [`${source}: ${reason}`, ...ids.map((id) => `id at the source: ${id}`), ...texts];
    return [...all, ...(ignored === null ? [] : [`ignored: ${ignored}`])].join('\n');
  });
  // `npx vitest run FILE -u` writes the file: look at its difference.
  await expect(`${blocks.join('\n\n')}\n`).toMatchFileSnapshot('readings.txt');
});

it('has a message of each source here or in a test with its real payloads', () => {
  const tested = new Set([...CHANGES.map(([source]) => source), 'github']);
  expect(CHANGE_ADAPTERS.map(({ source }) => source).filter((source) => !tested.has(source))).toEqual([]);
});

it('a change without a time has that of its message, also when that is delivered late', () => {
  const bytes = Buffer.from(JSON.stringify({ resource: 'cart', title: 'Bumped the pool' }));
  const now = new Date(receivedAt.getTime() + 3_600_000);
  expect(readChanges(bytes, masker, { receivedAt, now }).changes).toMatchObject([{ at: receivedAt }]);
});

it('every adapter has a name for people, and every name an adapter', () => {
  expect(Object.keys(CHANGE_SOURCE_NAMES)).toEqual(CHANGE_ADAPTERS.map(({ source }) => source));
});

describe('a message without a change is ignored with a reason', () => {
  it.each<[string, unknown, Record<string, string>, RegExp]>([
    [
      'a push to another branch',
      {
        object_kind: 'push',
        ref: 'refs/heads/x',
        project: { path_with_namespace: 'a/b', default_branch: 'main' },
      },
      {},
      /not the default branch/,
    ],
    ['a request that verifies an address', run({ trigger: 'verification' }), {}, /verifies the address/],
    ['a planned run', run({ trigger: 'run:planning', run_status: 'planning' }), {}, /a run is planning/],
    [
      'a build without a deployment',
      { id: 'b', projectId: 'p', status: 'SUCCESS', steps: [{ name: 'npm', args: ['test'] }] },
      {},
      /deploys nothing/,
    ],
    [
      'a feed in which only the status changed',
      { asset: asset('cart:1'), priorAsset: asset('cart:1'), window: {} },
      {},
      /only its status/,
    ],
    [
      'a release that is rendered',
      null,
      { ResourceType: 'Release', Action: 'Create', Resource: 'projects/1/x' },
      /nothing rolled out/,
    ],
    [
      'a tag of GitHub',
      { ref: 'refs/tags/v1', repository: { full_name: 'a/b' } },
      { 'x-github-event': 'push' },
      /its release is the change/,
    ],
  ])('%s', (_, payload, attributes, reason) => {
    expect(read(payload, attributes)).toMatchObject({ changes: [], ignored: expect.stringMatching(reason) });
  });
});

it('bounds hostile fields: lengths, links, times in the future and names of prototypes', () => {
  const long = 'x'.repeat(50_000);
  const { changes } = read({
    resource: '__proto__',
    title: long,
    actor: long,
    before: long,
    after: { [long]: long },
    url: 'javascript:alert(1)',
    at: '2099-01-01T00:00:00Z',
    kind: 'constructor',
    status: 'toString',
  });
  const [change] = changes;
  expect(change).toMatchObject({
    resource: 'service:__proto__',
    kind: 'manual',
    status: 'done',
    url: null,
    at: receivedAt,
  });
  expect(JSON.stringify(change).length).toBeLessThan(6_000);
});
