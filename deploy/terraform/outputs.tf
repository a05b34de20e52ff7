# Addresses, names, and the next steps.

output "api_url" {
  description = "Address of the HTTP API, for programs with a key and for webhooks. Null while a secret of it has no version, and with `api_ingress` `load-balancer`: then the API answers only at your domain."
  value       = module.settings.api_url
}

output "api_security_policy" {
  description = "The policy of Cloud Armor for your load balancer. Null with `api_ingress` `all`, or with 0 requests a minute."
  value       = try(google_compute_security_policy.api["api"].id, null)
}

output "console_url" {
  description = "Address of the dashboard, behind IAP. Null while a secret of it has no version."
  value       = try(module.settings.services["console"].url, null)
}

output "console_members" {
  description = "The members that IAP admits to the dashboard, `first_member` among them."
  value       = module.settings.console_members
}

output "alerts_topic" {
  description = "The topic for alerts, `projects/PROJECT/topics/ID`."
  value       = google_pubsub_topic.topic["alerts"].id
}

output "alerts_subscription_of_dead_letters" {
  description = "The subscription by which people read alerts that could not be handled."
  value       = google_pubsub_subscription.subscription["alerts-dead-pull"].id
}

output "database" {
  description = "The Firestore database, for `FIRESTORE_DATABASE`."
  value       = module.settings.database.name
}

output "service_accounts" {
  description = "The account of each service, for rights in other projects and on MCP servers."
  value       = { for name, account in google_service_account.account : name => account.email }
}

output "secrets" {
  description = "The secrets to which versions are added, by environment variable."
  value       = module.settings.secrets
}

output "missing_secrets" {
  description = "Services that were not created, with their secrets that have no version."
  value       = module.settings.missing_secrets
}

output "next_steps" {
  description = "The remaining steps, in order."
  value       = module.settings.next_steps
}
