// GitLab: the webhooks Deployment Hook, Push Hook and Release Hook.
// https://docs.gitlab.com/user/project/integrations/webhook_events

import { firstText } from '../../alerts/fields/fields.ts';
import { asArray, asObject, asText } from '../../text/json.ts';
import { type ChangeAdapter, type ChangeFacts, type ReadChanges, repository } from '../adapter.ts';

type Payload = Record<string, unknown>;

function readDeployment(payload: Payload): Omit<ChangeFacts, 'resource'> | { ignored: string } {
  const {
    deployment_id,
    status,
    status_changed_at,
    environment,
    short_sha,
    ref,
    commit_title,
    user,
    deployable_url,
  } = payload;
  if (status === 'canceled' || status === 'blocked') return { ignored: `a deployment was ${status}` };
  return {
    sourceId: `deployment ${deployment_id}`,
    kind: 'deploy',
    status: status === 'success' ? 'done' : status === 'failed' ? 'attempted' : 'running',
    title: `Deployment of ${short_sha ?? ref} to ${environment}: ${commit_title ?? status}`,
    actor: firstText(asObject(user), 'username', 'name'),
    after: { ref, sha: short_sha, environment },
    url: asText(deployable_url),
    at: gitlabTime(status_changed_at),
  };
}

function readGitlabPush(payload: Payload): Omit<ChangeFacts, 'resource'> | { ignored: string } {
  const { ref, before, after, project, commits, user_username, user_name } = payload;
  const branch = String(ref).replace(/^refs\/heads\//, '');
  const { default_branch, web_url } = asObject(project);
  if (branch !== default_branch) return { ignored: `a push to ${branch}, which is not the default branch` };
  const list = asArray(commits).map(asObject);
  const last = list.at(-1) ?? {};
  return {
    sourceId: `push ${after}`,
    kind: 'config',
    title: `${list.length} ${list.length === 1 ? 'commit' : 'commits'} on ${branch}: ${asText(last.message)?.split('\n')[0] ?? after}`,
    actor: asText(user_username) ?? asText(user_name),
    before,
    after,
    url: `${web_url}/-/compare/${before}...${after}`,
    at: last.timestamp,
  };
}

function readRelease({
  action,
  id,
  tag,
  name,
  url,
  released_at,
  commit,
}: Payload): Omit<ChangeFacts, 'resource'> | { ignored: string } {
  if (action !== 'create') return { ignored: `a release was ${action}d` };
  const author = asObject(asObject(commit).author);
  return {
    sourceId: `release ${id}`,
    kind: 'deploy',
    title: `Release ${tag}: ${name}`,
    actor: asText(author.name),
    after: { tag },
    url: asText(url),
    at: gitlabTime(released_at),
  };
}

/** `2026-04-28 21:50:00 +0200` and `2026-11-05 10:00:00 UTC` in ISO 8601. */
function gitlabTime(value: unknown): string | undefined {
  const [, day, time, zone = 'Z'] = /^(\S+) (\S+?) ?(UTC|[+-]\d{4})?$/.exec(String(value)) ?? [];
  return day === undefined ? asText(value) : `${day}T${time}${zone === 'UTC' ? 'Z' : zone}`;
}

const READERS: Readonly<Record<string, typeof readDeployment>> = {
  deployment: readDeployment,
  push: readGitlabPush,
  release: readRelease,
};

export const gitlab: ChangeAdapter = {
  source: 'gitlab',
  recognise({ payload, attributes }) {
    const { object_kind, project } = asObject(payload);
    if (attributes['x-gitlab-event'] !== undefined)
      return `header X-Gitlab-Event is ${attributes['x-gitlab-event']}`;
    return typeof object_kind === 'string' && 'path_with_namespace' in asObject(project)
      ? 'object_kind and project.path_with_namespace'
      : undefined;
  },
  read({ payload }): ReadChanges {
    const fields = asObject(payload);
    const kind = String(fields.object_kind);
    const name = asText(asObject(fields.project).path_with_namespace);
    const reader = Object.hasOwn(READERS, kind) ? READERS[kind] : undefined;
    if (reader === undefined || name === undefined) return { ignored: `the event ${kind}` };
    const read = reader(fields);
    return 'ignored' in read ? read : [{ ...read, resource: repository(name) }];
  },
};
