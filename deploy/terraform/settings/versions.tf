# Infrastructure Manager runs Terraform 1.5.7. This module has no provider, so that it is evaluated offline.

terraform {
  required_version = ">= 1.5.7"
}
