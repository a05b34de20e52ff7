// Cloud Monitoring: `projects.alerts.list` (v3), roles/monitoring.alertViewer. Not tried on Google Cloud.

import * as z from 'zod';
import type { CatchUpSource } from '../../../../shared/config/catchUpFile.ts';
import { parseAs } from '../../../../shared/text/zodIssues.ts';
import { GoogleApiError, openGoogleApi } from '../../../google/googleApi.ts';
import type { FiringAlert } from './firingAlert.ts';

const labels = z.record(z.string(), z.string());
const alertSchema = z.looseObject({
  name: z.string(),
  openTime: z.iso.datetime({ offset: true }),
  resource: z.looseObject({ type: z.string().optional(), labels: labels.optional() }).optional(),
  metric: z.looseObject({ type: z.string().optional(), labels: labels.optional() }).optional(),
  metadata: z.looseObject({ userLabels: labels.optional() }).optional(),
  policy: z
    .looseObject({
      name: z.string().optional(),
      displayName: z.string().optional(),
      severity: z.string().optional(),
      userLabels: labels.optional(),
    })
    .optional(),
});

const SEVERITIES: Readonly<Record<string, string>> = {
  CRITICAL: 'Critical',
  ERROR: 'Error',
  WARNING: 'Warning',
};

/** The open alerts, as notifications of version 1.2. The id of an alert is that of its incident. */
export async function listCloudMonitoring(
  { project, url }: Extract<CatchUpSource, { source: 'cloud-monitoring' }>,
  signal: AbortSignal,
): Promise<FiringAlert[]> {
  const filter = new URLSearchParams({ filter: 'state="OPEN"', pageSize: '1000' });
  const address = `${url.replace(/\/$/, '')}/v3/projects/${encodeURIComponent(project)}/alerts?${filter}`;
  const listed = await openGoogleApi(project, signal)
    .list<unknown>(address, 'alerts')
    .catch((error: unknown) => {
      if (!(error instanceof GoogleApiError && error.status === 403)) throw error;
      const fix = `give the caller roles/monitoring.alertViewer in project ${project}`;
      throw new Error(`${error.message}; ${fix}`, { cause: error });
    });
  return listed.map((value): FiringAlert => {
    const {
      name,
      openTime,
      resource = {},
      metric = {},
      metadata = {},
      policy = {},
    } = parseAs(alertSchema, value, `${url}: an alert`);
    const id = name.split('/').at(-1) ?? name;
    const startedAt = new Date(openTime);
    const incident = {
      incident_id: id,
      scoping_project_id: project,
      state: 'open',
      ended_at: null,
      started_at: Math.floor(startedAt.getTime() / 1000),
      url: `https://console.cloud.google.com/monitoring/alerting/alerts/${id}?project=${project}`,
      severity: SEVERITIES[policy.severity ?? ''] ?? 'No severity',
      policy_name: policy.displayName ?? policy.name ?? '',
      policy_user_labels: policy.userLabels ?? {},
      resource: { type: resource.type ?? '', labels: resource.labels ?? {} },
      metric: { type: metric.type ?? '', labels: metric.labels ?? {} },
      metadata: { user_labels: metadata.userLabels ?? {} },
    };
    return { payload: { version: '1.2', incident }, startedAt, title: incident.policy_name };
  });
}
