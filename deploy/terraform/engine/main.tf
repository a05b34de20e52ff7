# What a program on `inquest/engine` needs on Google Cloud, as its `agents.manifest` says. Not tried on Google Cloud yet.

module "settings" {
  source         = "./settings"
  project        = var.project
  project_number = var.project_number
  region         = var.region
  manifest       = var.manifest
  image          = var.image
  name           = var.name
  environment    = var.environment
  secrets        = var.secrets
  max_instances  = var.max_instances
}

resource "google_project_service" "api" {
  for_each           = module.settings.apis
  project            = module.settings.project
  service            = each.key
  disable_on_destroy = false
}

# The agent of Pub/Sub must exist before a right is granted to it.
resource "google_project_service_identity" "pubsub" {
  provider   = google-beta
  project    = module.settings.project
  service    = "pubsub.googleapis.com"
  depends_on = [google_project_service.api]
}

resource "google_service_account" "account" {
  for_each    = module.settings.accounts
  project     = module.settings.project
  account_id  = each.value.id
  description = each.value.description
  depends_on  = [google_project_service.api]
}

resource "google_project_iam_member" "grant" {
  for_each = module.settings.project_grants
  project  = module.settings.project
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

resource "google_firestore_database" "database" {
  project                 = module.settings.project
  name                    = module.settings.database
  location_id             = module.settings.region
  type                    = "FIRESTORE_NATIVE"
  delete_protection_state = "DELETE_PROTECTION_ENABLED"
  deletion_policy         = "ABANDON"
  depends_on              = [google_project_service.api]
}

resource "google_firestore_index" "index" {
  for_each    = module.settings.indexes
  project     = module.settings.project
  database    = google_firestore_database.database.name
  collection  = each.value.collection
  query_scope = each.value.scope
  dynamic "fields" {
    for_each = each.value.fields
    content {
      field_path   = fields.value.path
      order        = fields.value.order
      array_config = fields.value.array
    }
  }
}

resource "google_firestore_field" "field" {
  for_each   = module.settings.fields
  project    = module.settings.project
  database   = google_firestore_database.database.name
  collection = each.value.collection
  field      = each.value.field
  # Without indexes in it, the field has none.
  index_config {
    dynamic "indexes" {
      for_each = each.value.indexes
      content {
        query_scope  = indexes.value.scope
        order        = indexes.value.order
        array_config = indexes.value.array
      }
    }
  }
  dynamic "ttl_config" {
    for_each = each.value.expires
    content {}
  }
}

# Fields with settings of their own come first: they keep their indexes when the others lose theirs.
resource "google_firestore_field" "others" {
  for_each   = module.settings.other_fields
  project    = module.settings.project
  database   = google_firestore_database.database.name
  collection = each.value.collection
  field      = each.value.field
  index_config {}
  depends_on = [google_firestore_field.field]
}

resource "google_cloud_run_v2_service" "service" {
  for_each = module.settings.services
  project  = module.settings.project
  location = module.settings.region
  name     = each.value.name
  template {
    service_account                  = each.value.account
    timeout                          = each.value.timeout
    max_instance_request_concurrency = 1
    scaling {
      max_instance_count = each.value.max_instances
    }
    containers {
      image = each.value.image
      dynamic "env" {
        for_each = each.value.environment
        content {
          name  = env.key
          value = env.value
        }
      }
      dynamic "env" {
        for_each = each.value.secrets
        content {
          name = env.key
          value_source {
            secret_key_ref {
              secret  = env.value.secret
              version = env.value.version
            }
          }
        }
      }
    }
  }
  depends_on = [
    google_project_iam_member.grant,
    google_secret_manager_secret_iam_member.grant,
    google_firestore_index.index,
    google_firestore_field.others,
  ]
}

# Only Pub/Sub and the schedule call the services.
resource "google_cloud_run_v2_service_iam_member" "grant" {
  for_each   = module.settings.service_grants
  project    = module.settings.project
  location   = module.settings.region
  name       = google_cloud_run_v2_service.service[each.key].name
  role       = "roles/run.invoker"
  member     = each.value.member
  depends_on = [google_service_account.account]
}

resource "google_secret_manager_secret_iam_member" "grant" {
  for_each   = module.settings.secret_grants
  project    = module.settings.project
  secret_id  = each.key
  role       = "roles/secretmanager.secretAccessor"
  member     = each.value.member
  depends_on = [google_service_account.account]
}

resource "google_pubsub_topic" "topic" {
  for_each   = module.settings.topics
  project    = module.settings.project
  name       = each.key
  depends_on = [google_project_service.api]
}

resource "google_pubsub_topic_iam_member" "grant" {
  for_each   = module.settings.topic_grants
  project    = module.settings.project
  topic      = google_pubsub_topic.topic[each.value.topic].name
  role       = "roles/pubsub.publisher"
  member     = each.value.member
  depends_on = [google_service_account.account, google_project_service_identity.pubsub]
}

resource "google_pubsub_subscription" "subscription" {
  for_each             = module.settings.subscriptions
  project              = module.settings.project
  name                 = each.value.name
  topic                = google_pubsub_topic.topic[each.value.topic].id
  ack_deadline_seconds = each.value.ack_deadline
  # Never: by default a subscription is deleted after 31 days without a message.
  expiration_policy {
    ttl = ""
  }
  retry_policy {
    minimum_backoff = "10s"
    maximum_backoff = "600s"
  }
  push_config {
    push_endpoint = google_cloud_run_v2_service.service[each.key].uri
    oidc_token {
      service_account_email = each.value.account
    }
  }
  dynamic "dead_letter_policy" {
    for_each = each.value.dead_letters
    content {
      dead_letter_topic     = google_pubsub_topic.topic[dead_letter_policy.value.topic].id
      max_delivery_attempts = dead_letter_policy.value.attempts
    }
  }
  depends_on = [google_cloud_run_v2_service_iam_member.grant, google_pubsub_topic_iam_member.grant]
}

resource "google_pubsub_subscription_iam_member" "grant" {
  for_each     = module.settings.subscription_grants
  project      = module.settings.project
  subscription = google_pubsub_subscription.subscription[each.key].name
  role         = "roles/pubsub.subscriber"
  member       = each.value.member
  depends_on   = [google_project_service_identity.pubsub]
}

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
    uri         = google_cloud_run_v2_service.service[each.key].uri
    http_method = "POST"
    oidc_token {
      service_account_email = each.value.account
    }
  }
  depends_on = [google_cloud_run_v2_service_iam_member.grant]
}
