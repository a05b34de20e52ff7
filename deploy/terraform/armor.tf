# The policy of Cloud Armor before the public service. A load balancer of yours names it, as examples/custom-domain does.

resource "google_compute_security_policy" "api" {
  for_each   = module.settings.security_policies
  project    = module.settings.project
  name       = each.value.name
  depends_on = [google_project_service.api]

  rule {
    action   = "throttle"
    priority = 1000
    match {
      versioned_expr = "SRC_IPS_V1"
      config {
        src_ip_ranges = each.value.addresses
      }
    }
    rate_limit_options {
      conform_action = "allow"
      exceed_action  = "deny(429)"
      enforce_on_key = "IP"
      rate_limit_threshold {
        count        = each.value.requests_per_minute
        interval_sec = 60
      }
    }
  }

  rule {
    action   = "allow"
    priority = 2147483647
    match {
      versioned_expr = "SRC_IPS_V1"
      config {
        src_ip_ranges = each.value.addresses
      }
    }
  }
}
