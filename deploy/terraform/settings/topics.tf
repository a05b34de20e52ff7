# Topics, subscriptions and the schedule.

locals {
  topics = {
    for topic in local.manifest.topics : topic.id => { name = "${var.name}-${topic.id}", regions = coalesce(var.topic_regions, [var.region]) }
  }
  # Without its service, a subscription keeps the messages and pushes none, so that no attempt is used up.
  push_subscriptions = {
    for name, service in local.declared : service.subscription => {
      name         = "${var.name}-${service.subscription}"
      topic        = service.topic
      topic_path   = "projects/${var.project}/topics/${local.topics[service.topic].name}"
      service      = name
      ack_deadline = service.ackDeadlineSeconds
      retention    = "${local.manifest.push.retentionDays * 86400}s"
      retry        = [{ minimum = "${local.manifest.push.minimumBackoffSeconds}s", maximum = "${local.manifest.push.maximumBackoffSeconds}s" }]
      push         = contains(keys(local.created), name) ? [{ endpoint = local.service_urls[name], account = local.push_account, audience = local.service_urls[name] }] : []
      dead_letters = [for letters in [try(service.deadLetters, null)] : { topic = letters.topic, attempts = letters.maxDeliveryAttempts } if letters != null]
    } if service.trigger == "topic"
  }
  # People read these. A dead-letter topic without a subscription would lose its messages.
  pull_subscriptions = {
    for topic in local.manifest.topics : topic.pull.subscription => {
      name         = "${var.name}-${topic.pull.subscription}"
      topic        = topic.id
      topic_path   = "projects/${var.project}/topics/${local.topics[topic.id].name}"
      service      = null
      ack_deadline = 600
      retention    = "${topic.pull.retentionDays * 86400}s"
      retry        = []
      push         = []
      dead_letters = []
    } if try(topic.pull, null) != null
  }
  subscriptions = merge(local.push_subscriptions, local.pull_subscriptions, local.change_subscriptions)

  schedules = {
    for name, service in local.created : name => {
      name     = local.service_ids[name]
      schedule = "*/${max(1, floor(service.everySeconds / 60))} * * * *"
      # Cloud Scheduler waits for an answer as long as the service takes at most.
      deadline = "${service.timeoutSeconds}s"
      url      = local.service_urls[name]
      account  = local.tick_account
    } if service.trigger == "schedule"
  }
}
