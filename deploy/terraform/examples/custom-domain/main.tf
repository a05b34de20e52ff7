# The API at a domain of your own, behind a global load balancer with Cloud Armor. access.yaml needs `proxies: 2`, because the load
# balancer appends an address to X-Forwarded-For.

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

variable "domain" {
  description = "Its A record must name the address of the output."
  type        = string
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

  # Requests that do not come through the load balancer are refused, so that no caller can choose its own address.
  api_ingress             = "load-balancer"
  api_requests_per_minute = 1200
}

resource "google_project_service" "compute" {
  project            = var.project
  service            = "compute.googleapis.com"
  disable_on_destroy = false
}

resource "google_compute_global_address" "address" {
  project    = var.project
  name       = "inquest-api"
  depends_on = [google_project_service.compute]
}

resource "google_compute_region_network_endpoint_group" "api" {
  project               = var.project
  name                  = "inquest-api"
  region                = var.region
  network_endpoint_type = "SERVERLESS"
  cloud_run {
    service = "inquest-api"
  }
  depends_on = [google_project_service.compute, module.inquest]
}

# The time limit of a serverless backend is that of its service.
resource "google_compute_backend_service" "api" {
  project               = var.project
  name                  = "inquest-api"
  load_balancing_scheme = "EXTERNAL_MANAGED"
  protocol              = "HTTPS"
  security_policy       = module.inquest.api_security_policy
  backend {
    group = google_compute_region_network_endpoint_group.api.id
  }
}

resource "google_compute_url_map" "api" {
  project         = var.project
  name            = "inquest-api"
  default_service = google_compute_backend_service.api.id
}

resource "google_compute_managed_ssl_certificate" "api" {
  project    = var.project
  name       = "inquest-api"
  depends_on = [google_project_service.compute]
  managed {
    domains = [var.domain]
  }
}

resource "google_compute_target_https_proxy" "api" {
  project          = var.project
  name             = "inquest-api"
  url_map          = google_compute_url_map.api.id
  ssl_certificates = [google_compute_managed_ssl_certificate.api.id]
}

resource "google_compute_global_forwarding_rule" "api" {
  project               = var.project
  name                  = "inquest-api"
  load_balancing_scheme = "EXTERNAL_MANAGED"
  ip_address            = google_compute_global_address.address.id
  port_range            = "443"
  target                = google_compute_target_https_proxy.api.id
}

output "address" {
  description = "The value of the domain's A record."
  value       = google_compute_global_address.address.address
}

output "next_steps" {
  value = module.inquest.next_steps
}
