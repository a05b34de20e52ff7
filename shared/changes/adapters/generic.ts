// Generic JSON: changes of own tools, in the fields that shared/features/changes/README.md lists.

import { firstText } from '../../alerts/fields/fields.ts';
import { asArray, asObject, asText } from '../../text/json.ts';
import { parseResource } from '../../text/resource.ts';
import { type ChangeAdapter, type ChangeFacts, named } from '../adapter.ts';
import { CHANGE_KINDS, CHANGE_STATUSES } from '../change.ts';

/** Changes of one message. */
const MAX_CHANGES = 100;

function readOne(value: unknown): ChangeFacts[] {
  const fields = asObject(value);
  const target = firstText(fields, 'resource', 'service', 'component', 'workload', 'application', 'app');
  const title = firstText(fields, 'title', 'summary', 'message', 'description', 'name');
  if (target === undefined || title === undefined) return [];
  const kind = asText(fields.kind) ?? asText(fields.type);
  const status = asText(fields.status);
  const resource = parseResource(target) === undefined ? named('service', target) : target;
  const at = fields.at ?? fields.time ?? fields.timestamp ?? fields.date;
  return [
    {
      sourceId: firstText(fields, 'id', 'changeId') ?? `${target} ${title} ${String(at)}`,
      kind: CHANGE_KINDS.find((one) => one === kind) ?? 'manual',
      status: CHANGE_STATUSES.find((one) => one === status) ?? (status === 'failed' ? 'attempted' : 'done'),
      resource,
      title,
      at,
      actor: firstText(fields, 'actor', 'user', 'author', 'by'),
      before: fields.before ?? fields.from,
      after: fields.after ?? fields.to,
      url: firstText(fields, 'url', 'link'),
    },
  ];
}

export const generic: ChangeAdapter = {
  source: 'json',
  recognise({ payload }) {
    return listGenericChanges(payload).some((entry) => readOne(entry).length > 0)
      ? 'a title and a resource'
      : undefined;
  },
  read({ payload }) {
    return listGenericChanges(payload).slice(0, MAX_CHANGES).flatMap(readOne);
  },
};

const listGenericChanges = (payload: unknown): unknown[] => {
  const { changes } = asObject(payload);
  if (Array.isArray(payload)) return payload;
  return changes === undefined ? [payload] : asArray(changes);
};
