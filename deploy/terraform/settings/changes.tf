# Sources of changes on Google Cloud: log sinks of the observed projects, and topics of Cloud Deploy and Cloud Build.

locals {
  # The same entries as shared/changes/adapters/auditLog.ts leaves out: what controllers write all the time costs nothing here.
  change_filter = join(" AND ", [
    "(log_id(\"cloudaudit.googleapis.com/activity\") OR log_id(\"cloudaudit.googleapis.com/system_event\") OR log_id(\"servicehealth.googleapis.com/activity\"))",
    "NOT protoPayload.authenticationInfo.principalEmail=~\"^system:\"",
    "NOT protoPayload.resourceName=~\"/v[0-9][a-z0-9]*/(namespaces/[^/]+/)?(leases|events|endpoints|endpointslices)(/|$)\"",
    "NOT protoPayload.resourceName=~\"/status$\"",
  ])
  # An installation can turn changes off (`features` of system.yaml): the manifest then has no such topic.
  has_changes = contains(keys(local.topics), "changes")
  change_sinks = {
    for project in coalesce(var.change_projects, [var.project]) : project => {
      name        = "${var.name}-changes"
      destination = "pubsub.googleapis.com/projects/${var.project}/topics/${local.topics["changes"].name}"
      filter      = local.change_filter
    } if local.has_changes
  }
  # Each topic has a subscription with the settings of the one of the topic `changes`.
  change_subscriptions = {
    for topic in var.change_topics : topic => merge(local.push_subscriptions["changes-push"], {
      name       = "${var.name}-changes-${split("/", topic)[1]}-${split("/", topic)[3]}"
      topic_path = topic
    }) if local.has_changes
  }
}
