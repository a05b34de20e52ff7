# As those of the module.

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
  type = any
}
variable "image" {
  type = string
}
variable "name" {
  type = string
}
variable "environment" {
  type = map(string)
}
variable "secrets" {
  type = map(object({ secret = string, version = string }))
}
variable "max_instances" {
  type = number
}
