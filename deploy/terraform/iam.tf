# Service accounts and rights. Each right is added to a policy on its own; rights of others stay as they are.

resource "google_service_account" "account" {
  for_each    = module.settings.accounts
  project     = module.settings.project
  account_id  = each.value.id
  description = each.value.description
  depends_on  = [google_project_service.api]
}

resource "google_project_iam_member" "grant" {
  for_each = module.settings.project_grants
  project  = each.value.project
  role     = each.value.role
  member   = each.value.member
  dynamic "condition" {
    for_each = each.value.conditions
    content {
      title      = condition.value.title
      expression = condition.value.expression
    }
  }
  depends_on = [google_service_account.account]
}

resource "google_pubsub_topic_iam_member" "grant" {
  for_each   = module.settings.topic_grants
  project    = module.settings.project
  topic      = google_pubsub_topic.topic[each.value.topic].name
  role       = each.value.role
  member     = each.value.member
  depends_on = [google_service_account.account, google_project_service_identity.agent]
}

resource "google_pubsub_subscription_iam_member" "grant" {
  for_each     = module.settings.subscription_grants
  project      = module.settings.project
  subscription = google_pubsub_subscription.subscription[each.value.subscription].name
  role         = each.value.role
  member       = each.value.member
  depends_on   = [google_project_service_identity.agent]
}

resource "google_secret_manager_secret_iam_member" "grant" {
  for_each   = module.settings.secret_grants
  secret_id  = each.value.secret
  role       = each.value.role
  member     = each.value.member
  depends_on = [google_service_account.account, google_secret_manager_secret.secret]
}

resource "google_cloud_run_v2_service_iam_member" "grant" {
  for_each   = module.settings.service_grants
  project    = module.settings.project
  location   = module.settings.region
  name       = google_cloud_run_v2_service.service[each.value.service].name
  role       = each.value.role
  member     = each.value.member
  depends_on = [google_service_account.account, google_project_service_identity.agent]
}

resource "google_iap_web_cloud_run_service_iam_member" "grant" {
  for_each               = module.settings.iap_grants
  project                = module.settings.project
  location               = module.settings.region
  cloud_run_service_name = google_cloud_run_v2_service.service[each.value.service].name
  role                   = each.value.role
  member                 = each.value.member
}

# A new right takes effect after about a minute. A revision that reads its secrets earlier does not start. A changed right replaces
# this resource, so that the services wait again.
resource "time_sleep" "grants" {
  create_duration = "60s"
  triggers        = module.settings.grants_wait_triggers
  depends_on = [
    google_project_iam_member.grant,
    google_pubsub_topic_iam_member.grant,
    google_secret_manager_secret_iam_member.grant,
  ]
}
