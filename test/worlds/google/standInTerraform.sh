#!/bin/sh
# A stand-in for the binary `terraform`, a script of the shell because it starts quickly. It plans a change for each resource
# block of the staged folder, and keeps its state in the folder STAND_IN_STATE. A file fail-COMMAND there has the text that the
# next call of that command fails with. Its outputs are constructed after those of Terraform 1.11.
set -eu
home=$STAND_IN_STATE
folder=.
case "$1" in -chdir=*) folder=${1#-chdir=}; shift ;; esac
command=$1
shift
echo "$command $*" >> "$home/calls.txt"
env | grep -E '^(GOOGLE_BILLING_PROJECT|USER_PROJECT_OVERRIDE)=' | sort > "$home/quota.txt" || true
if [ -f "$home/fail-$command" ]; then
  cat "$home/fail-$command" >&2
  rm "$home/fail-$command"
  exit 1
fi

# change ADDRESS ACTION
change() {
  printf '%s{"address":"%s","type":"%s","change":{"actions":["%s"]}}' "$comma" "$1" "${1%%.*}" "$2"
  comma=,
}

case "$command" in
version) printf '{"terraform_version":"%s","platform":"linux_amd64"}' "${STAND_IN_VERSION:-1.11.4}" ;;
init) echo 'Terraform has been successfully initialized!' ;;
plan)
  case " $* " in
  *' -destroy '*) : > "$folder/plan.tfplan" ;;
  *) sed -n 's/^resource "\([a-z_0-9]*\)" "\([a-z_0-9]*\)".*/\1.\2/p' "$folder"/*.tf > "$folder/plan.tfplan" ;;
  esac
  ;;
show)
  comma=
  printf '{"format_version":"1.2","resource_changes":['
  if [ ! -s "$folder/plan.tfplan" ]; then
    while read -r address; do change "$address" delete; done < "$home/state.txt"
  elif [ ! -f "$home/state.txt" ]; then
    while read -r address; do change "$address" create; done < "$folder/plan.tfplan"
  elif cmp -s "$folder/terraform.tfvars.json" "$home/variables.json"; then
    change google_cloud_run_v2_service.service no-op
  else
    change google_cloud_run_v2_service.service update
  fi
  printf ']}'
  ;;
apply)
  echo 'google_firestore_database.database: Creating...'
  cp "$folder/plan.tfplan" "$home/state.txt"
  cp "$folder/terraform.tfvars.json" "$home/variables.json"
  ;;
output)
  printf '{"api_url":{"sensitive":false,"type":"string","value":"https://inquest-api-415104041262.europe-west1.run.app"},'
  printf '"console_url":{"sensitive":false,"type":"string","value":"https://inquest-console-415104041262.europe-west1.run.app"},'
  member=$(sed -n 's/^  "first_member": "\(.*\)",\{0,1\}$/"user:\1"/p' "$home/variables.json")
  printf '"console_members":{"sensitive":false,"type":["list","string"],"value":[%s]},' "$member"
  printf '"next_steps":{"sensitive":false,"type":["list","string"],"value":["Check the deployment."]}}'
  ;;
*)
  echo "the stand-in knows no $command" >&2
  exit 1
  ;;
esac
