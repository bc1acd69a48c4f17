import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { answerFrom } from '../documents/search.ts'
import type { At, AtOutside } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { isObject } from '../kit/json.ts'
import type { ToolCall, ToolRule } from '../talk/state.ts'
import { argumentFault } from '../tools/arguments.ts'
import { checkedSchema, findOffered, type OfferedTool } from '../tools/mcp-tools.ts'
import { callTool } from '../tools/run.ts'
import * as workspaces from '../workspaces/store.ts'
import {
  type BuiltInResult,
  isBuiltIn,
  lookUp,
  offeredBuiltIns,
  runBuiltIn,
  type ToolContext,
  writesRows,
} from './built-in-tools.ts'
import type { FoundPassage } from './citations.ts'

export interface ToolOutcome extends BuiltInResult {
  duration_ms: number
}

/** The tools of one conversation. */
export interface Tools {
  offered: LanguageModelV4FunctionTool[]
  say_while: Record<string, string>
  rules: Record<string, ToolRule>
  /** Whether the tool takes the arguments. */
  accepts: (call: Pick<ToolCall, 'name' | 'arguments'>) => boolean
  /** Whether the tool reaches another server. The row of such a run is written before. */
  isRemote: (name: string) => boolean
  /** Whether the tool writes to the database, or reaches another server. The conversation must have its row before. */
  hasEffects: (name: string) => boolean
  hasSideEffects: (name: string) => boolean
  run: (at: AtOutside, call: Omit<ToolCall, 'after'>, signal: AbortSignal) => Promise<ToolOutcome>
  /** Returns what the documents of the agent answer, word for word, and the passage from which it is. */
  answerFromKnowledge: (at: AtOutside, query: string) => KnowledgeAnswer
}

type KnowledgeAnswer = Promise<{ answer: string | null; passages: FoundPassage[] }>

export async function openTools(at: At, context: ToolContext): Promise<Tools> {
  const { conversation_id, agent_id, contact_id, configuration } = context
  const found = await findOffered(at, configuration.tools, configuration.mcp_tools)
  const by_name = new Map(found.map((tool) => [tool.name, tool]))

  async function run(at: AtOutside, { run, name, arguments: input }: Omit<ToolCall, 'after'>, signal: AbortSignal) {
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      return invalid('The arguments are no JSON object.')
    // The check above makes this true.
    const values = input as Record<string, unknown>
    const tool = by_name.get(name)
    if (!tool)
      return (await runBuiltIn(at, context, { run, name, arguments: values })) ?? invalid('There is no such tool.')
    if (!(await workspaces.allowsNetwork(at)))
      return { status: 'failed' as const, result: 'A test workspace calls no tools until `allows_network` is set.' }
    const timeout_ms = Math.min(tool.timeout_ms, configuration.limits.tool_timeout_ms)
    const call = { run_id: run, arguments: values, conversation_id, contact_id, agent_id, signal }
    const { status, result } = await callTool(at, { ...tool, timeout_ms }, call)
    return { status, result }
  }

  return {
    offered: [
      // A built-in tool is left out if a tool of the workspace has its name, from a time before the built-in one.
      ...offeredBuiltIns(context).filter(({ name }) => !by_name.has(name)),
      ...found.map(toOffered),
    ],
    ...waysToUse(found),
    isRemote: (name) => by_name.has(name),
    hasEffects: (name) => by_name.has(name) || writesRows(name),
    // A tool that was deleted meanwhile may have had side effects. Built-in ones can be run again.
    hasSideEffects: (name) => by_name.get(name)?.has_side_effects ?? !isBuiltIn(name),
    run: async (at, call, signal) => {
      const began_ticks = clock.ticks()
      const outcome: BuiltInResult = await run(at, call, signal).catch(() => could_not_run)
      return { ...outcome, duration_ms: Math.round(clock.ticks() - began_ticks) }
    },
    answerFromKnowledge: (at, query) => answerFromKnowledge(at, context, query),
  }
}

/** Tells the model that the contact is asked. Otherwise the model asks, too. */
const asks_first = 'The contact is asked before this is done, and hears all arguments. Call it without asking.'

/** Describes a tool to the model. */
export function toOffered({ name, description, parameters, confirm }: OfferedTool): LanguageModelV4FunctionTool {
  const text = [description, confirm ? asks_first : null].filter(Boolean).join('\n\n')
  return { type: 'function', name, ...(text !== '' && { description: text }), inputSchema: parameters }
}

/** Limits the calls of a tool with side effects. */
const default_calls_max = 5
/** Each call of this tool is a promise to call someone. */
const built_in_rules: Record<string, ToolRule> = {
  schedule_callback: { calls_max: null, may_repeat: false, confirm: null },
}

/** Returns the facts about tools that the talk needs. */
export function waysToUse(tools: OfferedTool[]): Pick<Tools, 'say_while' | 'rules' | 'accepts'> {
  const by_name = new Map(tools.map((tool) => [tool.name, tool]))
  const own = tools.map(({ name, say_while, has_side_effects, calls_max, may_repeat, confirm }): [string, ToolRule] => [
    name,
    {
      calls_max: calls_max ?? (has_side_effects ? default_calls_max : null),
      may_repeat: may_repeat || !has_side_effects,
      confirm: confirm ? (say_while ?? '') : null,
    },
  ])
  return {
    say_while: Object.fromEntries(
      // A tool that is confirmed says something before, when it asks.
      tools.flatMap(({ name, say_while, confirm }) => (say_while === null || confirm ? [] : [[name, say_while]])),
    ),
    rules: { ...built_in_rules, ...Object.fromEntries(own) },
    accepts: ({ name, arguments: values }) => {
      const tool = by_name.get(name)
      return !tool || (isObject(values) && argumentFault(checkedSchema(tool), values) === undefined)
    },
  }
}

export async function answerFromKnowledge(at: AtOutside, context: ToolContext, query: string): KnowledgeAnswer {
  const passages = await lookUp(at, context, query)
  const answer = await answerFrom(at, query, passages)
  return { answer, passages: answer === null ? [] : passages.slice(0, 1) }
}

/** The result of a tool that failed within the service, such as in the database. */
export const could_not_run: BuiltInResult = { status: 'failed', result: 'The tool could not be run.' }

const invalid = (result: string): BuiltInResult => ({ status: 'invalid_arguments', result })
