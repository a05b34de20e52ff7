// The sources that can list their alerts.

import type { CatchUpSource } from '../../shared/config/catchUpFile.ts';
import { listAlertmanager } from './alertmanager.ts';
import { listCloudMonitoring } from './cloudMonitoring.ts';
import type { FoundAlert } from './foundAlert.ts';
import { listGrafana } from './grafana.ts';
import { listPagerDuty } from './pagerDuty.ts';

/** The alerts that fire at a source now. @throws Error with the cause and the fix. */
export function listFiring(source: CatchUpSource, signal: AbortSignal): Promise<FoundAlert[]> {
  switch (source.source) {
    case 'alertmanager':
      return listAlertmanager(source, signal);
    case 'grafana':
      return listGrafana(source, signal);
    case 'pagerduty':
      return listPagerDuty(source, signal);
    case 'cloud-monitoring':
      return listCloudMonitoring(source, signal);
  }
}
