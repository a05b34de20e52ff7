// Feature flags: LaunchDarkly and Unleash.

import { firstText } from '../../alerts/fields/fields.ts';
import { asArray, asObject, asText } from '../../text/json.ts';
import { type ChangeAdapter, named } from '../adapter.ts';

/** https://launchdarkly.com/docs/home/infrastructure/webhooks: unordered, so that `date` decides. */
export const launchDarkly: ChangeAdapter = {
  source: 'launchdarkly',
  recognise({ payload }) {
    const { _links, kind, date, accesses } = asObject(payload);
    return typeof kind === 'string' &&
      typeof date === 'number' &&
      (Array.isArray(accesses) || _links !== undefined)
      ? 'kind, date and accesses'
      : undefined;
  },
  read({ payload }) {
    const fields = asObject(payload);
    const {
      _id,
      kind,
      date,
      name,
      member,
      token,
      target,
      titleVerb,
      title,
      previousVersion,
      currentVersion,
    } = fields;
    if (kind !== 'flag' && kind !== 'segment') return { ignored: `a change of a ${kind}` };
    const path = asText(asArray(asObject(target).resources)[0]) ?? '';
    const key = /:(?:flag|segment)\/([^/:;]+)/.exec(path)?.[1] ?? asText(name) ?? 'flag';
    const environment = /:env\/([^/:;]+)/.exec(path)?.[1];
    const link = asText(asObject(asObject(fields._links).site).href);
    return [
      {
        sourceId: `entry ${_id ?? `${path} ${date}`}`,
        kind: 'flag',
        resource: named('flag', key),
        title: `${title ?? `${titleVerb ?? 'changed'} ${name ?? key}`}${environment === undefined ? '' : ` in ${environment}`}`,
        actor: firstText(asObject(member), 'email') ?? firstText(asObject(token), 'name'),
        before: stateIn(previousVersion, environment),
        after: stateIn(currentVersion, environment),
        url: link?.startsWith('/') === true ? `https://app.launchdarkly.com${link}` : link,
        at: date,
      },
    ];
  },
};

/** The targeting of an environment; the whole version where there is none. */
function stateIn(version: unknown, environment: string | undefined): unknown {
  const { environments, ...flag } = asObject(version);
  const own = environment === undefined ? undefined : asObject(environments)[environment];
  const { on, version: number, fallthrough, offVariation, rules } = asObject(own ?? flag);
  const state = { on, version: number, fallthrough, offVariation, rules };
  return Object.values(state).some((value) => value !== undefined) ? state : undefined;
}

/** https://docs.getunleash.io/integrations/webhook: the event as the default template sends it. */
export const unleash: ChangeAdapter = {
  source: 'unleash',
  recognise({ payload }) {
    const { type, createdBy, createdAt } = asObject(payload);
    return /^(?:feature|segment|change-request|strategy)-/.test(String(type)) &&
      createdBy !== undefined &&
      createdAt !== undefined
      ? 'type, createdBy and createdAt'
      : undefined;
  },
  read({ payload }) {
    const { id, type, createdBy, createdAt, featureName, environment, project, data, preData } =
      asObject(payload);
    const flag = asText(featureName);
    if (flag === undefined || /tagged|stale|metadata|favorited|imported/.test(String(type)))
      return { ignored: `the event ${type}` };
    const where = environment ? ` in ${environment}` : '';
    return [
      {
        sourceId: `event ${id}`,
        kind: 'flag',
        resource: named('flag', flag),
        title: `${String(type).replaceAll('-', ' ')}: ${flag}${where}${project ? ` (${project})` : ''}`,
        actor: asText(createdBy),
        before: preData ?? undefined,
        after: data ?? undefined,
        at: createdAt,
      },
    ];
  },
};
