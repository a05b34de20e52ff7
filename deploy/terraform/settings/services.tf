# The services of Cloud Run with their environment, secrets and accounts.

locals {
  manifest      = jsondecode(file(var.manifest))
  is_production = var.tier == "production"
  # Cloud Armor works before a load balancer only.
  has_armor = var.api_ingress == "load-balancer" && var.api_requests_per_minute > 0
  labels    = merge(var.labels, { inquest = var.name })
  # By the name of the service in the manifest: runIteration.
  declared = { for service in local.manifest.services : service.name => service }

  # With Vertex AI the services' accounts replace the key of the Gemini API; without it the key is required.
  model_keys = ["GEMINI_API_KEY", "GOOGLE_API_KEY"]
  required_secrets = {
    for name, service in local.declared : name => concat(service.secrets, [for secret in service.optionalSecrets : secret if secret == "GEMINI_API_KEY" && !var.vertex])
  }
  possible_secrets = {
    for name, service in local.declared : name => concat(service.secrets, [for secret in service.optionalSecrets : secret if !(var.vertex && contains(local.model_keys, secret))])
  }

  # The service reads and replaces the refresh tokens of MCP servers itself.
  login_secrets = {
    for name, secrets in local.possible_secrets : name => [for secret in secrets : secret if startswith(secret, "INQUEST_LOGIN_")]
  }

  # A revision that references a secret without a version does not start, and its apply fails.
  missing_secrets = {
    for name, secrets in local.required_secrets : name => [for secret in secrets : secret if !contains(keys(var.secret_versions), secret)]
  }
  created = { for name, service in local.declared : name => service if length(local.missing_secrets[name]) == 0 }

  service_ids = { for name, service in local.declared : name => "${var.name}-${service.id}" }
  service_urls = {
    for name, id in local.service_ids : name => "https://${id}-${var.project_number}.${var.region}.run.app"
  }
  account_ids    = { for name, service in local.declared : name => "${var.name}-${service.serviceAccount}" }
  emails         = { for name, id in local.account_ids : name => "${id}@${var.project}.iam.gserviceaccount.com" }
  push_account   = "${var.name}-push@${var.project}.iam.gserviceaccount.com"
  tick_account   = "${var.name}-tick@${var.project}.iam.gserviceaccount.com"
  pubsub_agent   = "serviceAccount:service-${var.project_number}@gcp-sa-pubsub.iam.gserviceaccount.com"
  iap_agent      = "serviceAccount:service-${var.project_number}@gcp-sa-iap.iam.gserviceaccount.com"
  alerting_agent = "serviceAccount:service-${var.project_number}@gcp-sa-monitoring-notification.iam.gserviceaccount.com"

  accounts = merge(
    { for name, service in local.declared : name => { id = local.account_ids[name], description = "Runs ${local.service_ids[name]}." } },
    {
      push = { id = "${var.name}-push", description = "Signs the pushes of Pub/Sub to the services of ${var.name}." }
      tick = { id = "${var.name}-tick", description = "Signs the calls of the schedule of ${var.name}." }
    },
  )

  # Values by variable; a service gets those that the manifest lists for it.
  common_values = merge(var.vertex ? {
    GOOGLE_GENAI_USE_VERTEXAI                                      = "true"
    GOOGLE_CLOUD_LOCATION                                          = var.vertex_location
    } : {}, var.first_member == null ? {} : { INQUEST_FIRST_MEMBER = var.first_member }, {
    GOOGLE_CLOUD_PROJECT                                           = var.project
    INQUEST_NAME                                                   = var.name
    INQUEST_REGION                                                 = var.region
    FIRESTORE_DATABASE                                             = local.database_id
    INQUEST_ACCESS                                                 = "cloud"
    INQUEST_TELEMETRY                                              = var.telemetry ? "on" : "off"
  })
  own_values = {
    for name in keys(local.declared) : name => {
      INQUEST_SERVICE = name
      IAP_AUDIENCE    = "/projects/${var.project_number}/locations/${var.region}/services/${local.service_ids[name]}"
    }
  }

  values = { for name, own in local.own_values : name => merge(var.environment, local.common_values, own) }
  # Variables that `environment` cannot set.
  set_variables = flatten([for values in concat([local.common_values], values(local.own_values)) : keys(values)])

  base_image = "${var.region}-docker.pkg.dev/serverless-runtimes/google-24-full/runtimes/nodejs24"
  bucket     = "${var.project}-${var.name}-source"
  # Empty for images, so that no bucket is created.
  archives = var.deploy == "zip" && var.archive != null ? {
    archive = { bucket = local.bucket, name = basename(var.archive), source = var.archive }
  } : {}

  services = {
    for name, service in local.created : name => {
      id              = local.service_ids[name]
      url             = local.service_urls[name]
      service_account = local.emails[name]
      ingress         = service.ingress == "internal" ? "INGRESS_TRAFFIC_INTERNAL_ONLY" : name == "api" && var.api_ingress == "load-balancer" ? "INGRESS_TRAFFIC_INTERNAL_LOAD_BALANCER" : "INGRESS_TRAFFIC_ALL"
      public          = service.invoker == "public"
      iap             = service.invoker == "iap"
      audiences       = contains(["pubsub", "scheduler"], service.invoker) ? [local.service_urls[name]] : []
      timeout         = "${service.timeoutSeconds}s"
      concurrency     = service.instance.concurrency
      min_instances   = service.instance.minInstances
      max_instances   = service.instance.maxInstances
      limits          = { cpu = tostring(service.instance.cpus), memory = service.instance.memory }
      image           = var.deploy == "zip" ? "scratch" : lookup(var.images, name, "")
      base_image      = var.deploy == "zip" ? local.base_image : null
      # An image starts with the command of its build.
      command             = var.deploy == "zip" ? [local.manifest.command[0]] : null
      args                = var.deploy == "zip" ? slice(local.manifest.command, 1, length(local.manifest.command)) : null
      source              = [for key in keys(local.archives) : { archive = key }]
      network             = name == "runIteration" && var.network != null ? [{ egress = var.network.all_traffic ? "ALL_TRAFFIC" : "PRIVATE_RANGES_ONLY", network = var.network.network, subnetwork = var.network.subnetwork, tags = var.network.tags }] : []
      deletion_protection = local.is_production
      environment = {
        for variable in service.settings : variable => local.values[name][variable]
        if contains(keys(local.values[name]), variable)
      }
      secrets = {
        for variable in local.possible_secrets[name] : variable => {
          secret  = local.secret_names[variable]
          version = var.secret_versions[variable]
        } if contains(keys(var.secret_versions), variable) && !contains(local.login_secrets[name], variable)
      }
    }
  }

  # By environment variable: GEMINI_API_KEY -> projects/P/secrets/inquest-gemini-api-key.
  all_secrets  = toset(flatten(values(local.possible_secrets)))
  created_ids  = { for variable in local.all_secrets : variable => "${var.name}-${lower(replace(variable, "_", "-"))}" if !contains(keys(var.secret_ids), variable) }
  secret_names = { for variable in local.all_secrets : variable => lookup(var.secret_ids, variable, "projects/${var.project}/secrets/${lookup(local.created_ids, variable, "")}") }
}
