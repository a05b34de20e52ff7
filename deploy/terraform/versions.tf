# Terraform 1.5.7 is the newest version that Infrastructure Manager runs. The backend is chosen by the caller: `inquest deploy`
# writes backend.tf; Infrastructure Manager keeps the state itself.

terraform {
  required_version = ">= 1.5.7"
  required_providers {
    google      = { source = "hashicorp/google", version = ">= 7.45, < 9" }
    google-beta = { source = "hashicorp/google-beta", version = ">= 7.45, < 9" }
    time        = { source = "hashicorp/time", version = ">= 0.12, < 1" }
  }
}
