# The database: its protection by tier, indexes, single-field settings, time to live and rules.

locals {
  indexes_file = coalesce(var.firestore_indexes, "${path.module}/../../../firestore.indexes.json")
  rules_file   = coalesce(var.firestore_rules, "${path.module}/../../../firestore.rules")
  firestore    = jsondecode(file(local.indexes_file))

  database_id = coalesce(var.database, var.name)
  database = {
    name              = local.database_id
    location          = coalesce(var.firestore_location, var.region)
    point_in_time     = local.is_production ? "POINT_IN_TIME_RECOVERY_ENABLED" : "POINT_IN_TIME_RECOVERY_DISABLED"
    delete_protection = var.delete_protection ? "DELETE_PROTECTION_ENABLED" : "DELETE_PROTECTION_DISABLED"
    deletion_policy   = local.is_production ? "ABANDON" : "DELETE"
  }
  # Empty for a database that exists.
  databases = { for database in [local.database] : "database" => database if var.database == null }
  backups   = local.is_production ? { daily = { retention = "1209600s" } } : {}

  # Firestore adds __name__ to every index: with the order of the last field, ascending after an array. Without it, each plan
  # would show a difference. It comes after all fields, but before a vector.
  index_parts = [for index in local.firestore.indexes : {
    collection = index.collectionGroup
    scope      = index.queryScope
    plain      = [for field in index.fields : field if try(field.vectorConfig, null) == null]
    vectors    = [for field in index.fields : field if try(field.vectorConfig, null) != null]
  }]
  indexes = {
    for part in local.index_parts :
    "${part.collection}: ${join(", ", [for field in concat(part.plain, part.vectors) : join(" ", compact([field.fieldPath, lookup(field, "order", lookup(field, "arrayConfig", "VECTOR"))]))])}" => {
      collection = part.collection
      scope      = part.scope
      fields = concat(
        [for field in part.plain : { path = field.fieldPath, order = try(field.order, null), array = try(field.arrayConfig, null), vectors = [] }],
        [{ path = "__name__", order = try(part.plain[length(part.plain) - 1].order, "ASCENDING"), array = null, vectors = [] }],
        [for field in part.vectors : { path = field.fieldPath, order = null, array = null, vectors = [field.vectorConfig.dimension] }],
      )
    } if var.database == null
  }

  fields = {
    for field in local.firestore.fieldOverrides : "${field.collectionGroup}/${field.fieldPath}" => {
      collection = field.collectionGroup
      field      = field.fieldPath
      expires    = try(field.ttl, false) ? ["expires"] : []
      indexes    = [for index in field.indexes : { scope = index.queryScope, order = try(index.order, null), array = try(index.arrayConfig, null) }]
    } if field.fieldPath != "*"
  }
  # All other fields. A collection without an entry has the automatic indexes of Firestore.
  other_fields = {
    for field in local.firestore.fieldOverrides : field.collectionGroup => { collection = field.collectionGroup, field = field.fieldPath }
    if field.fieldPath == "*"
  }

  rules = { name = "firestore.rules", content = file(local.rules_file), release = "cloud.firestore/${local.database_id}" }
}
