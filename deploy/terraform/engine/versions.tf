# As the module of Inquest.

terraform {
  required_version = ">= 1.5.7"
  required_providers {
    google      = { source = "hashicorp/google", version = ">= 7.45, < 9" }
    google-beta = { source = "hashicorp/google-beta", version = ">= 7.45, < 9" }
  }
}
