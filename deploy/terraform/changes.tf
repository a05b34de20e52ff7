# Sources of changes on Google Cloud.

resource "google_logging_project_sink" "changes" {
  for_each               = module.settings.change_sinks
  project                = each.key
  name                   = each.value.name
  description            = "Changes that Inquest shows before an alert."
  destination            = each.value.destination
  filter                 = each.value.filter
  unique_writer_identity = true
  depends_on             = [google_pubsub_topic.topic]
}

resource "google_pubsub_topic_iam_member" "sink" {
  for_each = module.settings.change_sinks
  project  = module.settings.project
  topic    = google_pubsub_topic.topic["changes"].name
  role     = "roles/pubsub.publisher"
  member   = google_logging_project_sink.changes[each.key].writer_identity
}

resource "google_pubsub_subscription" "changes" {
  for_each                   = module.settings.change_subscriptions
  project                    = module.settings.project
  name                       = each.value.name
  topic                      = each.key
  labels                     = module.settings.labels
  ack_deadline_seconds       = each.value.ack_deadline
  message_retention_duration = each.value.retention
  expiration_policy {
    ttl = ""
  }
  dynamic "push_config" {
    for_each = each.value.push
    content {
      push_endpoint = push_config.value.endpoint
      oidc_token {
        service_account_email = push_config.value.account
        audience              = push_config.value.audience
      }
    }
  }
  dynamic "retry_policy" {
    for_each = each.value.retry
    content {
      minimum_backoff = retry_policy.value.minimum
      maximum_backoff = retry_policy.value.maximum
    }
  }
  depends_on = [google_service_account.account, google_cloud_run_v2_service_iam_member.grant]
}
