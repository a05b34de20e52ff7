# Every right that the module grants: member, role and resource. Nothing is granted on the whole project that can be
# granted on a resource.

locals {
  members = { for name, email in local.emails : name => "serviceAccount:${email}" }

  # datastore.user holds for this installation's database only.
  database_condition = {
    title      = "only ${local.database_id}"
    expression = "resource.name == \"projects/${var.project}/databases/${local.database_id}\""
  }

  project_grants = merge(
    merge([for name, service in local.declared : {
      for role in concat(service.roles, var.vertex ? service.vertexRoles : [], var.telemetry ? (name == "sweep" ? ["roles/telemetry.tracesWriter", "roles/telemetry.metricsWriter"] : ["roles/telemetry.tracesWriter"]) : []) : "${name} ${role}" => {
        project    = var.project
        role       = role
        member     = local.members[name]
        conditions = role == "roles/datastore.user" ? [local.database_condition] : []
      }
    }]...),
    merge([for project, roles in var.tool_roles : {
      for role in roles : "runIteration ${role} ${project}" => {
        project = project, role = role, member = local.members["runIteration"], conditions = []
      }
    }]...),
  )

  dead_letter_pairs = merge([for key, subscription in local.subscriptions : { for letters in subscription.dead_letters : key => letters.topic }]...)
  topic_grants = merge(
    merge([for name, service in local.declared : {
      for topic in service.publishes : "${name} ${topic}" => { topic = topic, role = "roles/pubsub.publisher", member = local.members[name] }
    }]...),
    { for key, topic in local.dead_letter_pairs : "pubsub ${topic}" => { topic = topic, role = "roles/pubsub.publisher", member = local.pubsub_agent } },
    { "monitoring alerts" = { topic = "alerts", role = "roles/pubsub.publisher", member = local.alerting_agent } },
    { for member in var.alert_publishers : "${member} alerts" => { topic = "alerts", role = "roles/pubsub.publisher", member = member } },
  )
  # Pub/Sub acknowledges a message on its subscription when it moves it to the dead letters.
  subscription_grants = {
    for key, topic in local.dead_letter_pairs : "pubsub ${key}" => { subscription = key, role = "roles/pubsub.subscriber", member = local.pubsub_agent }
  }

  callers = {
    pubsub    = "serviceAccount:${local.push_account}"
    scheduler = "serviceAccount:${local.tick_account}"
    iap       = local.iap_agent
  }
  service_grants = {
    for name, service in local.created : "${service.invoker} ${name}" => { service = name, role = "roles/run.invoker", member = local.callers[service.invoker] }
    if contains(keys(local.callers), service.invoker)
  }
  secret_grants = merge(
    merge([for name, secrets in local.possible_secrets : {
      for variable in secrets : "${name} ${variable}" => {
        secret = local.secret_names[variable], role = "roles/secretmanager.secretAccessor", member = local.members[name]
      }
    }]...),
    # A rotated refresh token is a new version, and the version before is destroyed.
    merge([for name, secrets in local.login_secrets : {
      for variable in secrets : "${name} ${variable} versions" => {
        secret = local.secret_names[variable], role = "roles/secretmanager.secretVersionManager", member = local.members[name]
      }
    }]...),
  )
  console_members = distinct(concat(var.console_members, var.first_member == null ? [] : ["user:${var.first_member}"]))
  iap_grants = merge([for name, service in local.created : {
    for member in local.console_members : "${member} ${name}" => { service = name, role = "roles/iap.httpsResourceAccessor", member = member }
  } if service.invoker == "iap"]...)

  iam_triples = sort(concat(
    [for grant in values(local.project_grants) : join(" ", concat([grant.member, grant.role, "projects/${grant.project}"], [for condition in grant.conditions : "if ${condition.expression}"]))],
    [for grant in values(local.topic_grants) : "${grant.member} ${grant.role} topics/${local.topics[grant.topic].name}"],
    [for grant in values(local.subscription_grants) : "${grant.member} ${grant.role} subscriptions/${local.subscriptions[grant.subscription].name}"],
    [for grant in values(local.service_grants) : "${grant.member} ${grant.role} services/${local.service_ids[grant.service]}"],
    [for grant in values(local.secret_grants) : "${grant.member} ${grant.role} ${grant.secret}"],
    [for project, sink in local.change_sinks : "logSink:${project}/${sink.name} roles/pubsub.publisher topics/${local.topics["changes"].name}"],
    [for grant in values(local.iap_grants) : "${grant.member} ${grant.role} iap/services/${local.service_ids[grant.service]}"],
  ))
}
