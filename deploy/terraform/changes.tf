# Sources of changes on Google Cloud.

resource "google_logging_project_sink" "changes" {
  for_each               = module.settings.change_sinks
  project                = each.key
  name                   = each.value.name
  description            = "Changes that Inquest shows before an alert."
  destination            = each.value.destination
  filter                 = each.value.filter
  unique_writer_identity = true
  depends_on             = [google_pubsub_topic.topic]
}

resource "google_pubsub_topic_iam_member" "sink" {
  for_each = module.settings.change_sinks
  project  = module.settings.project
  topic    = google_pubsub_topic.topic["changes"].name
  role     = "roles/pubsub.publisher"
  member   = google_logging_project_sink.changes[each.key].writer_identity
}
