# The inputs of the module.

variable "project" {
  description = "Id of the project. It must exist and have billing."
  type        = string
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.project))
    error_message = "The project's id has 6 to 30 lower-case letters, digits and hyphens. Its name and its number are something else."
  }
}

variable "project_number" {
  description = "Number of the project: `gcloud projects describe PROJECT --format='value(projectNumber)'`. Addresses of services and accounts of Google's agents contain it."
  type        = string
  validation {
    condition     = can(regex("^[0-9]{6,}$", var.project_number))
    error_message = "Expected digits only: gcloud projects describe PROJECT --format='value(projectNumber)'."
  }
}

variable "region" {
  description = "Region of all services, messages and of the schedule, for example `europe-west1`."
  type        = string
  validation {
    condition     = can(regex("^[a-z]+-[a-z]+[0-9]+$", var.region))
    error_message = "Expected a region such as europe-west1, not a zone and not a multi-region."
  }
}

variable "name" {
  description = "Name of the installation. Every resource starts with it, so that a project can have several installations."
  type        = string
  default     = "inquest"
  nullable    = false
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{2,14}[a-z0-9]$", var.name))
    error_message = "Expected 4 to 16 lower-case letters, digits and hyphens, with a letter first and no hyphen last."
  }
}

variable "tier" {
  description = "`trial`: destroying it leaves nothing. `production`: point-in-time recovery, daily backups that are kept for 14 days, and deletion protection of services and archives."
  type        = string
  default     = "trial"
  nullable    = false
  validation {
    condition     = contains(["trial", "production"], var.tier)
    error_message = "Expected trial or production."
  }
}

variable "manifest" {
  description = "Path of the `manifest.json` that `inquest build` writes."
  type        = string
  validation {
    condition     = can(jsondecode(file(var.manifest)).services)
    error_message = "No manifest.json can be read there. `npx --no inquest build` writes dist/manifest.json."
  }
}

variable "archive" {
  description = "Path of the archive that `inquest build` writes, `….tar.gz`, named by its digest. Required when `deploy` is `zip`."
  type        = string
  default     = null
}

variable "deploy" {
  description = "`zip`: Cloud Run runs the archive on Google's Node image, without a build (preview). `image`: it runs the images of `images`."
  type        = string
  default     = "zip"
  nullable    = false
  validation {
    condition     = contains(["zip", "image"], var.deploy)
    error_message = "Expected zip or image."
  }
}

variable "images" {
  description = "The image of each service, by the service's name in the manifest, with its digest: `REGION-docker.pkg.dev/…@sha256:…`. Required when `deploy` is `image`."
  type        = map(string)
  default     = {}
  nullable    = false
  validation {
    condition     = alltrue([for image in values(var.images) : can(regex("@sha256:[0-9a-f]{64}$", image))])
    error_message = "Every image needs its digest, @sha256:…; a tag can change without a plan."
  }
}

variable "firestore_indexes" {
  description = "Path of `firestore.indexes.json`. Default: the file of the checkout or package that contains this module."
  type        = string
  default     = null
}

variable "firestore_rules" {
  description = "Path of `firestore.rules`. Default: the file of the checkout or package that contains this module."
  type        = string
  default     = null
}

variable "firestore_location" {
  description = "Location of the database: a region, or `eur3` or `nam5`. It cannot change later. Default: `region`."
  type        = string
  default     = null
}

variable "database" {
  description = "Id of a database that exists, for example one that was restored from a backup. The module then creates no database and no index, which a restored one has; it sets its fields, time to live, rules and backups. Default: the module creates the database `name`."
  type        = string
  default     = null
  validation {
    condition     = var.database == null ? true : can(regex("^[a-z][a-z0-9-]{2,61}[a-z0-9]$", var.database))
    error_message = "Expected 4 to 63 lower-case letters, digits and hyphens, with a letter first and no hyphen last."
  }
}

variable "delete_protection" {
  description = "Protects the database from deletion, in both tiers. To delete a trial, set `false` and apply before `terraform destroy`; `inquest deploy --destroy` does this itself."
  type        = bool
  default     = true
  nullable    = false
}

