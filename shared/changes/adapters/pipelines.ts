// Pipelines of no single product: CDEvents, and runs of Terraform Cloud.

import { firstText } from '../../alerts/fields/fields.ts';
import { asArray, asObject, asText } from '../../text/json.ts';
import { type ChangeAdapter, type ChangeKind, named } from '../adapter.ts';

/** Predicates of a service, environment or artifact that change what runs. */
const CDEVENT = /^dev\.cdevents\.(service|environment|artifact|testcaserun|pipelinerun)\.([a-z]+)/;
const DEPLOYS = new Set(['deployed', 'upgraded', 'rolledback', 'removed', 'published']);

/** https://cdevents.dev/docs: `context` and `subject`, alone or as the data of a CloudEvent. */
export const cdEvents: ChangeAdapter = {
  source: 'cdevents',
  recognise: ({ payload }) =>
    CDEVENT.test(String(asObject(asObject(payload).context).type))
      ? 'context.type is one of CDEvents'
      : undefined,
  read({ payload }) {
    const { context, subject } = asObject(payload);
    const { id, type, timestamp, source } = asObject(context);
    const [, object = '', predicate = ''] = CDEVENT.exec(String(type)) ?? [];
    if (
      !(object === 'service' && DEPLOYS.has(predicate)) &&
      !(object === 'environment' && predicate === 'modified')
    )
      return { ignored: `the event ${object} ${predicate}` };
    const { id: subjectId, content } = asObject(subject);
    const { environment, artifactId } = asObject(content);
    const name = asText(subjectId) ?? object;
    const where = firstText(asObject(environment), 'id', 'name');
    return [
      {
        sourceId: `event ${id}`,
        kind: object === 'service' ? 'deploy' : 'config',
        resource: named('service', name.split('/').at(-1) ?? name),
        title: `${object} ${name} was ${predicate}${where === undefined ? '' : ` in ${where}`}`,
        actor: asText(source),
        after: artifactId ?? undefined,
        at: timestamp,
      },
    ];
  },
};

const ENDED: Readonly<Record<string, 'done' | 'attempted'>> = { applied: 'done', errored: 'attempted' };

/** https://developer.hashicorp.com/terraform/cloud-docs/workspaces/settings/notifications: applied runs. */
export const terraformCloud: ChangeAdapter = {
  source: 'terraform-cloud',
  recognise({ payload }) {
    const { payload_version, notifications } = asObject(payload);
    return payload_version !== undefined && Array.isArray(notifications)
      ? 'payload_version and notifications'
      : undefined;
  },
  read({ payload }) {
    const fields = asObject(payload);
    const [first] = asArray(fields.notifications).map(asObject);
    const { trigger, run_status, run_updated_at, run_updated_by, message } = first ?? {};
    if (trigger === 'verification') return { ignored: 'the request that verifies the address' };
    const status = Object.hasOwn(ENDED, String(run_status))
      ? ENDED[String(run_status)]
      : run_status === 'applying'
        ? 'running'
        : undefined;
    if (status === undefined) return { ignored: `a run is ${run_status}` };
    const { run_id, run_url, run_message, run_created_by, workspace_name, organization_name } = fields;
    const kind: ChangeKind = 'config';
    return [
      {
        sourceId: `run ${run_id}`,
        kind,
        status,
        resource: named('service', String(workspace_name)),
        title: `Terraform run of ${organization_name}/${workspace_name}: ${run_message ?? message ?? run_status}`,
        actor: asText(run_created_by) ?? asText(run_updated_by),
        url: asText(run_url),
        at: run_updated_at,
      },
    ];
  },
};
