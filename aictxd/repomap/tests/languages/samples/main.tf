# Provider.
terraform {
  required_version = ">= 1"
}
provider "aws" {
  region = var.region
}
# The bucket. More.
resource "aws_s3_bucket" "logs" {
  bucket = "x"
  lifecycle { prevent_destroy = true }
}
data "aws_ami" "ubuntu" {}
variable "region" {
  description = "Where it runs."
  default     = "eu"
}
output "id" { value = 1 }
module "network" {
  source = "./modules/network"
}
locals {
  name = "x"
  tags = {}
}
