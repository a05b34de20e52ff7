# APIs, and the agents of Google's services. An agent must exist before a right is granted to it.

resource "google_project_service" "api" {
  for_each           = module.settings.apis
  project            = module.settings.project
  service            = each.key
  disable_on_destroy = false
}

resource "google_project_service_identity" "agent" {
  provider   = google-beta
  for_each   = module.settings.agents
  project    = module.settings.project
  service    = each.key
  depends_on = [google_project_service.api]
}
