// Prometheus Alertmanager: webhook payloads version 4 and 3, and bare lists of alerts, as Prometheus sends
// them and as the API of either lists them.

import { asArray, asObject, isObject } from '../../text/json.ts';
import type { AlertAdapter } from '../fields/adapter.ts';
import { readPrometheusGroup } from './prometheusGroup.ts';

/** The identity of a group is its key, which stays the same while alerts join and leave it. */
export const alertmanager: AlertAdapter = {
  source: 'alertmanager',
  recognise({ payload }) {
    if (isBareList(payload)) return 'a list of alerts with labels and startsAt';
    const { version, orgId, groupKey, receiver, data, status, alerts } = asObject(payload);
    if (status === 'success' && isBareList(listIn(data))) {
      return 'an answer of the alerts API: status success, alerts in data';
    }
    // Grafana sends a payload of the same family, with an organisation.
    if (orgId !== undefined || !Array.isArray(alerts)) return undefined;
    if (version === '4' && typeof groupKey === 'string') return 'version is 4, with groupKey and alerts';
    if (version === '3' && (groupKey !== undefined || receiver !== undefined)) {
      return 'version is 3, with receiver and alerts';
    }
    return undefined;
  },
  read(fields, { payload, receivedAt }) {
    const { alerts, data } = asObject(payload);
    if (Array.isArray(alerts)) {
      const facts = readPrometheusGroup(fields, 'alerts');
      return { ...facts, title: facts.title ?? 'Alertmanager notification' };
    }
    if (Array.isArray(payload)) return readPrometheusGroup(fields, '', receivedAt);
    // The status of the API response is not the status of the alerts.
    const inner = fields.within('data');
    return readPrometheusGroup(inner, Array.isArray(data) ? '' : 'alerts', receivedAt);
  },
};

/** `data` is the list itself in Alertmanager, and holds it in Prometheus. */
function listIn(data: unknown): unknown {
  return Array.isArray(data) ? data : asObject(data).alerts;
}

function isBareList(value: unknown): boolean {
  return asArray(value).length > 0 && asArray(value).every(isBareAlert);
}

function isBareAlert(value: unknown): boolean {
  if (!isObject(value) || !isObject(value.labels)) return false;
  const begins = typeof value.startsAt === 'string' || typeof value.activeAt === 'string';
  return (
    begins && ['annotations', 'endsAt', 'generatorURL', 'value'].some((key) => Object.hasOwn(value, key))
  );
}