variable "skip_index_wait" {
  description = "Creates all indexes at once and waits a fixed time. Only for a database that is new and empty; an existing one must have its new indexes before a new revision runs."
  type        = bool
  default     = false
  nullable    = false
}

variable "topic_regions" {
  description = "Regions in which Pub/Sub can store messages. Default: `region` only."
  type        = list(string)
  default     = null
}

variable "secret_versions" {
  description = "The version of each secret, a number, by the environment variable that it becomes. Services that use a secret without a version are not created."
  type        = map(string)
  default     = {}
  nullable    = false
  validation {
    condition     = alltrue([for version in values(var.secret_versions) : can(regex("^[1-9][0-9]*$", version))])
    error_message = "Expected numbers of versions. `latest` is refused: a revision could start with a secret that no plan showed."
  }
}

variable "secret_ids" {
  description = "Secrets that exist already, `projects/PROJECT/secrets/ID`, by environment variable. The module creates all others, without a version."
  type        = map(string)
  default     = {}
  nullable    = false
  validation {
    condition     = alltrue([for id in values(var.secret_ids) : can(regex("^projects/[^/]+/secrets/[^/]+$", id))])
    error_message = "Expected projects/PROJECT/secrets/ID."
  }
}

variable "environment" {
  description = "Further environment variables. Each service gets those that the manifest lists for it. Never secrets: the state and the plan show them."
  type        = map(string)
  default     = {}
  nullable    = false
  validation {
    condition     = length([for name in keys(var.environment) : name if can(regex("(_KEY|_TOKEN|_SECRET|PASSWORD)$", name))]) == 0
    error_message = "A name that ends in _KEY, _TOKEN, _SECRET or PASSWORD is a secret: add a version to its secret instead, see secret_versions."
  }
}

variable "vertex" {
  description = "Calls Gemini through Vertex AI with the service accounts of the services, without a key. `false`: with the secret `GEMINI_API_KEY`."
  type        = bool
  default     = true
  nullable    = false
}

variable "vertex_location" {
  description = "Location of the models on Vertex AI. It is independent of `region`: not every region has every model."
  type        = string
  default     = "global"
  nullable    = false
}

variable "tool_roles" {
  description = "Roles of the agents' tools, by project: `{ my-project = [\"roles/logging.viewer\"] }`. Granted to the account of runIteration, which makes all tool calls."
  type        = map(list(string))
  default     = {}
  nullable    = false
  validation {
    condition     = length(setintersection(flatten(values(var.tool_roles)), ["roles/owner", "roles/editor", "roles/viewer"])) == 0
    error_message = "Basic roles are refused: roles/viewer reads the contents of buckets and databases, too. Name the viewers of single products."
  }
}

variable "alert_publishers" {
  description = "Further members that can publish alerts, for example `serviceAccount:service-NUMBER@gcp-sa-monitoring-notification.iam.gserviceaccount.com` of another project."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = length(setintersection(var.alert_publishers, ["allUsers", "allAuthenticatedUsers"])) == 0
    error_message = "allUsers and allAuthenticatedUsers are refused: everyone could start investigations."
  }
}

variable "change_projects" {
  description = "Projects whose changes a log sink exports to the topic `changes`: admin activity and Google's own incidents. Default: `project`. `[]`: none. Who applies this needs `roles/logging.configWriter` in each of them."
  type        = list(string)
  default     = null
}

variable "change_topics" {
  description = "Topics of Cloud Deploy and Cloud Build that are sources of changes: `projects/PROJECT/topics/clouddeploy-operations`, `projects/PROJECT/topics/cloud-builds`. They must exist."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = alltrue([for topic in var.change_topics : can(regex("^projects/[^/]+/topics/[^/]+$", topic))])
    error_message = "Expected projects/PROJECT/topics/ID."
  }
}

