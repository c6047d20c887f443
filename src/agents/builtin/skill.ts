// The tool `skill`: its description shows the model what there is; only a call brings the whole text into the conversation.
import { nearest } from '../../base/nearest.ts'
import { quoted } from '../../base/text.ts'
import type { BuiltinRequest } from './request.ts'
import { type Tool, ToolError } from './tools/tool.ts'

export function skillTool({ skills, loadSkill }: Pick<BuiltinRequest, 'skills' | 'loadSkill'>): Tool {
  const listed = skills.map(({ name, description }) => `- ${name}: ${description}`).join('\n')
  return {
    name: 'skill',
    kind: 'skill',
    source: 'builtin',
    changes: false,
    description: `Loads a skill: instructions and files for a task of a certain kind. Load one when the task fits its description.\nSkills:\n${listed}`,
    parameters: skillParameters,
    plan(input) {
      const name = String(input['name'])
      const skill = skills.find((one) => one.name === name)
      if (skill === undefined) {
        const near = nearest(
          name,
          skills.map((one) => one.name),
        )
        throw new ToolError(`there is no skill ${quoted(name)}${near === undefined ? '' : `; did you mean ${near}?`}`)
      }
      return {
        title: name,
        ask: { permission: 'skill', patterns: [name] },
        async run({ emit }) {
          const { body, files } = await loadSkill(skill)
          emit('skill.load', { name, level: 'loaded', path: skill.path, description: skill.description })
          const beside = files.length === 0 ? '' : `\n\nFiles of this skill:\n${files.join('\n')}`
          return {
            text: `# Skill ${name}\nFolder: ${skill.folder}\n\n${body}${beside}`,
            data: { name, dir: skill.folder, truncated: false },
          }
        },
      }
    },
  }
}

export const skillParameters: Tool['parameters'] = {
  type: 'object',
  properties: { name: { type: 'string', description: 'the name of the skill' } },
  required: ['name'],
}
