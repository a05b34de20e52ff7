# The schedule of the sweep.

resource "google_cloud_scheduler_job" "schedule" {
  for_each         = module.settings.schedules
  project          = module.settings.project
  region           = module.settings.region
  name             = each.value.name
  schedule         = each.value.schedule
  time_zone        = "Etc/UTC"
  attempt_deadline = each.value.deadline
  # The next minute is the retry.
  retry_config {
    retry_count = 0
  }
  http_target {
    uri         = each.value.url
    http_method = "POST"
    oidc_token {
      service_account_email = each.value.account
      audience              = each.value.url
    }
  }
  depends_on = [google_cloud_run_v2_service_iam_member.grant]
}
