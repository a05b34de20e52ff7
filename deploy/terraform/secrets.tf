# Secrets without versions: `inquest deploy secret NAME` adds those, so that no value is in the state.

resource "google_secret_manager_secret" "secret" {
  for_each  = module.settings.secrets
  project   = module.settings.project
  secret_id = each.value
  labels    = module.settings.labels
  replication {
    auto {}
  }
  depends_on = [google_project_service.api]
}
