// What sort of tool a name stands for, over all agents. The name itself is never changed.
import type { ToolKind } from './vocabulary.ts'

const byName = new Map<string, ToolKind>()
const add = (kind: ToolKind, names: string): void => {
  for (const name of names.split(' ')) byName.set(name, kind)
}
add('execute', 'bash shell exec_command run_shell_command command_execution local_shell bashoutput killshell killbash execute monitor')
add('execute', 'read_bash write_bash stop_bash list_bash powershell read_powershell write_powershell stop_powershell list_powershell')
add('execute', 'commandexecution write_stdin shell_command container.exec unified_exec')
add('read', 'view_image imageview')
add('edit', 'filechange')
add('task', 'spawn_agent send_input wait wait_agent close_agent resume_agent spawnagent sendinput closeagent resumeagent')
add('read', 'read view read_file notebookread read_many_files')
add(
  'edit',
  'write edit multiedit notebookedit apply_patch file_change write_file replace create str_replace patch commit str_replace_editor',
)
add('delete', 'delete')
add('move', 'move')
add('search', 'grep glob ls list search codesearch find search_file_content toolsearch list_directory grep_search rg')
add('fetch', 'webfetch websearch web_fetch web_search fetch google_web_search fetch_copilot_cli_documentation')
add('think', 'think report_intent')
add(
  'task',
  'task agent subagent taskoutput taskstop invoke_agent delegate_to_agent codebase_investigator read_agent write_agent list_agents',
)
add('plan', 'todowrite todoread taskcreate taskupdate tasklist taskget update_plan write_todos todo plan update_todo')
add('skill', 'skill activate_skill')
add('question', 'askuserquestion question ask_user')
add('mode', 'exitplanmode enterplanmode plan_exit plan_enter switch_mode enter_plan_mode exit_plan_mode')

/** All names that are known, in small letters. */
export const knownTools = (): string[] => [...byName.keys()]

export const toolKindOf = (name: string): ToolKind => byName.get(name) ?? byName.get(name.toLowerCase()) ?? 'other'
