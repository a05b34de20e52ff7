# Alert policies about Inquest itself, the metrics that they read, and the dashboard. They work while Inquest is
# down, except the counts of rejected messages, failures and tokens, which need log lines of the services.

locals {
  daily_tokens = coalesce(var.daily_tokens, local.is_production ? 20000000 : 2000000)
  all_services = "resource.labels.service_name=(${join(" OR ", [for id in sort(values(local.service_ids)) : "\"${id}\""])})"
  logs         = "resource.type=\"cloud_run_revision\" AND ${local.all_services}"

  push_names        = [for key in sort(keys(local.push_subscriptions)) : local.push_subscriptions[key].name]
  dead_letter_names = [for key in sort(keys(local.dead_letter_pairs)) : local.subscriptions[key].name]
  one_of            = { for key, names in { push = local.push_names, dead = local.dead_letter_names } : key => "one_of(${join(",", [for name in names : "\"${name}\""])})" }

  # Log-based metrics. The fields are those of shared/engine/handleIteration.ts and logSessionEnd.ts.
  log_metrics = {
    tokens = {
      name       = "${var.name}-tokens"
      filter     = "${local.logs} AND jsonPayload.message=\"iteration handled\" AND jsonPayload.tokens.total>0"
      value_type = "DISTRIBUTION"
      extractor  = "EXTRACT(jsonPayload.tokens.total)"
      labels     = {}
    }
    sessions = {
      name       = "${var.name}-sessions"
      filter     = "${local.logs} AND jsonPayload.message=\"session ended\""
      value_type = "INT64"
      extractor  = null
      labels     = { status = "EXTRACT(jsonPayload.status)" }
    }
    canary = {
      name       = "${var.name}-canary"
      filter     = "${local.logs} AND jsonPayload.message=\"canary arrived\""
      value_type = "INT64"
      extractor  = null
      labels     = {}
    }
  }
  # In the name of a metric in PromQL, every character except letters and digits is an underscore. A log-based metric belongs to
  # several types of resources, so the query must select one of them.
  tokens_of_the_day = "sum(increase(logging_googleapis_com:user_${replace(var.name, "-", "_")}_tokens_sum{monitored_resource=\"cloud_run_revision\"}[1d]))"

  # By the anchor of the section in docs/runbook.md, whose heading is the title.
  alerts = {
    sweep-silent = {
      title    = "Sweep silent"
      severity = "CRITICAL"
      summary  = "The service ${var.name}-sweep answered no call of the schedule for 10 minutes. Sessions whose iteration was lost do not continue, and deferred sessions do not start."
    }
    canary-missing = {
      title    = "Canary missing"
      severity = "CRITICAL"
      summary  = "The hourly test alert did not arrive for 2 hours. Alerts of your sources can be waiting or lost."
    }
    dead-letters = {
      title    = "Dead letters"
      severity = "ERROR"
      summary  = "Pub/Sub gave up on a message after its last attempt. A dead letter of iterations ended its session; one of alerts waits in ${var.name}-alerts-dead-pull for 31 days."
    }
    oldest-message = {
      title    = "Oldest message"
      severity = "ERROR"
      summary  = "The oldest message of a subscription has waited for more than 15 minutes."
    }
    rejected-messages = {
      title    = "Rejected messages"
      severity = "WARNING"
      summary  = "A message could not be read. It was recorded and acknowledged: the record has the reason."
    }
    failed-sessions = {
      title    = "Failed sessions"
      severity = "WARNING"
      summary  = "An investigation ended as failed or timed_out."
    }
    objectives = {
      title    = "Objectives"
      severity = "ERROR"
      summary  = "An objective of the installation will be missed: ${join("; ", [for slo in values(local.slos) : "${slo.goal * 100} % of ${slo.text}"])}, in ${local.slo_days} days. Errors come at ${local.burn_rates.fast.above} times the permitted rate for an hour, or at ${local.burn_rates.slow.above} times for a day."
    }
    tokens-of-the-day = {
      title    = "Tokens of the day"
      severity = "WARNING"
      summary  = "Investigations used more than ${local.daily_tokens} tokens in 24 hours. Nothing was stopped: `dailyTokens` in system.yaml does that."
    }
  }

  absences = {
    sweep-silent = [{
      filter   = "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=\"${var.name}-sweep\" AND metric.type=\"run.googleapis.com/request_count\" AND metric.labels.response_code_class=\"2xx\""
      duration = "600s"
      period   = "60s"
    }]
    canary-missing = [{
      filter   = "resource.type=\"cloud_run_revision\" AND metric.type=\"logging.googleapis.com/user/${local.log_metrics.canary.name}\""
      duration = "7200s"
      period   = "300s"
    }]
  }
  thresholds = {
    dead-letters = [{
      filter   = "resource.type=\"pubsub_subscription\" AND resource.labels.subscription_id=${local.one_of.dead} AND metric.type=\"pubsub.googleapis.com/subscription/dead_letter_message_count\""
      above    = 0
      duration = "0s"
      period   = "300s"
      aligner  = "ALIGN_DELTA"
      reducer  = "REDUCE_SUM"
      group_by = ["resource.label.subscription_id"]
    }]
    oldest-message = [{
      filter   = "resource.type=\"pubsub_subscription\" AND resource.labels.subscription_id=${local.one_of.push} AND metric.type=\"pubsub.googleapis.com/subscription/oldest_unacked_message_age\""
      above    = 900
      duration = "300s"
      period   = "60s"
      aligner  = "ALIGN_MAX"
      reducer  = "REDUCE_MAX"
      group_by = ["resource.label.subscription_id"]
    }]
  }
  log_matches = {
    rejected-messages = [{ filter = "${local.logs} AND jsonPayload.message=~\"^rejected: \"" }]
    failed-sessions   = [{ filter = "${local.logs} AND jsonPayload.message=\"session ended\" AND jsonPayload.status=(\"failed\" OR \"timed_out\")" }]
  }
  queries = {
    tokens-of-the-day = [{ query = "${local.tokens_of_the_day} > ${local.daily_tokens}", interval = "300s" }]
  }

  # Service level objectives. A session that a person cancels is no error. A push that fails is repeated, but delays its alert.
  slo_days = 28
  slos = {
    investigations = {
      name  = "${var.name}-investigations"
      text  = "investigations end with a result"
      goal  = 0.95
      total = "resource.type=\"cloud_run_revision\" AND metric.type=\"logging.googleapis.com/user/${local.log_metrics.sessions.name}\""
      bad   = " AND metric.labels.status=one_of(\"failed\",\"timed_out\")"
    }
    alerts = {
      name  = "${var.name}-alerts"
      text  = "deliveries of alerts are accepted"
      goal  = 0.99
      total = "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=\"${local.service_ids["ingestAlert"]}\" AND metric.type=\"run.googleapis.com/request_count\""
      bad   = " AND metric.labels.response_code_class!=\"2xx\""
    }
  }
  objectives = { for key, slo in local.slos : key => { name = slo.name, title = "${slo.goal * 100} % of ${slo.text}", goal = slo.goal, days = local.slo_days, total = slo.total, bad = "${slo.total}${slo.bad}" } }
  # At 10 times the permitted rate an hour uses 1.5 % of what 28 days permit, at 2 times a day uses 7 %.
  burn_rates = {
    fast = { above = 10, window = "3600s" }
    slow = { above = 2, window = "86400s" }
  }
  burns = {
    objectives = [for pair in setproduct(sort(keys(local.slos)), sort(keys(local.burn_rates))) : {
      filter = "select_slo_burn_rate(\"projects/${var.project_number}/services/${var.name}/serviceLevelObjectives/${local.slos[pair[0]].name}\", \"${local.burn_rates[pair[1]].window}\")"
      above  = local.burn_rates[pair[1]].above
    }]
  }

  policies = {
    for key, alert in local.alerts : key => {
      name       = "${var.name}: ${alert.title}"
      severity   = alert.severity
      content    = "${alert.summary}\n\n${var.runbook == null ? "See the section \"${alert.title}\" of docs/runbook.md." : "[${alert.title}](${var.runbook}#${key})"}"
      subject    = "${var.name}: ${alert.title}"
      links      = var.runbook == null ? [] : [{ name = "Runbook", url = "${var.runbook}#${key}" }]
      absences   = lookup(local.absences, key, [])
      thresholds = lookup(local.thresholds, key, [])
      matches    = lookup(local.log_matches, key, [])
      queries    = lookup(local.queries, key, [])
      burns      = lookup(local.burns, key, [])
      # Only policies of log lines have a limit, and they need one.
      rate_limits = contains(keys(local.log_matches), key) ? ["3600s"] : []
      auto_close  = "86400s"
    }
  }

  email_channels = var.notification_email == null ? {} : { email = { name = "${var.name}: operators", labels = { email_address = var.notification_email } } }

  revisions    = "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=monitoring.regex.full_match(\"${var.name}-.*\")"
  the_database = "resource.type=\"firestore.googleapis.com/Database\" AND resource.labels.database_id=\"${local.database_id}\""
  # A filter must name one type of metric. A chart of two metrics has two sets of data.
  charts = [
    { title = "Requests by service and class", aligner = "ALIGN_RATE", sets = [{ filter = "${local.revisions} AND metric.type=\"run.googleapis.com/request_count\"", group_by = ["resource.label.service_name", "metric.label.response_code_class"] }] },
    { title = "Instances", aligner = "ALIGN_MAX", sets = [{ filter = "${local.revisions} AND metric.type=\"run.googleapis.com/container/instance_count\"", group_by = ["resource.label.service_name"] }] },
    { title = "Age of the oldest message (s)", aligner = "ALIGN_MAX", sets = [{ filter = local.thresholds.oldest-message[0].filter, group_by = ["resource.label.subscription_id"] }] },
    { title = "Dead letters", aligner = "ALIGN_DELTA", sets = [{ filter = local.thresholds.dead-letters[0].filter, group_by = ["resource.label.subscription_id"] }] },
    { title = "Sessions that ended, by status", aligner = "ALIGN_DELTA", sets = [{ filter = "resource.type=\"cloud_run_revision\" AND metric.type=\"logging.googleapis.com/user/${local.log_metrics.sessions.name}\"", group_by = ["metric.label.status"] }] },
    { title = "Documents read and written", aligner = "ALIGN_RATE", sets = [
      { filter = "${local.the_database} AND metric.type=\"firestore.googleapis.com/document/read_ops_count\"", group_by = ["metric.label.type"] },
      { filter = "${local.the_database} AND metric.type=\"firestore.googleapis.com/document/write_ops_count\"", group_by = ["metric.label.op"] },
    ] },
  ]
  dashboard = jsonencode({
    displayName = var.name
    mosaicLayout = {
      columns = 12
      tiles = concat(
        [for index, chart in local.charts : {
          xPos = index % 2 * 6, yPos = floor(index / 2) * 4, width = 6, height = 4
          widget = {
            title = chart.title
            xyChart = { dataSets = [for set in chart.sets : {
              plotType = "LINE"
              timeSeriesQuery = { timeSeriesFilter = {
                filter      = set.filter
                aggregation = { alignmentPeriod = "60s", perSeriesAligner = chart.aligner, crossSeriesReducer = "REDUCE_SUM", groupByFields = set.group_by }
              } }
            }] }
          }
        }],
        [{
          xPos = 0, yPos = 12, width = 12, height = 4
          widget = { title = "Tokens of 24 hours", xyChart = {
            dataSets   = [{ plotType = "LINE", timeSeriesQuery = { prometheusQuery = local.tokens_of_the_day } }]
            thresholds = [{ value = local.daily_tokens }]
          } }
        }],
      )
    }
  })

  budgets = var.budget == null ? {} : { month = {
    account  = var.budget.billing_account
    name     = var.name
    projects = ["projects/${var.project_number}"]
    currency = var.budget.currency
    units    = tostring(floor(var.budget.amount))
    steps    = [0.5, 0.9, 1]
  } }
  audited = var.data_access_logs ? {
    firestore = { service = "datastore.googleapis.com", types = ["DATA_READ", "DATA_WRITE"] }
    secrets   = { service = "secretmanager.googleapis.com", types = ["DATA_READ"] }
  } : {}
}
