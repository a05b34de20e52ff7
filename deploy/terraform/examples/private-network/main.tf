# MCP servers without a public address, and one fixed address for all requests of runIteration: Direct VPC egress with Cloud
# NAT. The services run images, for organizations that refuse features in preview.

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

variable "images" {
  description = "By service, with digest."
  type        = map(string)
}

locals {
  network    = "projects/${var.project}/global/networks/inquest"
  subnetwork = "projects/${var.project}/regions/${var.region}/subnetworks/inquest"
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

resource "google_project_service" "compute" {
  project            = var.project
  service            = "compute.googleapis.com"
  disable_on_destroy = false
}

resource "google_compute_network" "network" {
  project                 = var.project
  name                    = "inquest"
  auto_create_subnetworks = false
  depends_on              = [google_project_service.compute]
}

# Direct VPC egress takes addresses for each instance: a /26 is enough for 10 instances while they are replaced. Google's APIs
# are called without Cloud NAT.
resource "google_compute_subnetwork" "subnetwork" {
  project                  = var.project
  name                     = "inquest"
  region                   = var.region
  network                  = google_compute_network.network.id
  ip_cidr_range            = "10.20.0.0/26"
  private_ip_google_access = true
}

resource "google_compute_address" "egress" {
  project    = var.project
  name       = "inquest-egress"
  region     = var.region
  depends_on = [google_project_service.compute]
}

resource "google_compute_router" "router" {
  project = var.project
  name    = "inquest"
  region  = var.region
  network = google_compute_network.network.id
}

resource "google_compute_router_nat" "nat" {
  project                            = var.project
  name                               = "inquest"
  region                             = var.region
  router                             = google_compute_router.router.name
  nat_ip_allocate_option             = "MANUAL_ONLY"
  nat_ips                            = [google_compute_address.egress.self_link]
  source_subnetwork_ip_ranges_to_nat = "ALL_SUBNETWORKS_ALL_IP_RANGES"
}

module "inquest" {
  source = "../.."

  project        = var.project
  project_number = var.project_number
  region         = var.region
  manifest       = var.manifest
  deploy         = "image"
  images         = var.images

  network = {
    network     = local.network
    subnetwork  = local.subnetwork
    all_traffic = true
    tags        = ["inquest"]
  }

  depends_on = [google_compute_subnetwork.subnetwork, google_compute_router_nat.nat]
}

output "egress_address" {
  description = "The address that firewalls of MCP servers allow."
  value       = google_compute_address.egress.address
}

output "next_steps" {
  value = module.inquest.next_steps
}
