# The database, its indexes, time to live, rules and backups.

resource "google_firestore_database" "database" {
  for_each                          = module.settings.databases
  project                           = module.settings.project
  name                              = each.value.name
  location_id                       = each.value.location
  type                              = "FIRESTORE_NATIVE"
  point_in_time_recovery_enablement = each.value.point_in_time
  delete_protection_state           = each.value.delete_protection
  deletion_policy                   = each.value.deletion_policy
  depends_on                        = [google_project_service.api]
}

resource "google_firestore_backup_schedule" "backup" {
  for_each  = module.settings.backups
  project   = module.settings.project
  database  = module.settings.database.name
  retention = each.value.retention
  daily_recurrence {}
  depends_on = [google_firestore_database.database]
}

resource "google_firestore_index" "index" {
  for_each    = module.settings.indexes
  project     = module.settings.project
  database    = module.settings.database.name
  collection  = each.value.collection
  query_scope = each.value.scope
  skip_wait   = module.settings.skip_index_wait
  dynamic "fields" {
    for_each = each.value.fields
    content {
      field_path   = fields.value.path
      order        = fields.value.order
      array_config = fields.value.array
      dynamic "vector_config" {
        for_each = fields.value.vectors
        content {
          dimension = vector_config.value
          flat {}
        }
      }
    }
  }
  # `skip_wait` matters at creation only. A later value must not build the index again.
  lifecycle {
    ignore_changes = [skip_wait]
  }
  depends_on = [google_firestore_database.database]
}

resource "google_firestore_field" "field" {
  for_each   = module.settings.fields
  project    = module.settings.project
  database   = module.settings.database.name
  collection = each.value.collection
  field      = each.value.field
  skip_wait  = module.settings.skip_index_wait
  # Without indexes in it, the field has none.
  index_config {
    dynamic "indexes" {
      for_each = each.value.indexes
      content {
        query_scope  = indexes.value.scope
        order        = indexes.value.order
        array_config = indexes.value.array
      }
    }
  }
  dynamic "ttl_config" {
    for_each = each.value.expires
    content {}
  }
  lifecycle {
    ignore_changes = [skip_wait]
  }
  depends_on = [google_firestore_database.database]
}

# Fields with settings of their own come first: they keep their indexes when the others lose theirs.
resource "google_firestore_field" "others" {
  for_each   = module.settings.other_fields
  project    = module.settings.project
  database   = module.settings.database.name
  collection = each.value.collection
  field      = each.value.field
  skip_wait  = module.settings.skip_index_wait
  # No `ttl_config`: only single fields can have one.
  index_config {}
  lifecycle {
    ignore_changes = [skip_wait]
  }
  depends_on = [google_firestore_field.field]
}

resource "time_sleep" "indexes" {
  create_duration = module.settings.index_wait
  # As `skip_wait`: the wait of a new database is over with its first apply.
  lifecycle {
    ignore_changes = [create_duration]
  }
  depends_on = [google_firestore_index.index, google_firestore_field.others]
}

resource "google_firebaserules_ruleset" "rules" {
  project = module.settings.project
  source {
    files {
      name    = module.settings.rules.name
      content = module.settings.rules.content
    }
  }
  # The release names the new ruleset before the old one is deleted.
  lifecycle {
    create_before_destroy = true
  }
  depends_on = [google_project_service.api]
}

resource "google_firebaserules_release" "rules" {
  project      = module.settings.project
  name         = module.settings.rules.release
  ruleset_name = google_firebaserules_ruleset.rules.name
  depends_on   = [google_firestore_database.database]
}
