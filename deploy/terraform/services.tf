# The services of Cloud Run, and the archive that they run. Terraform must be the only deployer: it reverts other
# deployments.

resource "google_storage_bucket" "source" {
  for_each                    = module.settings.buckets
  project                     = module.settings.project
  name                        = each.value.name
  location                    = each.value.location
  labels                      = module.settings.labels
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = each.value.force_destroy
  versioning {
    enabled = true
  }
  # A replaced or deleted archive stays for 30 days.
  lifecycle_rule {
    action {
      type = "Delete"
    }
    condition {
      days_since_noncurrent_time = 30
      with_state                 = "ARCHIVED"
    }
  }
  depends_on = [google_project_service.api]
}

# Archives of earlier releases stay in the bucket, for a rollback.
resource "google_storage_bucket_object" "archive" {
  for_each        = module.settings.archives
  bucket          = google_storage_bucket.source[each.key].name
  name            = each.value.name
  source          = each.value.source
  content_type    = "application/gzip"
  deletion_policy = "ABANDON"
}

resource "google_cloud_run_v2_service" "service" {
  provider             = google-beta
  for_each             = module.settings.services
  project              = module.settings.project
  location             = module.settings.region
  name                 = each.value.id
  labels               = module.settings.labels
  ingress              = each.value.ingress
  invoker_iam_disabled = each.value.public
  iap_enabled          = each.value.iap
  custom_audiences     = each.value.audiences
  deletion_protection  = each.value.deletion_protection

  template {
    service_account                  = each.value.service_account
    timeout                          = each.value.timeout
    max_instance_request_concurrency = each.value.concurrency
    scaling {
      min_instance_count = each.value.min_instances
      max_instance_count = each.value.max_instances
    }
    dynamic "vpc_access" {
      for_each = each.value.network
      content {
        egress = vpc_access.value.egress
        network_interfaces {
          network    = vpc_access.value.network
          subnetwork = vpc_access.value.subnetwork
          tags       = vpc_access.value.tags
        }
      }
    }
    containers {
      image          = each.value.image
      base_image_uri = each.value.base_image
      command        = each.value.command
      args           = each.value.args
      resources {
        limits            = each.value.limits
        cpu_idle          = true
        startup_cpu_boost = true
      }
      dynamic "source_code" {
        for_each = each.value.source
        content {
          cloud_storage_source {
            bucket     = google_storage_bucket_object.archive[source_code.value.archive].bucket
            object     = google_storage_bucket_object.archive[source_code.value.archive].name
            generation = google_storage_bucket_object.archive[source_code.value.archive].generation
          }
        }
      }
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

  # An existing database has its new indexes before a new revision runs, and a new database before the first.
  depends_on = [
    time_sleep.grants,
    time_sleep.indexes,
    google_firestore_index.index,
    google_firestore_field.field,
    google_firebaserules_release.rules,
  ]
}
