# Alerts about Inquest itself, their channel, the dashboard, the budget and audit logs.

resource "google_logging_metric" "metric" {
  for_each         = module.settings.log_metrics
  project          = module.settings.project
  name             = each.value.name
  filter           = each.value.filter
  value_extractor  = each.value.extractor
  label_extractors = each.value.labels
  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = each.value.value_type
    dynamic "labels" {
      for_each = each.value.labels
      content {
        key        = labels.key
        value_type = "STRING"
      }
    }
  }
  depends_on = [google_project_service.api]
}

resource "google_monitoring_notification_channel" "email" {
  for_each     = module.settings.email_channels
  project      = module.settings.project
  display_name = each.value.name
  type         = "email"
  labels       = each.value.labels
  depends_on   = [google_project_service.api]
}

resource "google_monitoring_alert_policy" "policy" {
  for_each              = module.settings.policies
  project               = module.settings.project
  display_name          = each.value.name
  severity              = each.value.severity
  combiner              = "OR"
  user_labels           = module.settings.labels
  notification_channels = concat(module.settings.channels, values(google_monitoring_notification_channel.email)[*].name)
  documentation {
    mime_type = "text/markdown"
    content   = each.value.content
    subject   = each.value.subject
    dynamic "links" {
      for_each = each.value.links
      content {
        display_name = links.value.name
        url          = links.value.url
      }
    }
  }
  alert_strategy {
    auto_close = each.value.auto_close
    dynamic "notification_rate_limit" {
      for_each = each.value.rate_limits
      content {
        period = notification_rate_limit.value
      }
    }
  }
  dynamic "conditions" {
    for_each = each.value.absences
    content {
      display_name = each.value.name
      condition_absent {
        filter   = conditions.value.filter
        duration = conditions.value.duration
        aggregations {
          alignment_period     = conditions.value.period
          per_series_aligner   = "ALIGN_DELTA"
          cross_series_reducer = "REDUCE_SUM"
        }
      }
    }
  }
  dynamic "conditions" {
    for_each = each.value.thresholds
    content {
      display_name = each.value.name
      condition_threshold {
        filter          = conditions.value.filter
        comparison      = "COMPARISON_GT"
        threshold_value = conditions.value.above
        duration        = conditions.value.duration
        aggregations {
          alignment_period     = conditions.value.period
          per_series_aligner   = conditions.value.aligner
          cross_series_reducer = conditions.value.reducer
          group_by_fields      = conditions.value.group_by
        }
      }
    }
  }
  dynamic "conditions" {
    for_each = each.value.burns
    content {
      display_name = each.value.name
      condition_threshold {
        filter          = conditions.value.filter
        comparison      = "COMPARISON_GT"
        threshold_value = conditions.value.above
        duration        = "0s"
      }
    }
  }
  dynamic "conditions" {
    for_each = each.value.matches
    content {
      display_name = each.value.name
      condition_matched_log {
        filter = conditions.value.filter
      }
    }
  }
  dynamic "conditions" {
    for_each = each.value.queries
    content {
      display_name = each.value.name
      condition_prometheus_query_language {
        query               = conditions.value.query
        evaluation_interval = conditions.value.interval
      }
    }
  }
  # A policy can only name a metric and an objective that exist.
  depends_on = [google_logging_metric.metric, google_monitoring_slo.objective]
}

resource "google_monitoring_custom_service" "installation" {
  project      = module.settings.project
  service_id   = module.settings.slo_service
  display_name = module.settings.slo_service
  user_labels  = module.settings.labels
  depends_on   = [google_project_service.api]
}

resource "google_monitoring_slo" "objective" {
  for_each            = module.settings.objectives
  project             = module.settings.project
  service             = google_monitoring_custom_service.installation.service_id
  slo_id              = each.value.name
  display_name        = each.value.title
  goal                = each.value.goal
  rolling_period_days = each.value.days
  request_based_sli {
    good_total_ratio {
      bad_service_filter   = each.value.bad
      total_service_filter = each.value.total
    }
  }
  depends_on = [google_logging_metric.metric]
}

resource "google_monitoring_dashboard" "dashboard" {
  project        = module.settings.project
  dashboard_json = module.settings.dashboard
  depends_on     = [google_logging_metric.metric]
}

resource "google_billing_budget" "budget" {
  for_each        = module.settings.budgets
  billing_account = each.value.account
  display_name    = each.value.name
  budget_filter {
    projects = each.value.projects
  }
  amount {
    specified_amount {
      currency_code = each.value.currency
      units         = each.value.units
    }
  }
  dynamic "threshold_rules" {
    for_each = each.value.steps
    content {
      threshold_percent = threshold_rules.value
    }
  }
  depends_on = [google_project_service.api]
}

resource "google_project_iam_audit_config" "audit" {
  for_each = module.settings.audited
  project  = module.settings.project
  service  = each.value.service
  dynamic "audit_log_config" {
    for_each = each.value.types
    content {
      log_type = audit_log_config.value
    }
  }
}
