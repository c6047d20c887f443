// Names that the program uses and that this dialect only passes on: methods of the app-server, and the inner types of rollout records.
// Whatever is neither here nor in `wire.ts` is unknown.

type Why = 'redundant' | 'unmapped'

/** `redundant`: other records tell the same. */
const names = (redundant: string, unmapped: string): ReadonlyMap<string, Why> =>
  new Map<string, Why>([
    ...split(redundant).map((name): [string, Why] => [name, 'redundant']),
    ...split(unmapped).map((name): [string, Why] => [name, 'unmapped']),
  ])

const split = (text: string): string[] => text.trim().split(/\s+/)

export const otherMethods = names(
  'initialized rawResponseItem/completed rawResponse/completed codex/event',
  `initialize review/start model/list collaborationMode/list app/list app/list/updated plugin/list hooks/list
  thread/archive thread/archived thread/unarchive thread/unarchived thread/delete thread/deleted thread/unsubscribe
  thread/rollback thread/compact/start thread/list thread/loaded/list thread/read thread/turns/list thread/inject_items
  thread/shellCommand thread/backgroundTerminals/clean thread/settings/update thread/metadata/update thread/goal/set
  thread/goal/get thread/goal/clear thread/goal/updated thread/goal/cleared thread/queue/changed thread/project/updated
  thread/readState/changed thread/environment/connected thread/environment/disconnected thread/increment_elicitation thread/decrement_elicitation
  thread/realtime/start thread/realtime/stop thread/realtime/started thread/realtime/itemAdded thread/realtime/item/started
  thread/realtime/item/transcript/delta thread/realtime/item/completed thread/realtime/transcript/delta
  thread/realtime/transcript/done thread/realtime/outputAudio/delta thread/realtime/sdp thread/realtime/error
  thread/realtime/closed project/changed skills/list skills/changed skills/config/write turn/moderationMetadata
  autoApprovalReview/strictReviewRequired command/exec command/exec/write command/exec/resize command/exec/terminate
  command/exec/outputDelta process/outputDelta process/exited mcpServer/oauth/login mcpServer/oauthLogin/completed
  mcpServer/event/stream/notification mcpServer/resource/read mcpServer/tool/call mcpServerStatus/list config/mcpServer/reload
  account/login/start account/login/cancel account/login/completed account/logout account/read account/updated
  account/rateLimits/read account/chatgptAuthTokens/refresh attestation/generate currentTime/read feedback/upload
  remoteControl/status/changed externalAgentConfig/import/progress externalAgentConfig/import/completed
  config/read config/value/write config/batchWrite configRequirements/read experimentalFeature/list
  fs/readFile fs/writeFile fs/createDirectory fs/getMetadata fs/readDirectory fs/remove fs/copy fs/watch fs/unwatch fs/changed
  model/verification model/safetyBuffering/updated modelProvider/authRecoveryStarted modelProvider/authRecoveryCompleted
  fuzzyFileSearch fuzzyFileSearch/sessionStart fuzzyFileSearch/sessionUpdate fuzzyFileSearch/sessionStop
  fuzzyFileSearch/sessionUpdated fuzzyFileSearch/sessionCompleted windows/worldWritableWarning windowsSandbox/setupCompleted`,
)

export const otherResponses = names(
  'compaction compaction_summary context_compaction compaction_trigger',
  'ghost_snapshot additional_tools other',
)

export const otherEvents = names(
  `user_message agent_message agent_message_delta agent_message_content_delta agent_reasoning agent_reasoning_delta
  agent_reasoning_raw_content agent_reasoning_raw_content_delta agent_reasoning_section_break reasoning_content_delta
  reasoning_raw_content_delta plan_delta session_configured raw_response_item shutdown_complete exec_command_begin
  exec_command_output_delta terminal_interaction patch_apply_begin patch_apply_updated mcp_tool_call_begin web_search_begin
  web_search_end image_generation_begin image_generation_end view_image_tool_call dynamic_tool_call_request
  dynamic_tool_call_response collab_agent_spawn_begin collab_agent_interaction_begin collab_agent_interaction_end
  collab_waiting_begin collab_close_begin collab_resume_begin collab_resume_end sub_agent_activity`,
  `exec_approval_request apply_patch_approval_request request_permissions request_user_input elicitation_request
  guardian_assessment hook_started hook_completed mcp_startup_update mcp_startup_complete mcp_list_tools_response
  list_skills_response skills_update_available get_history_entry_response undo_started undo_completed model_reroute
  model_verification thread_goal_updated`,
)
