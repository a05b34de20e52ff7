# Everything that the module creates, without resources, so that tests evaluate it without a provider.

locals {
  apis = toset(["run.googleapis.com", "pubsub.googleapis.com", "firestore.googleapis.com", "cloudscheduler.googleapis.com", "iam.googleapis.com"])

  account_ids  = { run = "${var.name}-run", call = "${var.name}-call" }
  emails       = { for key, id in local.account_ids : key => "${id}@${var.project}.iam.gserviceaccount.com" }
  pubsub_agent = "serviceAccount:service-${var.project_number}@gcp-sa-pubsub.iam.gserviceaccount.com"
  accounts = {
    run  = { id = local.account_ids.run, description = "Runs the services of ${var.name}." }
    call = { id = local.account_ids.call, description = "Signs the pushes of Pub/Sub and the calls of the schedule to ${var.name}." }
  }

  # By their handler.
  subscriptions = {
    for subscription in var.manifest.subscriptions : subscription.handler => {
      name         = "${subscription.topic}-${subscription.handler}"
      topic        = subscription.topic
      ack_deadline = subscription.ackDeadlineSeconds
      account      = local.emails.call
      dead_letters = [for letters in [subscription.deadLetters] : { topic = letters.topic, attempts = letters.maxDeliveryAttempts } if letters != null]
    }
  }
  timeouts = merge(
    { for subscription in var.manifest.subscriptions : subscription.handler => subscription.timeoutSeconds },
    { (var.manifest.schedule.handler) = var.manifest.schedule.timeoutSeconds },
  )
  services = {
    for handler, seconds in local.timeouts : handler => {
      name          = "${var.name}-${handler}"
      image         = var.image
      account       = local.emails.run
      timeout       = "${seconds}s"
      max_instances = handler == var.manifest.schedule.handler ? 1 : var.max_instances
      environment = merge(var.environment, {
        FUNCTION_TARGET      = handler
        GOOGLE_CLOUD_PROJECT = var.project
        FIRESTORE_DATABASE   = var.name
      })
      secrets = var.secrets
    }
  }
  schedules = {
    (var.manifest.schedule.handler) = {
      name     = "${var.name}-${var.manifest.schedule.handler}"
      schedule = "*/${max(1, floor(var.manifest.schedule.everySeconds / 60))} * * * *"
      deadline = "${var.manifest.schedule.timeoutSeconds}s"
      account  = local.emails.call
    }
  }

  # Roles on documents hold for this database only.
  project_grants = {
    for role in var.manifest.rights.roles : role => {
      role       = role
      member     = "serviceAccount:${local.emails.run}"
      conditions = startswith(role, "roles/datastore.") ? [{ title = "only ${var.name}", expression = "resource.name == \"projects/${var.project}/databases/${var.name}\"" }] : []
    }
  }
  dead_letter_topics = { for handler, subscription in local.subscriptions : handler => subscription.dead_letters[0].topic if length(subscription.dead_letters) > 0 }
  topic_grants = merge(
    { for topic in var.manifest.rights.publishes : "run ${topic}" => { topic = topic, member = "serviceAccount:${local.emails.run}" } },
    { for topic in values(local.dead_letter_topics) : "pubsub ${topic}" => { topic = topic, member = local.pubsub_agent } },
  )
  # Pub/Sub acknowledges a message on its subscription when it moves it to the dead letters.
  subscription_grants = { for handler in keys(local.dead_letter_topics) : handler => { member = local.pubsub_agent } }
  service_grants      = { for handler in keys(local.services) : handler => { member = "serviceAccount:${local.emails.call}" } }
  secret_grants       = { for name in toset([for secret in values(var.secrets) : secret.secret]) : name => { member = "serviceAccount:${local.emails.run}" } }

  # Firestore adds __name__ to every index, in the order of the last field.
  indexes = {
    for index in var.manifest.indexes.indexes : "${index.collectionGroup}: ${join(", ", [for field in index.fields : "${field.fieldPath} ${try(field.order, field.arrayConfig)}"])}" => {
      collection = index.collectionGroup
      scope      = index.queryScope
      fields = concat(
        [for field in index.fields : { path = field.fieldPath, order = try(field.order, null), array = try(field.arrayConfig, null) }],
        [{ path = "__name__", order = try(index.fields[length(index.fields) - 1].order, "ASCENDING"), array = null }],
      )
    }
  }
  fields = {
    for field in var.manifest.indexes.fieldOverrides : "${field.collectionGroup}/${field.fieldPath}" => {
      collection = field.collectionGroup
      field      = field.fieldPath
      expires    = try(field.ttl, false) ? ["expires"] : []
      indexes    = [for index in field.indexes : { scope = index.queryScope, order = try(index.order, null), array = try(index.arrayConfig, null) }]
    } if field.fieldPath != "*"
  }
  other_fields = {
    for field in var.manifest.indexes.fieldOverrides : field.collectionGroup => { collection = field.collectionGroup, field = field.fieldPath }
    if field.fieldPath == "*"
  }
}
