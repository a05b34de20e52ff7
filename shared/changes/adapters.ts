// All change adapters, and so the sources of changes. The generic one is last: it reads all the rest.

import type { ChangeAdapter } from './adapter.ts';
import { auditLog } from './adapters/auditLog.ts';
import { launchDarkly, unleash } from './adapters/flags.ts';
import { generic } from './adapters/generic.ts';
import { github } from './adapters/github.ts';
import { gitlab } from './adapters/gitlab.ts';
import { argoCd, argoRollouts, flux } from './adapters/gitops.ts';
import { assetFeed, cloudBuild, cloudDeploy, gke, googleIncident } from './adapters/googleEvents.ts';
import { cdEvents, terraformCloud } from './adapters/pipelines.ts';

/** Tried in this order; the first that recognises a payload reads it. */
export const CHANGE_ADAPTERS: readonly ChangeAdapter[] = [
  auditLog,
  assetFeed,
  cloudDeploy,
  cloudBuild,
  gke,
  googleIncident,
  github,
  gitlab,
  argoRollouts,
  argoCd,
  flux,
  cdEvents,
  launchDarkly,
  unleash,
  terraformCloud,
  generic,
];
