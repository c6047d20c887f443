// The tools that every agent of ours has, in the order in which a model is told of them.
import { bashTool } from './bash.ts'
import { editTool } from './edit.ts'
import { globTool } from './glob.ts'
import { grepTool } from './grep.ts'
import { readTool } from './read.ts'
import { todoTool } from './todowrite.ts'
import type { Tool } from './tool.ts'
import { webfetchTool } from './webfetch.ts'
import { writeTool } from './write.ts'

export const builtinTools = (): Tool[] => [bashTool, readTool, globTool, grepTool, editTool, writeTool, webfetchTool, todoTool]
