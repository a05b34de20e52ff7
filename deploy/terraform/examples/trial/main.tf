# The smallest installation: no secret, Gemini through Vertex AI, and nothing left after `terraform destroy`, before which an apply
# with `-var delete_protection=false` removes the protection of the database. Build it with
# `npx --no inquest build --config deploy/trial`: its tools are Google's hosted MCP servers.

variable "project" {
  type = string
}

variable "project_number" {
  type = string
}

variable "region" {
  type = string
}

variable "manifest" {
  description = "dist/manifest.json, which `npx --no inquest build` writes."
  type        = string
}

variable "archive" {
  description = "The archive that `npx --no inquest build` writes."
  type        = string
}

variable "delete_protection" {
  type    = bool
  default = true
}

provider "google" {
  project               = var.project
  billing_project       = var.project
  user_project_override = true
}

provider "google-beta" {
  project               = var.project
  billing_project       = var.project
  user_project_override = true
}

module "inquest" {
  source = "../.."

  project        = var.project
  project_number = var.project_number
  region         = var.region
  manifest       = var.manifest
  archive        = var.archive

  delete_protection = var.delete_protection

  tool_roles = {
    (var.project) = ["roles/logging.viewer", "roles/monitoring.viewer", "roles/mcp.toolUser"]
  }
}

output "next_steps" {
  value = module.inquest.next_steps
}