variable "console_members" {
  description = "Members that IAP admits to the console: `user:ada@example.com`, `group:sre@example.com`, `domain:example.com`. `access.yaml` gives them a role."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = length(setintersection(var.console_members, ["allUsers", "allAuthenticatedUsers"])) == 0
    error_message = "allUsers and allAuthenticatedUsers are refused: name users, groups or domains."
  }
}

variable "first_member" {
  description = "E-mail address of the person who is the console's first member: IAP admits them, with the role `admin` unless `access.yaml` names another. `inquest deploy` sets it to the caller while `console_members` is empty."
  type        = string
  default     = null
  validation {
    condition     = var.first_member == null ? true : can(regex("^[^@[:space:],]+@[^@[:space:],]+$", var.first_member))
    error_message = "Expected an e-mail address, such as ada@example.com."
  }
}

variable "api_ingress" {
  description = "`all`: the API answers at its address of Cloud Run. `load-balancer`: only through a load balancer, for a domain of your own."
  type        = string
  default     = "all"
  nullable    = false
  validation {
    condition     = contains(["all", "load-balancer"], var.api_ingress)
    error_message = "Expected all or load-balancer."
  }
}

variable "api_requests_per_minute" {
  description = "Requests of one address in a minute above which Cloud Armor answers 429, before the service `api`. With `api_ingress` `load-balancer` only: the module makes the policy, and your load balancer names it (output `api_security_policy`). Priced per policy, rule and request: https://cloud.google.com/armor/pricing. `0`: no policy. At the address of Cloud Run, only the limits of access.yaml apply."
  type        = number
  default     = 1200
  nullable    = false
  validation {
    condition     = var.api_requests_per_minute >= 0 && var.api_requests_per_minute <= 1000000 && floor(var.api_requests_per_minute) == var.api_requests_per_minute
    error_message = "Expected a whole number from 0 to 1,000,000."
  }
}

variable "network" {
  description = "Sends requests of runIteration into a network by Direct VPC egress, for MCP servers without a public address. `all_traffic`: also requests to public addresses, for fixed egress addresses through Cloud NAT."
  type = object({
    network     = string
    subnetwork  = string
    all_traffic = optional(bool, false)
    tags        = optional(list(string), [])
  })
  default = null
}

variable "notification_email" {
  description = "Address that gets the alerts about Inquest itself. The module creates the channel."
  type        = string
  default     = null
}

variable "notification_channels" {
  description = "Further channels for alerts about Inquest itself, `projects/PROJECT/notificationChannels/ID`. Not a channel that publishes to this installation's topic `alerts`: it is of no use while Inquest is down."
  type        = list(string)
  default     = []
  nullable    = false
}

variable "daily_tokens" {
  description = "Tokens of a day above which an alert opens. Default: 2 million in `trial`, 20 million in `production`. It limits nothing: `dailyTokens` in system.yaml does."
  type        = number
  default     = null
  validation {
    condition     = var.daily_tokens == null ? true : var.daily_tokens > 0
    error_message = "Expected a positive number."
  }
}

variable "runbook" {
  description = "Address of docs/runbook.md, to which alerts about Inquest itself link. Default: they name the section only."
  type        = string
  default     = null
}

variable "budget" {
  description = "A monthly budget of the project, in units of the billing account's currency. Notifies at 50, 90 and 100 %; it stops nothing."
  type = object({
    billing_account = string
    amount          = number
    currency        = string
  })
  default = null
}

variable "data_access_logs" {
  description = "Logs every read and write of Firestore and every access to a secret in the project, also by other programs. Cloud Logging takes $0.50 for each GiB after the first 50 GiB of a project and month, with 30 days of storage (https://cloud.google.com/products/observability/pricing, as of 2026-09-12)."
  type        = bool
  default     = true
  nullable    = false
}

variable "telemetry" {
  description = "Exports traces and metrics of investigations as telemetry.yaml states, by default to Cloud Trace and Cloud Monitoring. Grants every service the right to write traces, and the sweep the right to write metrics."
  type        = bool
  default     = true
  nullable    = false
}

variable "labels" {
  description = "Labels of all resources that have labels."
  type        = map(string)
  default     = {}
  nullable    = false
}
