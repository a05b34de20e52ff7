# What the module creates.

output "accounts" {
  value = local.accounts
}
output "apis" {
  value = local.apis
}
output "fields" {
  value = local.fields
}
output "indexes" {
  value = local.indexes
}
output "other_fields" {
  value = local.other_fields
}
output "project_grants" {
  value = local.project_grants
}
output "schedules" {
  value = local.schedules
}
output "secret_grants" {
  value = local.secret_grants
}
output "service_grants" {
  value = local.service_grants
}
output "services" {
  value = local.services
}
output "subscription_grants" {
  value = local.subscription_grants
}
output "subscriptions" {
  value = local.subscriptions
}
output "topic_grants" {
  value = local.topic_grants
}
output "database" {
  value = var.name
}
output "project" {
  value = var.project
}
output "region" {
  value = var.region
}
output "topics" {
  value = toset(var.manifest.topics)
}
