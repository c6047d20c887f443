// What sort of tool a name stands for, over all agents. The name itself is never changed.
import type { ToolKind } from './vocabulary.ts'

const byName = new Map<string, ToolKind>()
const add = (kind: ToolKind, names: string): void => {
  for (const name of names.split(' ')) byName.set(name, kind)
}
add('execute', 'bash shell exec_command run_shell_command command_execution local_shell bashoutput killshell killbash execute monitor')
add('read', 'read view read_file notebookread read_many_files')
add('edit', 'write edit multiedit notebookedit apply_patch file_change write_file replace create str_replace patch commit')
add('delete', 'delete')
add('move', 'move')
add('search', 'grep glob ls list search codesearch find search_file_content toolsearch list_directory')
add('fetch', 'webfetch websearch web_fetch web_search fetch google_web_search')
add('think', 'think')
add('task', 'task agent subagent taskoutput taskstop')
add('plan', 'todowrite todoread taskcreate taskupdate tasklist taskget update_plan write_todos todo plan')
add('skill', 'skill')
add('question', 'askuserquestion question ask_user')
add('mode', 'exitplanmode enterplanmode plan_exit plan_enter switch_mode')

export const toolKindOf = (name: string): ToolKind => byName.get(name) ?? byName.get(name.toLowerCase()) ?? 'other'
