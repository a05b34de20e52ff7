# The module copies these into resources. Preconditions refuse combinations of variables.

output "project" {
  description = "The project's id."
  value       = var.project
}

output "region" {
  description = "The region of services, messages and the schedule."
  value       = var.region
}

output "labels" {
  description = "The labels of every resource that has labels."
  value       = local.labels
}

output "apis" {
  description = "The APIs to enable."
  value       = local.apis
}

output "agents" {
  description = "The APIs whose service agents must exist."
  value       = local.agents
}

output "accounts" {
  description = "Service accounts, by service; `push` and `tick` sign the calls of Pub/Sub and of the schedule."
  value       = local.accounts
}

output "services" {
  description = "The services that are created, by their name in the manifest."
  value       = local.services
  precondition {
    condition     = local.manifest.schema == 1
    error_message = "This module reads manifests of schema 1, and the manifest has another. Use the module of the release that built it."
  }
  precondition {
    condition     = !try(local.manifest.local, false)
    error_message = "The manifest is of `build --local`: its MCP servers can be those of one machine, which a deployed service cannot reach. Build it without --local."
  }
  precondition {
    condition     = var.deploy == "zip" ? var.archive != null : true
    error_message = "archive is not set: name the file that `npx --no inquest build` wrote, or set deploy to image."
  }
  precondition {
    condition     = var.deploy == "image" ? length(setsubtract(keys(local.created), keys(var.images))) == 0 : true
    error_message = "images names no image for: ${join(", ", setsubtract(keys(local.created), keys(var.images)))}."
  }
  precondition {
    condition     = length(setsubtract(keys(var.secret_versions), local.all_secrets)) == 0
    error_message = "secret_versions names variables that no service uses: ${join(", ", setsubtract(keys(var.secret_versions), local.all_secrets))}. The configuration of the build decides, and vertex."
  }
  precondition {
    condition     = length(setsubtract(keys(var.environment), flatten([for service in values(local.declared) : service.settings]))) == 0
    error_message = "environment names variables that no service reads: ${join(", ", setsubtract(keys(var.environment), flatten([for service in values(local.declared) : service.settings])))}."
  }
  precondition {
    condition     = length(setintersection(keys(var.environment), local.set_variables)) == 0
    error_message = "environment names variables that the module sets: ${join(", ", setintersection(keys(var.environment), local.set_variables))}. Set project, name, database, vertex or vertex_location instead."
  }
}

output "api_url" {
  description = "Address of the service `api`; null when it is not created, or only a load balancer reaches it."
  value       = var.api_ingress == "all" ? try(local.services["api"].url, null) : null
}

output "security_policies" {
  description = "The policy of Cloud Armor before the service `api`; empty without one."
  value       = local.has_armor ? { api = { name = "${var.name}-api", requests_per_minute = var.api_requests_per_minute, addresses = ["*"] } } : {}
}

output "missing_secrets" {
  description = "By service that is not created: its secrets without a version."
  value       = { for name, secrets in local.missing_secrets : name => secrets if length(secrets) > 0 }
}

output "buckets" {
  description = "The bucket of archives; empty for images."
  value       = { for key, archive in local.archives : key => { name = archive.bucket, location = var.region, force_destroy = !local.is_production } }
}

output "archives" {
  description = "The archive to upload; empty for images."
  value       = local.archives
}

output "secrets" {
  description = "Secrets to create, by environment variable. Their versions are added outside of Terraform."
  value       = local.created_ids
}

output "topics" {
  description = "Topics by id."
  value       = local.topics
}

output "subscriptions" {
  description = "Subscriptions by id: `…-push` of services, `…-pull` of people; those of `change_topics` by the path of their topic."
  value       = local.subscriptions
}

output "schedules" {
  description = "Jobs of Cloud Scheduler, by service."
  value       = local.schedules
}

output "database" {
  description = "The Firestore database of the services."
  value       = local.database
}

output "databases" {
  description = "The database to create; empty for one that exists."
  value       = local.databases
}

output "backups" {
  description = "Backup schedules; none in `trial`."
  value       = local.backups
}

output "indexes" {
  description = "Composite indexes, with `__name__` written out."
  value       = local.indexes
}

output "skip_index_wait" {
  description = "Whether indexes are created without waiting for each."
  value       = var.skip_index_wait
}

output "index_wait" {
  description = "How long the services wait for the indexes of a new database."
  value       = var.skip_index_wait ? "300s" : "0s"
}

output "other_fields" {
  description = "The collections whose other fields have no index."
  value       = local.other_fields
}

output "fields" {
  description = "Settings of single fields: their indexes, and time to live."
  value       = local.fields
}

output "rules" {
  description = "The security rules and the name of their release."
  value       = local.rules
}

output "project_grants" {
  description = "Roles on projects."
  value       = local.project_grants
}

output "change_sinks" {
  description = "Log sinks that export changes to the topic `changes`, by project."
  value       = local.change_sinks
}

output "topic_grants" {
  description = "Roles on topics."
  value       = local.topic_grants
}

output "subscription_grants" {
  description = "Roles on subscriptions."
  value       = local.subscription_grants
}

output "service_grants" {
  description = "Roles on services."
  value       = local.service_grants
}

output "secret_grants" {
  description = "Roles on secrets."
  value       = local.secret_grants
}

output "iap_grants" {
  description = "Members that IAP admits."
  value       = local.iap_grants
}

output "console_members" {
  description = "Members that IAP admits, each once."
  value       = local.console_members
}

output "grants_wait_triggers" {
  description = "A digest of the rights without which a revision does not start. When it changes, the services wait again."
  value       = { grants = sha256(jsonencode([local.project_grants, local.topic_grants, local.secret_grants])) }
}

output "iam_triples" {
  description = "Every right as `MEMBER ROLE RESOURCE`, with its condition."
  value       = local.iam_triples
}

output "log_metrics" {
  description = "Log-based metrics."
  value       = local.log_metrics
}

output "objectives" {
  description = "Service level objectives. `total` and `bad` are filters of metrics that count."
  value       = local.objectives
}

output "slo_service" {
  description = "The service of Cloud Monitoring that has the objectives."
  value       = var.name
}

output "policies" {
  description = "Alert policies, by the anchor of their section in docs/runbook.md."
  value       = local.policies
}

output "email_channels" {
  description = "Notification channels to create."
  value       = local.email_channels
}

output "channels" {
  description = "Notification channels that exist."
  value       = var.notification_channels
}

output "dashboard" {
  description = "The dashboard of Cloud Monitoring, as JSON."
  value       = local.dashboard
}

output "budgets" {
  description = "Budgets of the billing account."
  value       = local.budgets
}

output "audited" {
  description = "APIs whose data accesses are logged."
  value       = local.audited
}

output "next_steps" {
  description = "The remaining steps, in order."
  value = concat(
    [for name, secrets in local.missing_secrets : "${name} was not created: add a version to ${join(", ", secrets)} (npx --no inquest deploy secret NAME), then apply again with the numbers in secret_versions." if length(secrets) > 0],
    length(local.console_members) == 0 && local.has_iap ? ["No member passes IAP: set first_member, or console_members and give each a role in access.yaml."] : [],
    var.notification_email == null && length(var.notification_channels) == 0 ? ["Alerts about Inquest itself have no receiver: set notification_email or notification_channels."] : [],
    ["Point a Cloud Monitoring notification channel of type Pub/Sub at projects/${var.project}/topics/${local.topics["alerts"].name}."],
    ["Check the deployment: npx --no inquest doctor --deployed --project ${var.project} --region ${var.region} --name ${var.name}."],
  )
}
