// GitHub: the events deployment_status, deployment, push, release and workflow_run of its webhooks.

import { firstText } from '../../alerts/fields/fields.ts';
import { asArray, asObject, asText } from '../../text/json.ts';
import { type ChangeAdapter, type ChangeFacts, named, type ReadChanges, repository } from '../adapter.ts';

const EVENT = 'x-github-event';

type Payload = Record<string, unknown>;
type Reader = (payload: Payload, repo: string) => ReadChanges;

const login = (value: unknown): string | undefined => firstText(asObject(value), 'login', 'name');

/** A deployment and its states are one change, with the id of the deployment. */
function readDeployment(payload: Payload, repo: string): ReadChanges {
  const {
    id,
    sha,
    ref,
    environment,
    task,
    description,
    creator,
    payload: own,
  } = asObject(payload.deployment);
  const status = asObject(payload.deployment_status);
  const state = asText(status.state);
  if (state === 'inactive') return { ignored: 'a newer deployment replaced this one' };
  const service = firstText(asObject(own), 'service', 'app');
  const facts: ChangeFacts = {
    sourceId: `deployment ${id}`,
    kind: 'deploy',
    status: toDeploymentState(state),
    resource: repository(repo),
    title: `${task === 'deploy' || task === undefined ? 'Deployment' : task} of ${ref ?? sha} to ${environment ?? 'production'}${text(description)}`,
    actor: login(status.creator) ?? login(creator),
    after: { ref, sha, environment },
    url:
      firstText(status, 'target_url', 'log_url', 'environment_url') ??
      firstText(asObject(payload.repository), 'html_url'),
    at: status.updated_at ?? status.created_at ?? asObject(payload.deployment).updated_at,
    affects: service === undefined ? [] : [named('service', service)],
  };
  return [facts];
}

function toDeploymentState(state: string | undefined): 'done' | 'running' | 'attempted' {
  if (state === 'success') return 'done';
  return state === 'failure' || state === 'error' ? 'attempted' : 'running';
}

const text = (value: unknown): string =>
  typeof value === 'string' && value.trim() !== '' ? `: ${value}` : '';

function readGithubPush(
  { ref, before, after, compare, pusher, sender, head_commit, commits, deleted, repository: repo }: Payload,
  name: string,
): ReadChanges {
  const branch = asText(ref)?.replace(/^refs\/heads\//, '');
  if (branch === undefined || branch.startsWith('refs/'))
    return { ignored: 'a tag: its release is the change' };
  if (deleted === true) return { ignored: 'a deleted branch' };
  const main = firstText(asObject(repo), 'default_branch', 'master_branch') ?? 'main';
  if (branch !== main) return { ignored: `a push to ${branch}, which is not the default branch` };
  const head = asObject(head_commit);
  const count = asArray(commits).length;
  return [
    {
      sourceId: `push ${after}`,
      kind: 'config',
      resource: repository(name),
      title: `${count || 'No'} ${count === 1 ? 'commit' : 'commits'} on ${branch}${text(asText(head.message)?.split('\n')[0])}`,
      actor: login(sender) ?? login(pusher),
      before,
      after,
      url: asText(compare),
      at: head.timestamp,
    },
  ];
}

function readRelease({ action, release: value }: Payload, repo: string): ReadChanges {
  if (action !== 'published' && action !== 'released') return { ignored: `a release was ${action}` };
  const { id, tag_name, name, html_url, author, published_at, target_commitish } = asObject(value);
  return [
    {
      sourceId: `release ${id}`,
      kind: 'deploy',
      resource: repository(repo),
      title: `Release ${tag_name}${name === tag_name ? '' : text(name)}`,
      actor: login(author),
      after: { tag: tag_name, target: target_commitish },
      url: asText(html_url),
      at: published_at,
    },
  ];
}

function workflowRun({ action, workflow_run, sender }: Payload, repo: string): ReadChanges {
  const run = asObject(workflow_run);
  const { id, name, head_branch, head_sha, conclusion, html_url, updated_at, event } = run;
  if (!/deploy|release|rollout|publish/i.test(String(name)))
    return { ignored: 'a workflow that deploys nothing' };
  if (action !== 'completed') return { ignored: `a workflow was ${action}` };
  return [
    {
      sourceId: `workflow run ${id}`,
      kind: 'deploy',
      status: conclusion === 'success' ? 'done' : 'attempted',
      resource: repository(repo),
      title: `Workflow ${name} on ${head_branch} (${event}): ${conclusion}`,
      actor: login(run.actor) ?? login(sender),
      after: { branch: head_branch, sha: head_sha },
      url: asText(html_url),
      at: updated_at,
    },
  ];
}

const READERS: Readonly<Record<string, Reader>> = {
  deployment: readDeployment,
  deployment_status: readDeployment,
  push: readGithubPush,
  release: readRelease,
  workflow_run: workflowRun,
};

/** The event of a payload without the header, by its fields. */
function detectGithubEvent(payload: Payload): string | undefined {
  const by = ['deployment_status', 'deployment', 'release', 'workflow_run'].find((name) => name in payload);
  return by ?? ('commits' in payload && 'ref' in payload ? 'push' : undefined);
}

export const github: ChangeAdapter = {
  source: 'github',
  recognise({ payload, attributes }) {
    const event = attributes[EVENT];
    if (event !== undefined && attributes['x-gitlab-event'] === undefined)
      return `header X-GitHub-Event is ${event}`;
    const { repository: repo } = asObject(payload);
    const isGithub = typeof asObject(repo).full_name === 'string' && 'node_id' in asObject(repo);
    return isGithub ? 'repository.full_name and repository.node_id' : undefined;
  },
  read({ payload, attributes }) {
    const fields = asObject(payload);
    const event = attributes[EVENT] ?? detectGithubEvent(fields) ?? 'unknown';
    const reader = Object.hasOwn(READERS, event) ? READERS[event] : undefined;
    const name = asText(asObject(fields.repository).full_name);
    if (reader === undefined || name === undefined) return { ignored: `the event ${event}` };
    return reader(fields, name);
  },
};
