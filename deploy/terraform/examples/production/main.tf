# An installation with protected data, people who are notified, and secrets of tools. `secret_versions` names the variables that
# your configuration uses; their versions are added with `npx --no inquest deploy secret NAME`.

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

variable "billing_account" {
  type = string
}

# With the credentials of a user, the API of budgets needs a project for its quota.
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
  name           = "inquest-prod"
  tier           = "production"
  manifest       = var.manifest
  archive        = var.archive

  secret_versions = {
    INQUEST_DECISION_KEY         = "1"
    INQUEST_DECISION_PUBLIC_KEYS = "1"
    INQUEST_KEY_SECRETS          = "1"
    TOOLS_TOKEN                  = "1"
    GRAFANA_WEBHOOK_SECRET       = "3"
    SLACK_BOT_TOKEN              = "1"
  }
  environment = {
    LOG_LEVEL = "info"
  }
  tool_roles = {
    (var.project) = ["roles/logging.viewer", "roles/monitoring.viewer", "roles/mcp.toolUser"]
  }

  console_members    = ["group:sre@example.com"]
  notification_email = "sre@example.com"
  runbook            = "https://example.com/inquest/docs/runbook.md"
  daily_tokens       = 50000000
  budget = {
    billing_account = var.billing_account
    amount          = 500
    currency        = "EUR"
  }
  labels = {
    team        = "sre"
    environment = "production"
  }
}

output "next_steps" {
  value = module.inquest.next_steps
}
