// Names of topics, subscriptions, snapshots and schemas: `projects/PROJECT/topics/ID`.

import { invalid } from './errors.ts';

type ResourceKind = 'topics' | 'subscriptions' | 'snapshots' | 'schemas';

/** The topic of a subscription whose topic was deleted. No topic can have this name. */
export const DELETED_TOPIC = '_deleted-topic_';

// https://cloud.google.com/pubsub/docs/pubsub-basics#resource_names
const ID = /^(?!goog)[A-Za-z][\w.~+%-]{2,254}$/;

/**
 * Returns a name that is valid for this kind of resource.
 * @throws StatusError INVALID_ARGUMENT
 */
export function checkName(kind: ResourceKind, name: string | undefined): string {
  const [projects, project, kinds, id = '', ...rest] = (name ?? '').split('/');
  const isName = projects === 'projects' && project && kinds === kind && ID.test(id) && rest.length === 0;
  if (!isName) throw invalid(`Invalid [${kind}] name: (name=${name ?? ''})`);
  return name ?? '';
}

/** The project and the id of a checked name. */
export function splitResourceName(name: string): { project: string; id: string } {
  const [, project = '', , id = ''] = name.split('/');
  return { project, id };
}

/**
 * The range of names of a kind in `projects/PROJECT`, in byte order; `to` is exclusive.
 * @throws StatusError INVALID_ARGUMENT
 */
export function nameRange(kind: ResourceKind, project: string | undefined): { from: string; to: string } {
  if (!/^projects\/[^/]+$/.test(project ?? '')) {
    throw invalid(`Invalid [projects] name: (name=${project ?? ''})`);
  }
  // "0" comes right after "/".
  return { from: `${project}/${kind}/`, to: `${project}/${kind}0` };
}
