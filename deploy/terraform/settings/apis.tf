# Google's APIs that the resources need, and the agents that must exist before a right is granted to them.

locals {
  has_iap = length([for service in values(local.declared) : service if service.invoker == "iap"]) > 0
  apis = toset([for api, needed in {
    "run.googleapis.com"                  = true
    "pubsub.googleapis.com"               = true
    "firestore.googleapis.com"            = true
    "firebaserules.googleapis.com"        = true
    "cloudscheduler.googleapis.com"       = true
    "iam.googleapis.com"                  = true
    "cloudresourcemanager.googleapis.com" = true
    "monitoring.googleapis.com"           = true
    "logging.googleapis.com"              = true
    "storage.googleapis.com"              = var.deploy == "zip"
    "artifactregistry.googleapis.com"     = true
    "secretmanager.googleapis.com"        = length(local.all_secrets) > 0
    "iap.googleapis.com"                  = local.has_iap
    "aiplatform.googleapis.com"           = var.vertex
    "telemetry.googleapis.com"            = var.telemetry
    "compute.googleapis.com"              = var.network != null || local.has_armor
    "billingbudgets.googleapis.com"       = var.budget != null
  } : api if needed])
  agents = toset(concat(["pubsub.googleapis.com", "monitoring.googleapis.com"], local.has_iap ? ["iap.googleapis.com"] : []))
}
