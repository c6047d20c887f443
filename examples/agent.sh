#!/bin/sh
# A coding agent under rules and limits, in any CI, by hand or by cron.
#   agent.sh PROMPT [FOLDER]
# FOLDER (agent-report) gets the events of the run, its summary and its report as tests. It should not lie where the agent may write.
# Exit codes: those of sluice run; 1 also when something failed or was refused on the way.
set -u
prompt=${1:?usage: agent.sh PROMPT [FOLDER]}
folder=${2:-agent-report}
mkdir -p "$folder" || exit 2
log=$folder/run.ndjson

code=0
printf '%s\n' "$prompt" | sluice run - ${AGENT_MODEL:+--model "$AGENT_MODEL"} \
  --permission 'edit=allow' --permission 'write=allow' --permission 'bash:npm test *=allow' \
  --max-cost "${AGENT_MAX_COST:-2.00}" --timeout "${AGENT_TIMEOUT:-20m}" \
  --on-event "sluice:$log" || code=$?

[ -s "$log" ] || exit "$code" # it did not begin, and has said why
sluice digest --format markdown "$log" > "$folder/summary.md"
sluice digest --format junit --fail-on error,denied "$log" > "$folder/report.xml" || [ "$code" -ne 0 ] || code=1
exit "$code"
