// The sources of changes and their names, apart from the adapters: an agent's search reads no messages.

/** The names for people of the sources, by their id. */
export const CHANGE_SOURCE_NAMES: Readonly<Record<string, string>> = {
  'audit-log': 'Cloud Audit Logs',
  'asset-feed': 'asset feed',
  'cloud-deploy': 'Cloud Deploy',
  'cloud-build': 'Cloud Build',
  gke: 'GKE notifications',
  'google-incident': 'Google Cloud incidents',
  github: 'GitHub',
  gitlab: 'GitLab',
  'argo-rollouts': 'Argo Rollouts',
  argocd: 'Argo CD',
  flux: 'Flux and Helm',
  cdevents: 'CDEvents',
  launchdarkly: 'LaunchDarkly',
  unleash: 'Unleash',
  'terraform-cloud': 'Terraform Cloud',
  json: 'JSON',
};
