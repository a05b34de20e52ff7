# Topics and their subscriptions.

resource "google_pubsub_topic" "topic" {
  for_each = module.settings.topics
  project  = module.settings.project
  name     = each.value.name
  labels   = module.settings.labels
  message_storage_policy {
    allowed_persistence_regions = each.value.regions
  }
  depends_on = [google_project_service.api]
}

resource "google_pubsub_subscription" "subscription" {
  for_each                   = module.settings.subscriptions
  project                    = module.settings.project
  name                       = each.value.name
  topic                      = each.value.topic_path
  labels                     = module.settings.labels
  ack_deadline_seconds       = each.value.ack_deadline
  message_retention_duration = each.value.retention
  # Never: by default a subscription is deleted after 31 days without a message.
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
  dynamic "dead_letter_policy" {
    for_each = each.value.dead_letters
    content {
      dead_letter_topic     = google_pubsub_topic.topic[dead_letter_policy.value.topic].id
      max_delivery_attempts = dead_letter_policy.value.attempts
    }
  }
  # A push to a service that does not exist, or that the account cannot call, uses up an attempt.
  depends_on = [google_pubsub_topic.topic, google_service_account.account, google_cloud_run_v2_service_iam_member.grant]
}
