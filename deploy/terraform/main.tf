# All decisions are made in settings/, which needs no provider and is evaluated and tested offline. The other files copy its
# outputs into resources. `npm run update-terraform` writes this list.

module "settings" {
  source = "./settings"

  project                 = var.project
  project_number          = var.project_number
  region                  = var.region
  name                    = var.name
  tier                    = var.tier
  manifest                = var.manifest
  archive                 = var.archive
  deploy                  = var.deploy
  images                  = var.images
  firestore_indexes       = var.firestore_indexes
  firestore_rules         = var.firestore_rules
  firestore_location      = var.firestore_location
  database                = var.database
  delete_protection       = var.delete_protection
  skip_index_wait         = var.skip_index_wait
  topic_regions           = var.topic_regions
  secret_versions         = var.secret_versions
  secret_ids              = var.secret_ids
  environment             = var.environment
  vertex                  = var.vertex
  vertex_location         = var.vertex_location
  tool_roles              = var.tool_roles
  alert_publishers        = var.alert_publishers
  change_projects         = var.change_projects
  change_topics           = var.change_topics
  console_members         = var.console_members
  first_member            = var.first_member
  api_ingress             = var.api_ingress
  api_requests_per_minute = var.api_requests_per_minute
  network                 = var.network
  notification_email      = var.notification_email
  notification_channels   = var.notification_channels
  daily_tokens            = var.daily_tokens
  runbook                 = var.runbook
  budget                  = var.budget
  data_access_logs        = var.data_access_logs
  telemetry               = var.telemetry
  labels                  = var.labels
}
