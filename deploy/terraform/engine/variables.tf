# The inputs of the module.

variable "project" {
  description = "Id of the project. It must exist and have billing."
  type        = string
}

variable "project_number" {
  description = "Number of the project: `gcloud projects describe PROJECT --format='value(projectNumber)'`."
  type        = string
}

variable "region" {
  description = "Region of the services, the messages, the schedule and the database, for example `europe-west1`."
  type        = string
}

variable "manifest" {
  description = "`agents.manifest` of the program: `jsondecode(file(\"manifest.json\"))`."
  type        = any
}

variable "image" {
  description = "Container image of the program, by its digest. It must start the functions-framework with the handler that `FUNCTION_TARGET` names: `work`, `bury` or `sweep`."
  type        = string
  validation {
    condition     = can(regex("@sha256:[0-9a-f]{64}$", var.image))
    error_message = "The image needs its digest: IMAGE@sha256:… A tag can change under a running service."
  }
}

variable "name" {
  description = "First part of the names of services, accounts and the schedule, and the name of the database."
  type        = string
  default     = "agents"
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{2,14}[a-z0-9]$", var.name))
    error_message = "Expected 4 to 16 lower-case letters, digits and hyphens."
  }
}

variable "environment" {
  description = "Variables of the program's environment. No secrets: Terraform stores them as text."
  type        = map(string)
  default     = {}
}

variable "secrets" {
  description = "Secrets of Secret Manager with their version by variable: `{ APPROVAL_KEY = { secret = \"approval-key\", version = \"1\" } }`. The services may read them."
  type        = map(object({ secret = string, version = string }))
  default     = {}
}

variable "max_instances" {
  description = "The most instances of a service, each for one iteration."
  type        = number
  default     = 20
}
