# Alerts and changes of another project reach this installation, and its agents read that project's logs and metrics.

variable "project" {
  type = string
}

variable "project_number" {
  type = string
}

variable "region" {
  type = string
}

variable "manifest" {
  description = "dist/manifest.json, which `npx --no inquest build` writes."
  type        = string
}

variable "archive" {
  description = "The archive that `npx --no inquest build` writes."
  type        = string
}

variable "watched_project" {
  type = string
}

variable "watched_project_number" {
  type = string
}

provider "google" {
  project               = var.project
  billing_project       = var.project
  user_project_override = true
}

provider "google-beta" {
  project               = var.project
  billing_project       = var.project
  user_project_override = true
}

module "inquest" {
  source = "../.."

  project        = var.project
  project_number = var.project_number
  region         = var.region
  manifest       = var.manifest
  archive        = var.archive

  alert_publishers = [
    "serviceAccount:service-${var.watched_project_number}@gcp-sa-monitoring-notification.iam.gserviceaccount.com",
  ]
  change_projects = [var.project, var.watched_project]
  change_topics   = ["projects/${var.watched_project}/topics/clouddeploy-operations"]
  tool_roles = {
    (var.watched_project) = ["roles/logging.viewer", "roles/monitoring.viewer"]
  }
}

# The alert policies of the other project name this channel.
resource "google_monitoring_notification_channel" "inquest" {
  project      = var.watched_project
  display_name = "Inquest"
  type         = "pubsub"
  labels = {
    topic = module.inquest.alerts_topic
  }
  depends_on = [module.inquest]
}

output "channel" {
  value = google_monitoring_notification_channel.inquest.name
}

output "next_steps" {
  value = module.inquest.next_steps
}
